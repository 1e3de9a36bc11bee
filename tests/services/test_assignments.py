from typing import Any

import pytest

from fleet import models
from fleet.history.change import change, head_number
from tests.assigning import (
    component_assign,
    component_unassign,
    namespace_assign,
    namespace_unassign,
    patches_drop,
    patches_set,
    patches_unset,
    rolebinding_assign,
    rolebinding_unassign,
)
from tests.services.fleets import cluster, nothing_changes, profile

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


@pytest.fixture(params=["cluster", "profile"])
def owner(request) -> models.Cluster | models.Profile:
    """One that assigns nothing yet of what these tests assign."""
    return cluster("three") if request.param == "cluster" else profile("labs")


def component_of(owner: Any, component: str = "extra") -> Any:
    return owner.components.get(component_id=component)


def values_of(owner: Any, component: str = "extra") -> dict[str, str]:
    return dict(
        owner.patches.filter(component_id=component, unset=False).values_list("key", "value")
    )


def unset_of(owner: Any, component: str = "extra") -> set[str]:
    return set(
        owner.patches.filter(component_id=component, unset=True).values_list("key", flat=True)
    )


def test_a_component_is_assigned(owner):
    component_assign(owner=owner, component="extra")
    row = component_of(owner)
    assert (row.enabled, row.oci_tag, row.component_path, row.component_version) == (
        None,
        "",
        "",
        "",
    )


def test_a_component_is_assigned_with_overrides(owner):
    component_assign(
        owner=owner,
        component="extra",
        enabled=False,
        oci_tag="v1",
        component_path="path",
        component_version="1",
    )
    row = component_of(owner)
    assert (row.enabled, row.oci_tag, row.component_path, row.component_version) == (
        False,
        "v1",
        "path",
        "1",
    )


def test_overrides_are_changed_one_by_one(owner):
    component_assign(owner=owner, component="extra", oci_tag="v1", enabled=True)
    component_assign(owner=owner, component="extra", oci_tag="v2")
    row = component_of(owner)
    assert (row.oci_tag, row.enabled) == ("v2", True)


def test_none_takes_an_override_back(owner):
    component_assign(owner=owner, component="extra", oci_tag="v1", enabled=True)
    component_assign(owner=owner, component="extra", oci_tag=None, enabled=None)
    row = component_of(owner)
    assert (row.oci_tag, row.enabled) == ("", None)


def test_a_component_is_unassigned(owner):
    component_assign(owner=owner, component="extra")
    component_unassign(owner=owner, component="extra")
    assert not owner.components.exists()


def test_a_namespace_is_assigned_and_unassigned(owner):
    namespace_assign(owner=owner, namespace="spare")
    assert owner.namespaces.filter(namespace_id="spare").exists()
    namespace_unassign(owner=owner, namespace="spare")
    assert not owner.namespaces.filter(namespace_id="spare").exists()


def test_a_rolebinding_is_assigned_and_unassigned(owner):
    rolebinding_assign(owner=owner, rolebinding="readers")
    assert owner.rolebindings.filter(rolebinding_id="readers").exists()
    rolebinding_unassign(owner=owner, rolebinding="readers")
    assert not owner.rolebindings.filter(rolebinding_id="readers").exists()


def test_values_are_set_and_text_is_typed(owner):
    patches_set(
        owner=owner,
        component="extra",
        patches={"a.b": "3", r"c\.d": "text", "e": [1, "2"], "f": "null"},
    )
    assert values_of(owner) == {"a.b": "3", r"c\.d": '"text"', "e": '[1,"2"]', "f": "null"}


def test_an_object_is_kept_as_its_leaves_which_are_exact(owner):
    patches_set(owner=owner, component="extra", patches={"a": {"b": "3", "c": {"d": {}}}})
    assert values_of(owner) == {"a.b": '"3"', "a.c.d": "{}"}


def test_values_of_other_keys_stay(owner):
    patches_set(owner=owner, component="extra", patches={"a": "1", "b": "2"})
    patches_set(owner=owner, component="extra", patches={"a": "9"})
    assert values_of(owner) == {"a": "9", "b": "2"}


def test_a_value_is_dropped(owner):
    patches_set(owner=owner, component="extra", patches={"a": "1", "b": "2"})
    patches_drop(owner=owner, component="extra", keys=["a"])
    assert values_of(owner) == {"b": "2"}


def test_a_key_is_unset_instead_of_its_value(owner):
    patches_set(owner=owner, component="extra", patches={"a": "1"})
    patches_unset(owner=owner, component="extra", keys=["a", "b.c"])
    assert (values_of(owner), unset_of(owner)) == ({}, {"a", "b.c"})


def test_an_unset_mark_is_dropped(owner):
    patches_unset(owner=owner, component="extra", keys=["a"])
    patches_drop(owner=owner, component="extra", keys=["a"])
    assert unset_of(owner) == set()


def test_a_value_is_set_instead_of_an_unset_mark(owner):
    patches_unset(owner=owner, component="extra", keys=["a"])
    patches_set(owner=owner, component="extra", patches={"a": "1"})
    assert (values_of(owner), unset_of(owner)) == ({"a": "1"}, set())


def test_a_key_may_be_spelled_with_needless_escapes(owner):
    patches_set(owner=owner, component="extra", patches={r"\a.b": "1"})
    patches_drop(owner=owner, component="extra", keys=["a.b"])
    assert values_of(owner) == {}


def test_several_values_are_one_revision(owner):
    before = head_number()
    patches_set(owner=owner, component="extra", patches={"a": "1", "b": "2", "c": "3"})
    assert head_number() == before + 1


def test_doing_it_again_changes_nothing(owner):
    with change():
        component_assign(owner=owner, component="extra", oci_tag="v1")
        namespace_assign(owner=owner, namespace="spare")
        rolebinding_assign(owner=owner, rolebinding="readers")
        patches_set(owner=owner, component="extra", patches={"a": "1"})
        patches_unset(owner=owner, component="extra", keys=["b"])
    with nothing_changes():
        component_assign(owner=owner, component="extra", oci_tag="v1")
        namespace_assign(owner=owner, namespace="spare")
        rolebinding_assign(owner=owner, rolebinding="readers")
        patches_set(owner=owner, component="extra", patches={"a": 1})
        patches_unset(owner=owner, component="extra", keys=["b"])
