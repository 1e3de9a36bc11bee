"""Django's messages, which can be held back until what they tell of has really happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.messages.storage.session import SessionStorage


class HeldMessages(SessionStorage):
    """In the session, since the answer to long work has begun before there is anything to tell."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._held: list[tuple[int, str, str | None]] | None = None

    def add(self, level: int, message: str, extra_tags: str | None = "") -> None:
        if self._held is None:
            super().add(level, message, extra_tags)
        else:
            self._held.append((level, message, extra_tags))

    @contextmanager
    def hold(self, *, discard: bool = False) -> Iterator[None]:
        """Adds them at the end. If the block fails, or on `discard`, nobody gets them."""
        held = self._held = []
        try:
            yield
        finally:
            self._held = None
        for message in () if discard else held:
            self.add(*message)
