"""The browsable API: links from object to object, and forms with something in them."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from rest_framework.exceptions import APIException
from rest_framework.renderers import BrowsableAPIRenderer

from fleet.web.addresses import path_of

# Fields that name other objects, and the section where those are.
REFERENCES = {
    "environment": "environments",
    "environments": "environments",
    "platform_components": "platform_components",
    "depends_on": "platform_components",
    "namespaces": "namespaces",
    "rolebindings": "rolebindings",
    "profiles": "profiles",
    "clusters": "clusters",
}
OF_A_CLUSTER = ("effective", "revisions", "freeze", "unfreeze", "recommission", "restore")
SHOWN = 1_000

Link = tuple[str, str]


# The policy for browsers forbids them; static/browsable.css has what they are for.
STYLE = re.compile(r' style="[^"<>]*"')


class FleetBrowsableRenderer(BrowsableAPIRenderer):
    def render(self, *args: Any, **kwargs: Any) -> Any:
        page = super().render(*args, **kwargs)
        if not isinstance(page, str):
            return page
        # Their page does not say which language it is in.
        return STYLE.sub("", page).replace("<html>", '<html lang="en">', 1)

    def get_context(
        self, data: Any, accepted_media_type: str | None, renderer_context: Any
    ) -> dict[str, Any]:
        context = super().get_context(data, accepted_media_type, renderer_context)
        path = renderer_context["request"].path.rstrip("/")
        pages = renderer_context["response"].headers.get("Link", "")
        # Of examples of code, which our pages have none of: it would be a style in the page.
        context["code_style"] = ""
        return context | {"related": [*page_links(pages), *related(path, data)][:SHOWN]}

    def get_raw_data_form(self, data: Any, view: Any, method: str, request: Any) -> Any:
        form = super().get_raw_data_form(data, view, method, request)
        if form is not None:
            form.fields["_content"].initial = self._start(data, view, method, request)
        return form

    def _start(self, data: Any, view: Any, method: str, request: Any) -> str:
        """What was sent, where it was refused; the object as it is; or an example."""
        if request.method == method:
            try:
                body = request.data
            except APIException:
                return ""
        elif method == "PUT" and isinstance(data, dict) and "id" in data:
            body = data
        else:
            body = example(view, request, method)
        return "" if body is None else json.dumps(body, indent=2, ensure_ascii=False)


def example(view: Any, request: Any, method: str) -> Any:
    table: dict[str, Any] = getattr(view.schema, "table", dict)()
    path = path_of(request.resolver_match.route) if request.resolver_match else ""
    operation = table.get(path, {}).get(method.lower(), {})
    for content in operation.get("requestBody", {}).get("content", {}).values():
        for found in content.get("examples", {}).values():
            return found["value"]
    return None


def page_links(header: str) -> Iterator[Link]:
    for address, relation in re.findall(r'<([^>]+)>; rel="(prev|next)"', header):
        yield f"{relation} page", address


def related(path: str, data: Any) -> Iterator[Link]:
    """The objects that an answer speaks of, and what else there is of this one."""
    if isinstance(data, list):
        for item in data:
            if isinstance(item, dict):
                yield from _of_list(path, item)
    elif isinstance(data, dict) and "error" not in data:
        yield from _of_object(path, data)


def _of_list(path: str, item: dict[str, Any]) -> Iterator[Link]:
    if "number" in item:
        yield f"revision {item['number']}", f"/revisions/{item['number']}"
    elif "id" in item:
        yield item["id"], f"{path}/{quote(item['id'])}"


def _of_object(path: str, data: dict[str, Any]) -> Iterator[Link]:
    if re.fullmatch("/clusters/[^/]+", path):
        yield from ((act, f"{path}/{act}") for act in OF_A_CLUSTER)
    if re.fullmatch("/platform_components/[^/]+", path):
        yield "usage", f"{path}/usage"
    if "number" in data:
        yield "revert", f"{path}/revert"
    for field, section in REFERENCES.items():
        for name in _names(data.get(field)):
            yield f"{section}/{name}", f"/{section}/{quote(name)}"


def _names(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        name = item.get("id") if isinstance(item, dict) else item
        if isinstance(name, str) and name:
            yield name
