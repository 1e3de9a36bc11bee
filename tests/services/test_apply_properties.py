"""Any fleet, told as documents, comes back by apply exactly as it was."""

import json
from random import Random
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.inputs import RESOURCES
from fleet.errors import NotFound
from fleet.history.change import change, head_number
from fleet.models.sections import SECTION_MODELS
from fleet.resources.reading import KEYS
from fleet.resources.showing import documents_of
from fleet.services.declared import fleet_apply
from tests.answers import answers_for_dns
from tests.services.fleets import export, small_fleet
from tests.undo.random_acts import SERVICES, RandomActs, perform

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

series = st.lists(st.sampled_from(SERVICES), min_size=2, max_size=12)


def told() -> dict[str, Any]:
    """As GET shows it; and what Flux gets of a frozen cluster, which GET leaves to Flux."""
    body = {
        KEYS[section]: documents_of(section, sorted(model.objects.values_list("pk", flat=True)))
        for section, model in SECTION_MODELS.items()
    }
    frozen = dict(models.FrozenAnswers.objects.values_list("pk", "answers"))
    for cluster in body["clusters"]:
        if cluster["id"] in frozen:
            cluster["frozen_answers"] = json.loads(frozen[cluster["id"]])
    return json.loads(json.dumps(body))


def polled() -> dict[str, bytes]:
    names = models.Cluster.objects.order_by("dns").values_list("dns", flat=True)
    return {f"{dns}/{resource}": body(dns, resource) for dns in names for resource in RESOURCES}


def body(dns: str, resource: str) -> bytes:
    try:
        return answers_for_dns(dns).body(resource)
    except NotFound:
        return b"404"


def wipe() -> None:
    with change() as opened:
        for model in reversed(models.TRACKED_MODELS):
            model.objects.all().delete()
        # A purge removes nothing from a cluster: no confirmation is needed.
    assert opened.revision


@settings(max_examples=15)
@given(services=series, random=st.randoms(use_true_random=False))
def test_any_fleet_comes_back_by_apply_and_clusters_get_the_same_bytes(
    services: list[str], random: Random
) -> None:
    with transaction.atomic():
        small_fleet()
        acts = RandomActs(random)
        for service in services:
            perform(acts.draw(service))
        body, bytes_before, seed_before, head = told(), polled(), export(), head_number()
        again = fleet_apply(documents=body, prune=True)
        assert (again.objects, head_number()) == ((), head)
        wipe()
        fleet_apply(documents=body, prune=True)
        assert polled() == bytes_before
        assert export() == seed_before
        transaction.set_rollback(True)
