"""Several servers that start at once on one empty database."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.planes.conftest import SECRETS
from tests.planes.polling import answers_of
from tests.planes.postgres import Postgres
from tests.processes import Server, running

SERVERS = 3


@pytest.mark.database("postgresql")
def test_one_makes_the_tables_and_the_others_find_them(postgres: Postgres) -> None:
    postgres.sql("CREATE DATABASE empty")
    given = {**SECRETS, "DATABASE_URL": postgres.url("empty")}
    with ExitStack() as stack, ThreadPoolExecutor(SERVERS) as pool:

        def start(_: int) -> Server:
            return stack.enter_context(running(given))

        servers = list(pool.map(start, range(SERVERS)))
        assert [server.get("/ready").status_code for server in servers] == [200] * SERVERS
        first, *others = (answers_of(server) for server in servers)
        assert others == [first] * (SERVERS - 1)
    for once in ("Applying fleet.0001_initial", "Done, as revision", "Made the user admin"):
        assert sum(once in server.output for server in servers) == 1, once
