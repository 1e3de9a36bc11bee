"""What the read plane's worker takes from gunicorn. How it behaves is in test_restarts and
test_slow_clients."""

import asyncio
import gc
import logging
import os
import socket
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import pytest
import uvloop
from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.config import Config
from gunicorn.workers import gasgi

from config.loop_worker import LoopProtocol, LoopWorker


def test_its_connections_are_ours() -> None:
    assert gasgi.ASGIProtocol is LoopProtocol


@pytest.mark.skipif(
    not find_spec("gunicorn_h1c") and not os.environ.get("CI"),
    reason="the extra “fast” is not installed",
)
def test_the_parser_is_the_one_in_c() -> None:
    """gunicorn would take the other silently, which costs a fifth of all polls."""
    assert ASGIProtocol._h1c_has_limits
    assert LoopProtocol._h1c_protocol_class.__name__ == "H1CProtocol"


async def connect_and_stop_listening(count: int) -> list[socket.socket]:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    address = listener.getsockname()
    worker = LoopWorker.__new__(LoopWorker)
    worker.sockets = [SimpleNamespace(sock=listener)]
    loop = asyncio.get_running_loop()
    worker.servers = [await loop.create_server(asyncio.Protocol, sock=listener)]
    # The loop accepts nobody meanwhile.
    clients = [socket.create_connection(address) for _ in range(count)]
    accepted = worker.stop_listening()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    for client in clients:
        client.close()
    return accepted


def test_whoever_has_connected_is_taken_before_it_stops_to_listen() -> None:
    accepted = uvloop.run(connect_and_stop_listening(5))
    assert len(accepted) == 5
    for client in accepted:
        client.close()


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


async def ask_and_hang_up(times: int) -> WeakSet[LoopProtocol]:
    """Those of the server's ends that are still there."""
    loop = asyncio.get_running_loop()
    log: Any = logging.getLogger("test")
    log.access_log_enabled = False
    worker = SimpleNamespace(
        cfg=Config(),
        log=log,
        asgi=answer,
        loop=loop,
        state={},
        nr_conns=0,
        nr=0,
        max_requests=times * 2,
        alive=True,
        connections=set(),
        client_timeout=5,
    )
    left: WeakSet[LoopProtocol] = WeakSet()

    def connection() -> LoopProtocol:
        protocol = LoopProtocol(worker)
        left.add(protocol)
        return protocol

    server = await loop.create_server(connection, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    for _ in range(times):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b"ok" in await reader.read()
        writer.close()
    server.close()
    # gunicorn gives the task of a lost connection three seconds.
    await asyncio.sleep(3.5)
    return left


def test_connections_that_have_ended_are_gone() -> None:
    left = asyncio.run(ask_and_hang_up(5))
    gc.collect()
    assert list(left) == []
