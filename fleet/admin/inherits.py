"""What the rows of a form inherit, as its pages show it."""

from collections.abc import Collection
from typing import Any

from django.http import QueryDict

from fleet.desired_state.inherited import Below, below_cluster, below_profile, named
from fleet.desired_state.values import ValueProblem, format_key, parse_key
from fleet.models import Cluster, Component, Profile
from fleet.services.rows import is_plain

NOTHING = Below({})


def below(owner: Any, components: Collection[str]) -> Below:
    """Under the catalog there is nothing."""
    if isinstance(owner, Cluster):
        return below_cluster(owner, components)
    return below_profile(components) if isinstance(owner, Profile) else NOTHING


class InheritedByPage:
    """By all rows of a page, its inlines together: read once, when the first of them is shown."""

    def __init__(self, posted: QueryDict) -> None:
        self._posted = posted
        self._below: Below | None = None

    def below(self, owner: Any) -> Below:
        if isinstance(owner, Component):
            return NOTHING
        if self._below is None:
            self._below = below(owner, _components(self._posted, owner))
        return self._below


def _components(posted: QueryDict, owner: Any) -> set[str]:
    """Those that are saved, and those that were just typed where the form is shown again."""
    typed = {text for name, text in posted.items() if name.endswith("-component")}
    found = {text for text in typed if isinstance(text, str) and is_plain(text)}
    for rows in (owner.components, owner.patches) if owner.pk else ():
        found.update(rows.order_by().values_list("component_id", flat=True).distinct())
    return found


def inherited_text(below: Below, component: str, key: str) -> str:
    """Empty where there is nothing to ask about yet."""
    try:
        path = parse_key(key)
    except ValueProblem:
        return ""
    if component not in below.said:
        return ""
    found = below.at(component, path)
    if found is None:
        return "not set below"
    if found.at != path:
        return f"replaces {format_key(found.at)}, inherited: {found}"
    return f"inherited: {found}"


def inherited_field(below: Below, component: str, name: str) -> str:
    """Of an assignment: what a field that is left blank stands for."""
    traced = below.field(component, name)
    return f"{traced.value} from {named(traced.origin)}" if traced else ""


def inherited_switch(below: Below, component: str) -> str:
    """The choice that leaves `enabled` to the layers below: short, as it stands in a select."""
    traced = below.field(component, "enabled")
    return "Inherit" if traced is None else f"Inherit ({'yes' if traced.value else 'no'})"
