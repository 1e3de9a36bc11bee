from django.contrib.admindocs.views import simplify_regex


def path_of(route: str) -> str:
    """The path of the schema, from a route of the URL configuration."""
    path = simplify_regex(route).replace(r"\.", ".").replace("<", "{").replace(">", "}").rstrip("/")
    return path.replace("{item_id}", "{id}") or "/"
