"""A worker that is killed takes only what it was serving with it."""

import os
import signal

import pytest

from tests.planes.conftest import Planes
from tests.planes.polling import CUT_OFF, polling, wait_until

CLIENTS = 3
KILLS = 3


@pytest.mark.database("sqlite")
def test_a_killed_worker_is_replaced(planes: Planes) -> None:
    with polling(planes.read, CLIENTS) as polls:
        for _ in range(KILLS):
            known = planes.read.workers()
            os.kill(known[-1], signal.SIGKILL)
            wait_until(lambda known=known: len(planes.read.workers()) > len(known))  # type: ignore[misc]
            polls.wait_for(200, count=10)
    polls.check(may_be_cut_off=True)
    assert polls.statuses() <= {200, CUT_OFF}
    # One for each client and kill: what was accepted, or waiting in the worker, at that moment.
    assert [poll.status for poll in polls.seen].count(CUT_OFF) <= CLIENTS * KILLS
