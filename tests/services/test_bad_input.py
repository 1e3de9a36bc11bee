"""Each way in, each mistake, the exact error, and that nothing changed."""

from typing import Any

import pytest

from fleet.errors import Conflict, FleetError, Invalid, NotFound
from fleet.services.clusters import (
    cluster_decommission,
    cluster_freeze,
    cluster_purge,
    cluster_recommission,
    cluster_unfreeze,
)
from fleet.services.objects import clusters_patch, object_patch
from fleet.services.seeds import seed_import
from fleet.services.undo import cluster_restore, revision_revert
from tests.services.fleets import for_module, nothing_changes, small_fleet
from tests.undo.acts import NEW_CLUSTER, Act, create, delete, update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prepared")]

NUL, HALF = "a\x00b", "a\ud800"
A_NAME = (
    "must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, with a letter or "
    "digit at both ends"
)
A_DNS_NAME = (
    "must be a DNS name: lower case labels of letters, digits and hyphens, separated by dots"
)
TOO_LONG = "has 64 characters; at most 63 are allowed"
NO_CHARACTER = "has a character that no name can have"
STATE = "changes by freeze, unfreeze, decommission and recommission"
HAS_NUL, HAS_HALF = "contains a NUL character", "contains half of a Unicode surrogate pair"
KEEP_ONE = "which has a value of its own; keep one of the two"


def new_cluster(**fields: Any) -> Act:
    return create("clusters", **(NEW_CLUSTER | fields))


def one(**document: Any) -> Act:
    return update("clusters", "one", **document)


def imported(section: str, *documents: Any) -> Act:
    return lambda: seed_import(documents={section: [*documents]})


# What was asked, and either the message or, where a field is to blame, the details.
UNKNOWN: dict[str, tuple[Act, type[FleetError], Any]] = {
    "revert of an unknown revision": (
        lambda: revision_revert(number=999),
        NotFound,
        "There is no revision 999.",
    ),
    "revert of revision 0": (
        lambda: revision_revert(number=0),
        NotFound,
        "There is no revision 0.",
    ),
    "revert of a number beyond any database": (
        lambda: revision_revert(number=2**80),
        NotFound,
        f"There is no revision {2**80}.",
    ),
    "revert of what was reverted already": (
        lambda: revision_revert(number=7),
        Conflict,
        "Revision 7 was reverted by revision 8 already.",
    ),
    "restore to an unknown revision": (
        lambda: cluster_restore(cluster="one", number=999),
        NotFound,
        "There is no revision 999.",
    ),
    "restore to before the cluster existed": (
        lambda: cluster_restore(cluster="one", number=1),
        NotFound,
        "There was no cluster 'one' at revision 1.",
    ),
    "restore of an unknown cluster": (
        lambda: cluster_restore(cluster="nobody", number=2),
        NotFound,
        "There was no cluster 'nobody' at revision 2.",
    ),
    "restore of a name with NUL": (
        lambda: cluster_restore(cluster=NUL, number=1),
        NotFound,
        "There was no cluster 'a\\x00b' at revision 1.",
    ),
    "update of an unknown component": (
        update("platform_components", "wep", component_version="1"),
        NotFound,
        "There is no component 'wep' (did you mean web?).",
    ),
    "update of a name with half a character": (
        update("namespaces", HALF, labels={}),
        NotFound,
        "There is no namespace 'a\\ud800'.",
    ),
    "deletion of an unknown profile": (
        delete("profiles", "golden"),
        NotFound,
        "There is no profile 'golden' (did you mean gold?).",
    ),
    "freeze of an unknown cluster": (
        lambda: cluster_freeze(cluster="nobody"),
        NotFound,
        "There is no cluster 'nobody'.",
    ),
    "freeze of a name with NUL": (
        lambda: cluster_freeze(cluster=NUL),
        NotFound,
        "There is no cluster 'a\\x00b'.",
    ),
}
STATES: dict[str, tuple[Act, type[FleetError], Any]] = {
    "freezing twice": (
        lambda: cluster_freeze(cluster="frozen"),
        Conflict,
        "frozen is frozen; only an active cluster can be frozen.",
    ),
    "freezing a decommissioned cluster": (
        lambda: cluster_freeze(cluster="leaving"),
        Conflict,
        "leaving is decommissioned; only an active cluster can be frozen.",
    ),
    "unfreezing an active cluster": (
        lambda: cluster_unfreeze(cluster="one"),
        Conflict,
        "one is active; only a frozen cluster can be unfrozen.",
    ),
    "decommissioning twice": (
        lambda: cluster_decommission(cluster="leaving"),
        Conflict,
        "leaving is decommissioned already.",
    ),
    "recommissioning an active cluster": (
        lambda: cluster_recommission(cluster="one"),
        Conflict,
        "one is active; only a decommissioned cluster can be recommissioned.",
    ),
    "purging an active cluster": (
        lambda: cluster_purge(cluster="one"),
        Conflict,
        "one is active; only a decommissioned or waiting cluster can be purged.",
    ),
    "purging a frozen cluster": (
        lambda: cluster_purge(cluster="frozen"),
        Conflict,
        "frozen is frozen; only a decommissioned or waiting cluster can be purged.",
    ),
    "deleting a cluster": (
        delete("clusters", "one"),
        Conflict,
        "A cluster is decommissioned first, and then purged.",
    ),
    "creating a frozen cluster": (new_cluster(state="frozen"), Invalid, {"state": [STATE]}),
    "updating the state": (one(state="decommissioned"), Invalid, {"state": [STATE]}),
    "an unknown state": (
        one(state="asleep"),
        Invalid,
        {"state": ["'asleep' must be one of: waiting, active, frozen, decommissioned"]},
    ),
    "frozen answers of an active cluster": (
        one(state="active", frozen_answers={}),
        Invalid,
        {
            "frozen_answers": [
                "belong to a cluster whose state is frozen",
                "must be an object with cluster, platform-components, namespaces, rolebindings",
            ]
        },
    ),
    "other frozen answers": (
        update(
            "clusters",
            "frozen",
            state="frozen",
            frozen_answers={
                "cluster": {"name": "frozen", "dns": "frozen.example.com", "environment": "dev"},
                "platform-components": [],
                "namespaces": [],
                "rolebindings": [],
            },
        ),
        Invalid,
        {"frozen_answers": ["stay as they were when the cluster was frozen"]},
    ),
}
NAMES: dict[str, tuple[Act, type[FleetError], Any]] = {
    "an id that is taken": (
        create("namespaces", id="apps"),
        Conflict,
        {"id": ["'apps' exists already"]},
    ),
    "no id": (create("namespaces"), Invalid, {"id": ["is required, and must be text"]}),
    "an id that is a number": (
        create("namespaces", id=5),
        Invalid,
        {"id": ["is required, and must be text"]},
    ),
    "an id that is no name": (
        create("namespaces", id="My_Apps"),
        Invalid,
        {"id": [f"'My_Apps' {A_NAME}"]},
    ),
    "an id that is too long": (
        create("namespaces", id="a" * 64),
        Invalid,
        {"id": [f"'{'a' * 56}… {A_NAME}", TOO_LONG]},
    ),
    "an id with NUL": (create("namespaces", id=NUL), Invalid, {"id": [NO_CHARACTER]}),
    "an id with half a character": (
        create("namespaces", id=HALF),
        Invalid,
        {"id": [NO_CHARACTER]},
    ),
    "an imported id with NUL": (
        imported("namespaces", {"id": NUL}),
        Invalid,
        {f"namespaces[{NUL}].id": [f"{NUL!r} {A_NAME}"]},
    ),
    "an id that differs from the address": (
        one(id="two"),
        Invalid,
        {"id": ["is 'two', but the address says 'one'"]},
    ),
    "a DNS name that is taken": (
        new_cluster(cluster_dns="two.example.com"),
        Conflict,
        {"cluster_dns": ["'two.example.com' is the DNS name of cluster two already"]},
    ),
    "a DNS name that is taken, in other letters": (
        one(cluster_dns="TWO.Example.com"),
        Conflict,
        {"cluster_dns": ["'two.example.com' is the DNS name of cluster two already"]},
    ),
    "a DNS name that is given twice": (
        imported(
            "clusters", NEW_CLUSTER, NEW_CLUSTER | {"id": "newer", "cluster_dns": "NEW.example.com"}
        ),
        Invalid,
        {
            "clusters[newer].cluster_dns": [
                "'NEW.example.com' is the DNS name of cluster new already"
            ]
        },
    ),
    "a bad DNS name": (
        one(cluster_dns="a..b"),
        Invalid,
        {"cluster_dns": [f"'a..b' {A_DNS_NAME}"]},
    ),
    "a DNS name with NUL": (
        one(cluster_dns=NUL),
        Invalid,
        {"cluster_dns": [f"{NUL!r} {A_DNS_NAME}"]},
    ),
    "a DNS name with half a character": (
        one(cluster_dns=HALF),
        Invalid,
        {"cluster_dns": [f"{HALF!r} {A_DNS_NAME}"]},
    ),
    "a field with NUL": (one(vm_image=NUL), Invalid, {"vm_image": [HAS_NUL]}),
    "a field with half a character": (one(vm_image=HALF), Invalid, {"vm_image": [HAS_HALF]}),
    "an annotation with NUL": (
        update("namespaces", "apps", annotations={"a": NUL}),
        Invalid,
        {"annotations": [HAS_NUL]},
    ),
}
FIELDS: dict[str, tuple[Act, type[FleetError], Any]] = {
    "all that a cluster needs": (
        create("clusters", id="empty"),
        Invalid,
        {
            "cluster_name": ["is required"],
            "cluster_dns": ["is required"],
            "environment": ["is required"],
        },
    ),
    "an unknown field": (
        one(node_cuont=3),
        Invalid,
        {"node_cuont": ["is not a field here (did you mean node_count?)"]},
    ),
    "an unknown field of an assignment": (
        one(platform_components=[{"id": "web", "version": "1"}]),
        Invalid,
        {
            "platform_components[0].version": [
                "is not a field here (allowed: _id, component_path, component_version, enabled, "
                "enabled_inherited, id, oci_tag)"
            ]
        },
    ),
    "text for a number": (
        one(node_count="3"),
        Invalid,
        {"node_count": ["must be a whole number, not '3'"]},
    ),
    "true for a number": (
        one(node_count=True),
        Invalid,
        {"node_count": ["must be a whole number, not true"]},
    ),
    "a negative number": (
        one(node_count=-1),
        Invalid,
        {"node_count": ["-1 must be at least 0"]},
    ),
    "a number for text": (one(vm_image=5), Invalid, {"vm_image": ["must be text, not 5"]}),
    "a number for true or false": (
        one(platform_components=[{"id": "web", "enabled": 1}]),
        Invalid,
        {"platform_components[0].enabled": ["must be true or false, not 1"]},
    ),
    "a list for labels": (one(labels=[]), Invalid, {"labels": ["must be an object, not a list"]}),
    "a number in labels": (
        one(labels={"a": 1}),
        Invalid,
        {"labels": ["a: must be text, in quotes"]},
    ),
    "an object for a list": (
        one(namespaces={"apps": {}}),
        Invalid,
        {"namespaces": ["must be a list, not an object"]},
    ),
    "a document that is a list": (
        imported("namespaces", ["apps"]),
        Invalid,
        {"namespaces[0].id": ["is required, and must be text"]},
    ),
    "a patch that is a list": (
        lambda: object_patch(section="clusters", id="one", patch=[]),  # type: ignore[arg-type]
        Invalid,
        {"body": ["must be an object of fields to change"]},
    ),
    "the same DNS name for many clusters": (
        lambda: clusters_patch(ids=["one", "two"], patch={"cluster_dns": "x.example.com"}),
        Invalid,
        {"cluster_dns": ["cannot be the same for many clusters"]},
    ),
    "a weight beyond reason": (
        update("profiles", "gold", weight=10**9),
        Invalid,
        {"weight": ["1000000000 must be at most 1000000"]},
    ),
    "an override with NUL": (
        one(platform_components=[{"id": "web", "oci_tag": NUL}]),
        Invalid,
        {"platform_components[0].oci_tag": [HAS_NUL]},
    ),
}
REFERENCES: dict[str, tuple[Act, type[FleetError], Any]] = {
    "an unknown environment": (
        one(environment="prd"),
        Invalid,
        {"environment": ["there is no environment 'prd' (did you mean prod?)"]},
    ),
    "an unknown component": (
        one(platform_components=["wbe"]),
        Invalid,
        {"platform_components[0].id": ["there is no component 'wbe' (did you mean web?)"]},
    ),
    "an unknown component in patches": (
        one(patches={"wbe": {"a": "1"}}),
        Invalid,
        {"patches.wbe": ["there is no component 'wbe' (did you mean web?)"]},
    ),
    "an unknown dependency": (
        update("platform_components", "web", depends_on=["bsae"]),
        Invalid,
        {"depends_on[0].id": ["there is no component 'bsae' (did you mean base?)"]},
    ),
    "an unknown cluster on a list": (
        update("profiles", "picked", clusters=["tow"]),
        Invalid,
        {"clusters[0].id": ["there is no cluster 'tow' (did you mean two?)"]},
    ),
    "a namespace that is listed twice": (
        one(namespaces=["apps", "apps"]),
        Invalid,
        {"namespaces[1].id": ["'apps' is in the list twice"]},
    ),
    "an unknown namespace": (
        one(namespaces=["aps"]),
        Invalid,
        {"namespaces[0].id": ["there is no namespace 'aps' (did you mean apps?)"]},
    ),
    "an unknown rolebinding": (
        one(rolebindings=["reader"]),
        Invalid,
        {"rolebindings[0].id": ["there is no rolebinding 'reader' (did you mean readers?)"]},
    ),
}
VALUES: dict[str, tuple[Act, type[FleetError], Any]] = {
    "an empty key": (
        one(patches={"web": {"": 1}}),
        Invalid,
        {"patches.web.": ["must not be empty"]},
    ),
    "a key with an empty part": (
        one(patches={"web": {"a..b": "1"}}),
        Invalid,
        {"patches.web.a..b": ["has an empty part between its dots"]},
    ),
    "a key of an item of a list": (
        one(unset={"web": ["a[0]"]}),
        Invalid,
        {
            "unset.web[0]": [
                r"sets one item of a list; lists are replaced whole (write \[ for a real bracket)"
            ]
        },
    ),
    "keys that lead through one another": (
        one(patches={"web": {"a": "1", "a.b": "2"}}),
        Invalid,
        {"patches.web.a.b": [f"leads through a, {KEEP_ONE}"]},
    ),
    "a value and unset for one key": (
        one(patches={"web": {"a": "1"}}, unset={"web": ["a"]}),
        Invalid,
        {"unset.web": ["a has a value too; keep one of the two"]},
    ),
    "two values for one key": (
        one(patches={"web": {"a": "1"}}, values={"web": {"a": 2}}),
        Invalid,
        {"patches.web.a": ["says another thing than values does of this key"]},
    ),
    "a value with NUL": (one(patches={"web": {"a": NUL}}), Invalid, {"patches.web.a": [HAS_NUL]}),
    "a value with half a character": (
        one(values={"web": {"a": {"b": HALF}}}),
        Invalid,
        {"values.web.a.b": [HAS_HALF]},
    ),
    "a value that is no number": (
        one(values={"web": {"a": float("nan")}}),
        Invalid,
        {"values.web.a": ["is not a finite number"]},
    ),
    "a number beyond 53 bits": (
        one(patches={"web": {"a": 2**64}}),
        Invalid,
        {"patches.web.a": ["is a whole number that Flux would round; write it as text in quotes"]},
    ),
    "a text of patches that is a list": (
        one(patches={"web": ["a"]}),
        Invalid,
        {"patches.web": ["must be an object, not a list"]},
    ),
    "unset that is text": (
        one(unset={"web": "a"}),
        Invalid,
        {"unset.web": ["must be a list of keys, not 'a'"]},
    ),
    "a schema that is none": (
        update("platform_components", "web", values_schema={"type": "objekt"}),
        Invalid,
        {
            "values_schema": [
                "is not a JSON Schema: 'objekt' is not valid under any of the given schemas"
            ]
        },
    ),
    "a component that depends on itself": (
        update("platform_components", "web", depends_on=["web"]),
        Invalid,
        {"depends_on": ["forms a cycle: web → web"]},
    ),
    "an unknown section": (
        imported("cluster", {}),
        Invalid,
        {"cluster": ["is not a section (did you mean clusters?)"]},
    ),
}
BAD_INPUT = UNKNOWN | STATES | NAMES | FIELDS | REFERENCES | VALUES
CODES = {NotFound: "not_found", Conflict: "conflict", Invalid: "validation_error"}


def prepare() -> None:
    """The small fleet, a frozen and a decommissioned cluster, and a revision that was reverted."""
    small_fleet()
    for cluster_id, act in (("frozen", cluster_freeze), ("leaving", cluster_decommission)):
        document = {"cluster_name": cluster_id, "cluster_dns": f"{cluster_id}.test"}
        create("clusters", id=cluster_id, environment="dev", **document)()
        act(cluster=cluster_id)
    update("namespaces", "apps", labels={})()
    revision_revert(number=7)


prepared = for_module(prepare)


@pytest.mark.parametrize(("act", "error", "expected"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_a_clear_error_and_changes_nothing(act, error, expected):
    with nothing_changes(), pytest.raises(FleetError) as refusal:
        act()
    assert type(refusal.value) is error
    assert refusal.value.code == CODES[error]
    told = refusal.value.message if isinstance(expected, str) else refusal.value.details
    assert told == expected


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(Invalid) as refusal:
        one(environment="nowhere", node_count="3", namespaces=["apps", "none"], bogus=1)()
    assert set(refusal.value.details) == {
        "environment",
        "node_count",
        "namespaces[1].id",
        "bogus",
    }
