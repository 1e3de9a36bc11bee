"""Whose guesses of passwords to count together."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The last address that no proxy of ours has; what stands before it anybody may have written.

    Only proxies of FORWARDED_ALLOW_IPS are believed, as gunicorn does with X-Forwarded-Proto.
    """
    passed = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    hops = [hop.strip() for hop in passed if hop.strip()] + [request.META.get("REMOTE_ADDR", "")]
    trusted = set(settings.FORWARDED_ALLOW_IPS)
    while len(hops) > 1 and ("*" in trusted or hops[-1] in trusted):
        hops.pop()
        if "*" in trusted:
            break
    try:
        return str(ip_address(hops[-1]))
    except ValueError:
        return request.META.get("REMOTE_ADDR") or None
