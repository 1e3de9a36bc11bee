"""Where a value comes from, as a link to where it is edited."""

from django import template
from django.urls import reverse
from django.utils.html import format_html

from fleet.desired_state.merge import Origin

register = template.Library()

PAGES = {"catalog": "component", "profile": "profile"}
# The catalog's page has its own fields on top; the rest are rows, each kind under its own tab.
CATALOG_ROWS = {"patches"}


@register.simple_tag
def origin_link(origin: Origin, rows: str = "") -> str:
    """`rows` are those of the layer's page that have it: components, patches, namespaces…"""
    page = f"admin:fleet_{PAGES.get(origin.layer, 'cluster')}_change"
    anchor = rows if origin.layer != "catalog" or rows in CATALOG_ROWS else ""
    return format_html(
        '<a class="origin origin-{}" href="{}{}">{}</a>',
        origin.layer,
        reverse(page, args=[origin.id]),
        f"#{anchor}" if anchor else "",
        origin_text(origin),
    )


def origin_text(origin: Origin) -> str:
    """A frozen or decommissioned cluster gets what its state says."""
    if origin.layer == "profile":
        return f"profile {origin.id}"
    return {"catalog": "catalog", "cluster": "this cluster"}.get(origin.layer, origin.layer)
