"""A replica takes the place of a primary that took its last changes with it."""

import signal

import pytest

from tests.planes.conftest import SERVE, Place
from tests.planes.polling import answers_of, wait_until
from tests.planes.postgres import Postgres, standby_of
from tests.planes.replicas import COMPONENTS, revision_of, write
from tests.processes import running

pytestmark = pytest.mark.database("postgresql")


def promote(standby: Postgres) -> None:
    standby.sql("SELECT pg_promote()")
    wait_until(lambda: standby.sql("SELECT pg_is_in_recovery()") == [(False,)])


def test_a_revision_that_was_lost_and_made_anew_is_answered_as_it_is_now(
    postgres: Postgres, place: Place, reader_place: Place
) -> None:
    """Its number comes back with another content: what was answered for it before is void."""
    with standby_of(postgres) as primary, standby_of(postgres) as standby:
        promote(primary)
        place = {**place, "DATABASE_URL": primary.url("fleet", "fleet")}
        at_address = {**reader_place, "DATABASE_URL": primary.url("fleet", "fleet_reader")}
        with running(place, SERVE) as crud, running(at_address) as read:
            lost = write(crud, "lost with the primary")
            assert revision_of(read) == lost
            answers = answers_of(read)

            primary.stop(signal.SIGKILL)
            standby.stop()
            # As a name or an address that moves to the new primary.
            standby.port = primary.port
            standby.start()
            promote(standby)
            # Nobody polls in between, so the read plane never sees the number go back.
            assert write(crud, "made anew") == lost
            assert revision_of(read) == lost
            assert answers_of(read) == answers_of(crud) != answers
            assert "made anew" in read.get(COMPONENTS).text
