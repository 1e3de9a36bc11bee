"""The sidebar: what a person may see, grouped by what it is about."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

# (title, icon, page, permission); a page without one is for everybody.
Entry = tuple[str, str, str, str]
GROUPS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("", (("Home", "home", "admin:index", ""),)),
    (
        "Fleet",
        (
            ("Clusters", "dns", "admin:fleet_cluster_changelist", "fleet.view_cluster"),
            ("Profiles", "layers", "admin:fleet_profile_changelist", "fleet.view_profile"),
            (
                "Environments",
                "stairs",
                "admin:fleet_environment_changelist",
                "fleet.view_environment",
            ),
        ),
    ),
    (
        "Catalog",
        (
            ("Components", "widgets", "admin:fleet_component_changelist", "fleet.view_component"),
            (
                "Namespaces",
                "folder_open",
                "admin:fleet_namespace_changelist",
                "fleet.view_namespace",
            ),
            (
                "Role bindings",
                "badge",
                "admin:fleet_rolebinding_changelist",
                "fleet.view_rolebinding",
            ),
        ),
    ),
    (
        "Log",
        (("Revisions", "history", "admin:fleet_revision_changelist", "fleet.view_revision"),),
    ),
    (
        "Access",
        (
            ("Users", "person", "admin:auth_user_changelist", "auth.view_user"),
            ("Groups", "group", "admin:auth_group_changelist", "auth.view_group"),
            ("Tokens", "key", "admin:fleet_token_changelist", "fleet.view_token"),
        ),
    ),
    ("Help", (("API documentation", "menu_book", "docs", ""),)),
)


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    groups = []
    for title, entries in GROUPS:
        items = [
            {"title": name, "icon": icon, "link": reverse(page)}
            for name, icon, page, permission in entries
            if not permission or request.user.has_perm(permission)
        ]
        if items:
            groups.append({"title": title, "items": items})
    return groups
