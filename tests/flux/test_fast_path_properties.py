"""For any fleet and any series of changes, the fast path gives what the slow path gives."""

from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.inputs import RESOURCES
from fleet.services import tokens
from tests.flux.fast import READ, Fast
from tests.services.fleets import small_fleet
from tests.undo.random_acts import SERVICES, RandomActs, perform

pytestmark = pytest.mark.django_db

TOKEN_ACTS = ("issue", "rotate", "revoke")
series = st.lists(st.sampled_from([*SERVICES, *TOKEN_ACTS * 3]), min_size=2, max_size=15)


class Both:
    """Every address that ever was, asked with every secret that ever was."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.fast = Fast()
        self.names: set[str] = set()
        self.secrets = [READ]

    def compare(self, random: Random) -> None:
        self.names.update(models.Cluster.objects.values_list("dns", flat=True))
        for dns in sorted(self.names):
            for resource in RESOURCES:
                self.poll(f"clusters/{dns}/{resource}", READ)
            secret = random.choice(self.secrets)
            self.poll(f"clusters/{dns}/{random.choice(RESOURCES)}", secret)

    def poll(self, path: str, secret: str) -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        slow = self.client.get(f"/api/v2/flux/{path}", headers=headers)
        fast = self.fast.poll(path, secret)
        if fast is None:
            assert slow.status_code in {401, 403, 404}
            return
        expected = (slow.status_code, slow.content, *(slow.headers[name] for name in NAMES))
        assert (fast.status, fast.body, *(fast.headers[name] for name in NAMES)) == expected

    def token_act(self, act: str, random: Random) -> None:
        token_id = f"token-{random.randint(0, 2)}"
        cluster = models.Cluster.objects.order_by("?").values_list("pk", flat=True).first()
        if act == "issue" and cluster:
            perform(
                lambda: self.secrets.append(
                    tokens.token_issue(id=token_id, kind="cluster", cluster=cluster).secret
                )
            )
        elif act == "rotate":
            perform(lambda: self.secrets.append(tokens.token_rotate(id=token_id).secret))
        elif act == "revoke":
            perform(lambda: tokens.token_revoke(id=token_id))


NAMES = ("etag", "x-fleet-revision", "content-length")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=series, random=st.randoms(use_true_random=False))
def test_both_paths_agree(acts: list[str], random: Random, client: Client) -> None:
    with transaction.atomic():
        small_fleet()
        both: Any = Both(client)
        drawn = RandomActs(random)
        both.compare(random)
        for act in acts:
            if act in TOKEN_ACTS:
                both.token_act(act, random)
            else:
                perform(drawn.draw(act))
            both.compare(random)
        transaction.set_rollback(True)
