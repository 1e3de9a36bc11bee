"""Lets every worker see every poll once, so that whatever it keeps is there.

Workers share one port, so a connection is asked for its worker: by the socket at its other end.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.processes import Server
from tests.workers import all_workers

CONNECTIONS = 16
OPENING_ROUNDS = 50


@dataclass(frozen=True)
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def ports(self) -> tuple[int, int]:
        """The server's, and ours."""
        return (
            self.writer.get_extra_info("peername")[1],
            self.writer.get_extra_info("sockname")[1],
        )

    async def poll(self, poll: str) -> int:
        """The status. A poll is a path and a token."""
        path, token = poll.split()
        lines = (f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}")
        self.writer.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        await self.reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        return int(head.split(b" ", 2)[1])


@dataclass
class WarmUp:
    polls: int = 0
    errors: int = 0
    # What a short time left out.
    missed: int = 0


def warm_up(server: Server, polls: Path, most_seconds: float) -> WarmUp:
    return asyncio.run(_warm_up(server, polls.read_text().splitlines(), most_seconds))


async def _warm_up(server: Server, polls: list[str], most_seconds: float) -> WarmUp:
    result = WarmUp()
    until = time.monotonic() + most_seconds
    by_worker = await connections_by_worker(server, polls[0])
    walks = {pid: iter(polls) for pid in by_worker}
    await asyncio.gather(
        *(
            walk(connection, walks[pid], until, result)
            for pid, connections in by_worker.items()
            for connection in connections
        )
    )
    result.missed = sum(1 for rest in walks.values() for _ in rest)
    return result


async def walk(connection: Connection, polls: Iterator[str], until: float, result: WarmUp) -> None:
    """All connections of one worker walk along the same polls."""
    for poll in polls:
        result.polls += 1
        result.errors += await connection.poll(poll) != 200
        if time.monotonic() > until:
            break
    connection.writer.close()


async def connections_by_worker(server: Server, poll: str) -> dict[int, list[Connection]]:
    """At least one for each; which worker takes a connection is a matter of chance."""
    host, port = server.base_url.removeprefix("http://").split(":")
    found: dict[int, list[Connection]] = {pid: [] for pid in all_workers(server)}
    for _ in range(OPENING_ROUNDS):
        opened = [
            Connection(*await asyncio.open_connection(host, port)) for _ in range(CONNECTIONS)
        ]
        # Only a connection that was answered is certain to have been taken.
        await asyncio.gather(*(connection.poll(poll) for connection in opened))
        for connection in opened:
            found[owner(connection, found)].append(connection)
        if all(found.values()):
            return found
    raise AssertionError(f"Some workers answer nothing: {found}")


def owner(connection: Connection, pids: dict[int, list[Connection]]) -> int:
    link = f"socket:[{inode(*connection.ports)}]"
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                if str(descriptor.readlink()) == link:
                    return pid
    raise AssertionError("A connection belongs to no worker")


def inode(local_port: int, remote_port: int) -> str:
    """Of the socket with these ports, as the kernel lists it."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        ports = tuple(int(address.split(":")[1], 16) for address in fields[1:3])
        if ports == (local_port, remote_port):
            return fields[9]
    raise AssertionError("A connection is not in the list of the kernel")
