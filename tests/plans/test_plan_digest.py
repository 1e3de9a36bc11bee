from functools import partial

import pytest

from fleet.services.clusters import cluster_decommission, cluster_purge
from fleet.services.objects import object_update
from tests.assigning import component_assign
from tests.factories import make_cluster
from tests.plans.effects import plan_of
from tests.undo.acts import Act, of_cluster, update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def set_version(version: str, component: str = "base") -> Act:
    return update("platform_components", component, component_version=version)


def test_the_same_plan_has_the_same_digest():
    assert plan_of(set_version("1.1.0")).digest == plan_of(set_version("1.1.0")).digest


OTHER_EFFECTS: dict[str, Act] = {
    "another value": set_version("1.1.1"),
    "another object": set_version("1.1.0", "web"),
    "one cluster": of_cluster(component_assign, "one", component="base", component_version="1.1.0"),
    "nothing": set_version("1.0.0"),
}


@pytest.mark.parametrize("act", OTHER_EFFECTS.values(), ids=OTHER_EFFECTS)
def test_another_effect_has_another_digest(act):
    assert plan_of(act).digest != plan_of(set_version("1.1.0")).digest


def test_another_purge_has_another_digest():
    for item in ("two", "three"):
        cluster_decommission(cluster=item)
    acts = [partial(cluster_purge, cluster=item) for item in ("two", "three")]
    digests = {plan_of(act).digest for act in acts}
    assert len(digests) == 2


def test_the_digest_changes_when_the_fleet_changes_in_a_way_that_matters():
    before = plan_of(set_version("1.1.0")).digest
    make_cluster(id="more")
    assert plan_of(set_version("1.1.0")).digest != before


def test_the_digest_stays_when_something_else_changes():
    before = plan_of(set_version("1.1.0")).digest
    object_update(section="namespaces", id="logs", document={"labels": {"a": "b"}})
    object_update(section="clusters", id="one", document={"node_count": 3})
    assert plan_of(set_version("1.1.0")).digest == before
