"""A time as the viewer's clock shows it, with the zone's name; in the element, as UTC."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html

register = template.Library()

SHAPES = {"minutes": "%Y-%m-%d %H:%M %Z", "seconds": "%Y-%m-%d %H:%M:%S %Z"}


@register.filter
def moment(value: datetime, precision: str = "minutes") -> str:
    return in_words(value, timezone.localtime(value).strftime(SHAPES[precision]))


@register.filter
def in_words(value: datetime, words: str) -> str:
    """`words` for the time, such as “an hour ago”; the exact one is a tooltip away."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        timezone.localtime(value).strftime(SHAPES["seconds"]),
        words,
    )
