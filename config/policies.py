"""The Content-Security-Policy: what a browser may load and run on our pages."""

from typing import Any

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

STRICT: dict[str, Any] = {
    "default-src": [SELF],
    "base-uri": [NONE],
    "object-src": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
# The theme of the admin is written for Alpine, which turns the texts of attributes (x-data, x-show)
# into functions: that takes unsafe-eval. It and select2 write style attributes: unsafe-inline, for
# styles alone. No script in a page runs, and none from elsewhere.
ADMIN: dict[str, Any] = {
    **STRICT,
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
    "img-src": [SELF, "data:"],
}
