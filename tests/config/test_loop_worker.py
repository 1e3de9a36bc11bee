"""What the read plane's worker takes from gunicorn. How it behaves is in test_restarts and
test_slow_clients."""

from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers import gasgi

from config.loop_worker import LoopProtocol


def test_its_connections_are_ours() -> None:
    assert gasgi.ASGIProtocol is LoopProtocol


def test_the_parser_is_the_one_in_c() -> None:
    """gunicorn would take the other silently, which costs a fifth of all polls."""
    assert ASGIProtocol._h1c_has_limits
    assert LoopProtocol._h1c_protocol_class.__name__ == "H1CProtocol"
