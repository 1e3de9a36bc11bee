"""Whoever asks for the newest revision gets one that was read after it asked."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from flux_api.head_reader import NO_HEAD, DatabaseReader, Head, HeadReader, Rows


class Database(DatabaseReader):
    """Each read waits until it is told what to find."""

    def __init__(self) -> None:
        self.reads: list[asyncio.Future[list[Rows]]] = []
        self.caught_up: list[tuple[Head, Head]] = []
        self.heads = HeadReader(self, self.catch_up)

    def newest(self) -> asyncio.Future[Head]:
        return self.heads.newest()

    async def ask(self, *statements: str) -> list[Rows]:
        future: asyncio.Future[list[Rows]] = asyncio.get_running_loop().create_future()
        self.reads.append(future)
        return await future

    async def close(self) -> None: ...

    async def catch_up(self, known: Head, newest: Head) -> None:
        self.caught_up.append((known, newest))


def head(number: int) -> Head:
    return Head(number, f"made at {number}")


def found(number: int) -> list[Rows]:
    return [[head(number)]]


async def a_moment() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def played(story: Callable[[Database], Awaitable[None]]) -> None:
    async def play() -> None:
        await story(Database())

    asyncio.run(play())


def test_who_asks_together_shares_a_read() -> None:
    async def story(database: Database) -> None:
        asked = [database.newest() for _ in range(3)]
        await a_moment()
        [read] = database.reads
        read.set_result(found(1))
        assert await asyncio.gather(*asked) == [head(1)] * 3
        assert database.caught_up == [(NO_HEAD, head(1))]

    played(story)


def test_who_asks_during_a_read_gets_the_next() -> None:
    """The one under way may have seen the database before."""

    async def story(database: Database) -> None:
        early = database.newest()
        await a_moment()
        late = [database.newest() for _ in range(2)]
        database.reads[0].set_result(found(1))
        assert await early == head(1)
        await a_moment()
        assert not any(future.done() for future in late)
        database.reads[1].set_result(found(2))
        assert await asyncio.gather(*late) == [head(2)] * 2
        assert database.caught_up == [(NO_HEAD, head(1)), (head(1), head(2))]

    played(story)


def test_what_is_known_needs_no_catching_up() -> None:
    async def story(database: Database) -> None:
        for _ in range(2):
            asked = database.newest()
            await a_moment()
            database.reads[-1].set_result(found(1))
            await asked
        assert len(database.caught_up) == 1

    played(story)


def test_a_read_that_fails_fails_for_those_who_wait_and_no_longer() -> None:
    async def story(database: Database) -> None:
        asked = [database.newest() for _ in range(2)]
        await a_moment()
        database.reads[0].set_exception(OSError("gone"))
        for future in asked:
            with pytest.raises(OSError, match="gone"):
                await future
        again = database.newest()
        await a_moment()
        database.reads[1].set_result(found(1))
        assert await again == head(1)

    played(story)


def test_to_fail_to_catch_up_is_to_know_nothing_new() -> None:
    async def story(database: Database) -> None:
        async def fail(known: Head, newest: Head) -> None:
            raise OSError("gone")

        database.heads = HeadReader(database, fail)
        asked = database.newest()
        await a_moment()
        database.reads[0].set_result(found(1))
        with pytest.raises(OSError, match="gone"):
            await asked
        assert database.heads.known == NO_HEAD

    played(story)


def test_one_that_gives_up_takes_no_other_with_it() -> None:
    async def story(database: Database) -> None:
        gone, stays = (
            database.newest(),
            database.newest(),
        )
        await a_moment()
        gone.cancel()
        database.reads[0].set_result(found(1))
        assert await stays == head(1)

    played(story)
