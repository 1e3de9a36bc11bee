"""The read plane's worker: gunicorn's with an event loop, but for how it parts from its clients.

As config.worker is of the one with threads.
"""

import asyncio
import gc
import socket
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers import gasgi

from config.wire_errors import error_response
from config.worker import PARTING_SECONDS, HearsEarlySignals

# Longer than lines of the log wait for others (flux_api.poll_log).
LAST_LINES_SECONDS = 0.1
LINE_END = b"\r\n"
# New objects until the young are searched, such searches until the middle-aged are, and until all.
GARBAGE_THRESHOLDS = (2_000, 10, 100)


class LoopWorker(HearsEarlySignals, gasgi.ASGIWorker):
    sockets: list[Any]
    servers: list[Any]
    client_timeout: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.connections: set[LoopProtocol] = set()

    def init_process(self) -> None:
        # Garbage is of connections that have ended, and young. To look for it among all that is
        # kept, several times a second on a busy worker, made polls wait for as long as 60 ms.
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        super().init_process()

    async def _shutdown(self) -> None:
        """Whoever could connect is answered. gunicorn would wait for idle connections to end by
        themselves, until the master loses patience."""
        for client in self.stop_listening():
            await self.loop.connect_accepted_socket(lambda: LoopProtocol(self), client)
        self.end_idle(even_if_new=False)
        # A client that has just connected may be about to ask. Not for long.
        self.loop.call_later(PARTING_SECONDS, partial(self.end_idle, even_if_new=True))
        await super()._shutdown()
        # The last lines of the log are still to be written.
        await asyncio.sleep(LAST_LINES_SECONDS)

    def stop_listening(self) -> list[socket.socket]:
        """Those whom the kernel has accepted already. It resets them as a listener is closed, so
        whoever comes between the last look and that is lost: nothing is done in between. The loop
        would do much as it closes its own."""
        listeners = [listener.sock.dup() for listener in self.sockets]
        for server in self.servers:
            server.close()
        waiting = []
        for listener in listeners:
            try:
                while True:
                    waiting.append(listener.accept()[0])
            except OSError:  # There is none left, or another worker was quicker.
                listener.close()
        for client in waiting:
            client.setblocking(False)
        return waiting

    def end_idle(self, *, even_if_new: bool) -> None:
        for connection in list(self.connections):
            connection.end_if_idle(even_if_new=even_if_new)


class LoopProtocol(ASGIProtocol):
    """A connection that does not wait for ever: for the rest of a request, or for a client to take
    its answer."""

    worker: LoopWorker
    app: Any
    patience: asyncio.TimerHandle | None = None
    _response_buffer: Any

    def __init__(self, worker: Any) -> None:
        super().__init__(worker)
        self.quick_reply: Any = None
        # gunicorn writes its own log of what went by ASGI.
        if hasattr(self.app, "reply") and not self.log.access_log_enabled:
            self.quick_reply, self.app = self.app.reply, self.app.django

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.worker.connections.add(self)
        self.be_patient()

    def connection_lost(self, exc: Exception | None) -> None:
        self.worker.connections.discard(self)
        self.relax()
        super().connection_lost(exc)
        # It holds on to us, and being in C it hides that from the search for garbage: every
        # connection that ever was would stay, with 13 KiB.
        self._callback_parser = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.patience is None and not self._request_ready.is_set():
            self.be_patient()

    def _on_headers_complete(self) -> Any:
        self.relax()
        return super()._on_headers_complete()

    async def _serve_http_request(self, request: Any, sockname: Any, peername: Any) -> Any:
        """Whether the connection stays. For an answer from memory, what gunicorn and ASGI do for
        every other would be most of the work."""
        reply = None
        if self.quick_reply and not (request.content_length or request.chunked):
            asks = (request.method, request.path, request.query, request.headers_bytes)
            reply = await self.quick_reply(*asks, request.scheme)
        if reply is None:
            return await super()._serve_http_request(request, sockname, peername)
        will_close = self._will_close(request, False)
        # Without headers it is the first line, and what the server adds.
        self._send_response_start(reply.status, (), request, close=will_close)
        start, self._response_buffer = self._response_buffer.removesuffix(LINE_END), None
        if not self._closed:
            self._safe_write(b"".join((start, reply.head, LINE_END, reply.body)))
            if self._flow_control.write_paused:
                await self._flow_control.drain()
        return not will_close

    def pause_writing(self) -> None:
        super().pause_writing()
        self.be_patient()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.relax()

    def be_patient(self) -> None:
        self.relax()
        self.patience = self.worker.loop.call_later(self.worker.client_timeout, self.give_up)

    def relax(self) -> None:
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None

    def give_up(self) -> None:
        self.patience = None
        self.log.warning("A client stopped in the middle of its request, or of our answer")
        self.transport.abort()

    def end_if_idle(self, *, even_if_new: bool) -> None:
        """A client that sees a connection end on which it has had answers asks again."""
        is_new = self.req_count <= 1
        if not self._request_ready.is_set() and (even_if_new or not is_new):
            self._close_transport()
            self._request_ready.set()

    def _send_error_response(self, status: int, message: str, extra_headers: Any = ()) -> None:
        """gunicorn's own is plain text."""
        reason = HTTPStatus(status).phrase
        self._safe_write(error_response(status, reason, message))


# gunicorn has no setting for it.
gasgi.ASGIProtocol = LoopProtocol
# Asked of that class itself, which does not look at its heirs for whether it has the parser in C.
ASGIProtocol._check_h1c_protocol_available()
