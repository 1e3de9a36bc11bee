"""Answers as bytes with their ETag, and how DRF hands them out unchanged."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes
    revision: int

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


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


class JSONUnlessAskedOtherwise(DefaultContentNegotiation):
    """An odd Accept header must not keep a cluster from its answer."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        try:
            return super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
