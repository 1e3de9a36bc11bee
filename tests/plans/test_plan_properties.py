from random import Random

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.errors import FleetError
from fleet.history.change import change
from fleet.plans.plan import Plan
from tests.plans.effects import all_inputs, foretold, plan_of, without_new_blocks
from tests.undo.random_acts import SERVICES, Act, RandomActs

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("fleet")]

series = st.lists(st.sampled_from(SERVICES), min_size=2, max_size=6)


def run(act: Act) -> Plan | None:
    """What really happens, as the change itself has it; None where it is refused."""
    try:
        with change() as opened:
            act()
    except FleetError:
        return None
    return opened.plan


@settings(max_examples=12)
@given(services=series, random=st.randoms(use_true_random=False))
def test_a_plan_tells_the_whole_effect_of_any_change_and_nothing_else(
    services: list[str], random: Random
):
    with transaction.atomic():
        acts, after = RandomActs(random), all_inputs()
        for service in services:
            act, before = acts.draw(service), after
            try:
                plan = plan_of(act)
            except FleetError:
                continue
            assert run(act) == plan
            after = all_inputs()
            told = {cluster: inputs for cluster, inputs in foretold(before, plan).items() if inputs}
            assert told == without_new_blocks(after, plan)
        transaction.set_rollback(True)
