"""Answers as bytes with their ETag, and how DRF hands them out unchanged."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.renderers import JSONRenderer


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes
    revision: int

    @property
    def etag(self) -> str:
        return etag_of(self.body)


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


class AnswerRenderer(JSONRenderer):
    """Passes a ready body on; errors are rendered as usual."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        if not isinstance(data, bytes):
            return super().render(data, accepted_media_type, renderer_context)
        if renderer_context and renderer_context.get("indent"):
            return json.dumps(json.loads(data), ensure_ascii=False, indent=4).encode()
        return data
