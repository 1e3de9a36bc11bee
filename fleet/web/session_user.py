"""Django's middleware for the person of a session, and whether that person has been looked up."""

from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

NOTE = "looked_up_user"


class SessionUserMiddleware(AuthenticationMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)

        def look_up() -> Any:
            user = get_user(request)
            setattr(request, NOTE, user)
            return user

        request.user = SimpleLazyObject(look_up)  # type: ignore[assignment]


def known_user(request: HttpRequest) -> Any:
    """Whoever it turned out to be, where anybody asked: to find out takes a query."""
    user = getattr(request, "user", None)
    return getattr(request, NOTE, None) if isinstance(user, SimpleLazyObject) else user
