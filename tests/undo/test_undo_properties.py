from functools import partial
from random import Random

import pytest
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.history.change import head_number
from fleet.services.undo import revision_revert
from tests.services.fleets import export
from tests.undo.random_acts import SERVICES, RandomActs, perform

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("fleet")]

series = st.lists(st.sampled_from(SERVICES), min_size=2, max_size=8)


@settings(max_examples=12)
@given(services=series, random=st.randoms(use_true_random=False))
def test_any_series_of_changes_reverted_from_last_to_first_gives_the_start(
    services: list[str], random: Random
):
    with transaction.atomic():
        first, before = head_number(), export()
        acts = RandomActs(random)
        for service in services:
            perform(acts.draw(service))
        for number in range(head_number(), first, -1):
            assert perform(partial(revision_revert, number=number)), number
        assert export() == before
        connection.check_constraints()
        transaction.set_rollback(True)
