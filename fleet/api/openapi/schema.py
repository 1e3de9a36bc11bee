"""Where drf-spectacular and the tables of paths meet."""

from functools import cache
from typing import Any

from drf_spectacular.drainage import warn
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from fleet.api.openapi.components import Paths, Schema
from fleet.desired_state.inputs import RESOURCES
from fleet.web.addresses import path_of

Endpoint = tuple[str, str, str, Any]


class TableSchema(AutoSchema):
    """The operations of a view are those that a table has for its path."""

    @staticmethod
    def table() -> Paths:
        raise NotImplementedError

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> Schema | None:
        found = self.table().get(path, {}).get(method.lower())
        if found is None:
            warn(f"{method} {path} is not described.")
        return found


class FleetSchema(TableSchema):
    @staticmethod
    @cache
    def table() -> Paths:
        # The paths know limits of the views, and the views have this.
        from fleet.api.openapi.paths import fleet_paths

        return fleet_paths()


def name_paths(endpoints: list[Endpoint]) -> list[Endpoint]:
    """A hook of drf-spectacular. What Flux gets of a resource is written down for each."""
    return [
        (path.replace("{resource}", resource), route, method, callback)
        for _, route, method, callback in endpoints
        for path in [path_of(route)]
        for resource in (RESOURCES if "{resource}" in path else [""])
    ]


@cache
def openapi() -> Schema:
    generator: Any = SchemaGenerator
    return generator().get_schema(request=None, public=True)
