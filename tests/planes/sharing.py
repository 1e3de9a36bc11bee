"""An address that hands connections to several servers in turn, as a load balancer does."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle

CHUNK = 65_536


@contextmanager
def shared_address(ports: Sequence[int]) -> Iterator[int]:
    """The port of it; each new connection goes to the next of these."""
    turn = cycle(ports)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    server = socket.create_connection(("127.0.0.1", next(turn)))
                    join(client, server)

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        # Wakes up whoever is waiting in accept().
        listening.shutdown(socket.SHUT_RDWR)


def join(client: socket.socket, server: socket.socket) -> None:
    for source, target in ((client, server), (server, client)):
        threading.Thread(target=pass_on, args=(source, target), daemon=True).start()


def pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
