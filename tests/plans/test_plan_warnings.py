import pytest

from fleet.plans.plan import Plan
from fleet.services.clusters import cluster_freeze
from fleet.services.objects import object_update
from tests.assigning import component_assign, patches_set
from tests.factories import make_component
from tests.plans.effects import plan_of
from tests.undo.acts import Act, of_cluster, of_profile, update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def set_version(version: str, component: str = "base") -> Act:
    return update("platform_components", component, component_version=version)


def warnings(plan: Plan) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(item.code, item.message, item.clusters) for item in plan.warnings]


def test_a_warning_of_a_dependency_that_is_missing():
    web = make_component(id="portal", depends_on=["extra"])
    act = of_cluster(component_assign, "three", component=web.id)
    message = "portal depends on extra, which is missing"
    assert warnings(plan_of(act)) == [("dependency", message, ("three",))]


def test_a_warning_of_a_dependency_that_is_disabled():
    act = of_profile(component_assign, "everywhere", component="base", enabled=False)
    message = "web depends on base, which is disabled"
    assert warnings(plan_of(act)) == [("dependency", message, ("one", "two"))]


def test_a_warning_of_a_dependency_that_is_taken_away():
    act = update("profiles", "everywhere", platform_components=[])
    message = "web depends on base, which is missing"
    assert warnings(plan_of(act)) == [("dependency", message, ("one", "two"))]


def test_no_warning_of_a_dependency_of_what_is_disabled_itself():
    act = update("clusters", "two", platform_components=[{"id": "web", "enabled": False}])
    assert warnings(plan_of(act)) == []


def test_a_warning_of_an_answer_that_is_near_the_limit():
    act = of_cluster(patches_set, "one", component="web", patches={"text": "x" * 430_000})
    message = "platform-components is near the limit of what Flux takes"
    assert warnings(plan_of(act)) == [("near_limit", message, ("one",))]


def test_a_warning_of_a_frozen_cluster_that_will_not_follow():
    cluster_freeze(cluster="one")
    message = "is frozen and will not follow this change"
    assert warnings(plan_of(set_version("1.1.0"))) == [("frozen", message, ("one",))]


def test_no_warning_of_a_frozen_cluster_that_a_change_does_not_concern():
    cluster_freeze(cluster="three")
    assert warnings(plan_of(set_version("2.0.1", "web"))) == []


def test_a_warning_of_a_version_that_pins_nothing():
    message = "base has version “latest”, which pins nothing"
    expected = [("latest", message, ("one", "three", "two"))]
    assert warnings(plan_of(set_version("latest"))) == expected


def test_a_warning_of_a_tag_that_pins_nothing():
    act = update("platform_components", "agent", oci_tag="latest")
    message = "agent has version “latest”, which pins nothing"
    assert warnings(plan_of(act)) == [("latest", message, ("one",))]


def test_a_warning_of_a_new_input_without_a_pinned_version():
    make_component(id="loose", component_version="latest")
    act = of_cluster(component_assign, "three", component="loose")
    message = "loose has version “latest”, which pins nothing"
    assert warnings(plan_of(act)) == [("latest", message, ("three",))]


def test_no_new_warning_of_a_version_that_was_not_pinned_before():
    object_update(
        section="platform_components", id="base", document={"component_version": "latest"}
    )
    act = of_cluster(patches_set, "one", component="base", patches={"a": "1"})
    assert warnings(plan_of(act)) == []
