import json
from collections import Counter
from functools import partial
from random import Random

import pytest
from django.conf import settings

from fleet.history.change import head_number
from fleet.services.seeds import seed_import
from fleet.services.undo import revision_revert
from tests.services.fleets import export
from tests.undo.random_acts import SERVICES, RandomActs, perform

pytestmark = pytest.mark.slow

CHANGES = 50


def make_changes() -> Counter[str]:
    """Fifty revisions, in rounds of every service; how many each of them made."""
    random = Random(11)
    acts, made = RandomActs(random), Counter[str]()
    while made.total() < CHANGES:
        for service in random.sample(SERVICES, len(SERVICES)):
            if made.total() < CHANGES and perform(acts.draw(service)):
                made[service] += 1
    return made


def revert_down_to(first: int) -> None:
    """From the newest to the oldest, without those that this makes."""
    for number in range(head_number(), first, -1):
        assert perform(partial(revision_revert, number=number)), number


@pytest.mark.django_db
def test_fifty_mixed_changes_reverted_and_reverted_again():
    seed_import(documents=json.loads(settings.DEMO_FILE.read_text()))
    first, before = head_number(), export()
    made = make_changes()
    assert set(made) == set(SERVICES)
    last, after = head_number(), export()
    assert last == first + CHANGES
    revert_down_to(first)
    assert export() == before
    assert head_number() == last + CHANGES
    revert_down_to(last)
    assert export() == after
