"""How a view that takes long learns that nobody waits for its answer any more."""

from threading import Event

from django.http import HttpRequest

# In the scope of the request, where the server puts it.
CLIENT_GONE = "fleet.web.client_gone"


def client_gone(request: HttpRequest) -> Event:
    """Set when the client has gone. Without a server of ours (a test), nobody goes."""
    return request.META.get("asgi.scope", {}).get(CLIENT_GONE) or Event()
