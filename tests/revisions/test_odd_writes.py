"""Writes that a history by key and by Python's `==` would miss."""

import contextvars
import threading
from typing import Any

import pytest
from django.db import connection
from django.db.models import Value
from django.db.models.functions import Lower

from fleet.history.change import change, head_number
from fleet.history.time_travel import changes_of
from fleet.models import ClusterComponent, Component, Environment, FrozenAnswers
from tests.factories import make_cluster, make_component
from tests.revisions.recording import newest_history, one_more_revision, refused, row_of
from tests.revisions.samples import saved

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_a_name_given_as_a_number_is_recorded() -> None:
    with one_more_revision():
        Environment(id=2024).save()
    assert newest_history(Environment, "2024") == [("+", *row_of(Environment, "2024"))]


def test_a_name_given_as_a_number_is_recorded_in_bulk() -> None:
    with one_more_revision():
        Environment.objects.bulk_create([Environment(id=2024)])
    assert newest_history(Environment, "2024") == [("+", *row_of(Environment, "2024"))]


def inserted(**fields: Any) -> dict[str, Any]:
    blank = {"enabled": None, "oci_tag": "", "component_path": "", "component_version": ""}
    return {
        "cluster_id": make_cluster().pk,
        "component_id": make_component().pk,
        **blank,
        **fields,
    }


def test_rows_that_are_inserted_as_they_are_are_recorded() -> None:
    with change() as opened:
        rows = [inserted(), inserted(enabled=False, oci_tag="v1")]
        ClusterComponent.objects.insert_rows(rows)
    assert opened.revision is not None
    found = ClusterComponent.objects.filter(cluster_id__in=[row["cluster_id"] for row in rows])
    assert list(found.order_by("pk").values(*rows[0])) == rows
    for row in found:
        assert newest_history(ClusterComponent, row.pk) == [
            ("+", *row_of(ClusterComponent, row.pk))
        ]


def test_a_row_without_all_its_fields_is_not_inserted() -> None:
    row = inserted()
    del row["enabled"]
    with refused(ClusterComponent, KeyError):
        ClusterComponent.objects.insert_rows([row])


def test_a_key_given_as_text_is_recorded() -> None:
    row = saved(ClusterComponent)
    with one_more_revision():
        ClusterComponent(
            id=str(row.pk), cluster=row.cluster, component=row.component, enabled=True
        ).save()
    assert newest_history(ClusterComponent, row.pk) == [("~", *row_of(ClusterComponent, row.pk))]


def test_deleting_by_a_key_given_as_text_is_recorded() -> None:
    row = saved(ClusterComponent)
    values = row_of(ClusterComponent, row.pk)
    with one_more_revision():
        ClusterComponent(id=str(row.pk)).delete()
    assert newest_history(ClusterComponent, row.pk) == [("-", *values)]


@pytest.mark.parametrize("bulk", [False, True])
def test_a_key_computed_by_the_database_is_refused(bulk: bool) -> None:
    tier = Environment(id=Lower(Value("TIER")))
    with refused(Environment):
        if bulk:
            Environment.objects.bulk_create([tier])
        else:
            tier.save()


def test_ignoring_conflicts_by_position_is_refused() -> None:
    with refused(Environment):
        Environment.objects.bulk_create([Environment(id="extra")], None, True)


@pytest.mark.usefixtures("only_history")
@pytest.mark.parametrize("name", ["cluster", "cluster_id"])
def test_changing_a_key_that_is_a_reference_is_refused(name: str) -> None:
    frozen, other = saved(FrozenAnswers), make_cluster()
    with refused(FrozenAnswers):
        FrozenAnswers.objects.filter(pk=frozen.pk).update(**{name: other.pk})


@pytest.mark.parametrize(
    ("old", "new"), [({"const": 1}, {"const": True}), ({"const": 1}, {"const": 1.0})]
)
def test_json_that_python_takes_for_equal_is_recorded(old: Any, new: Any) -> None:
    component = make_component(values_schema=old)
    with one_more_revision():
        Component.objects.filter(pk=component.pk).update(values_schema=new)
    [row_change] = changes_of(head_number())
    assert repr(row_change.fields()) == repr([("values_schema", old, new)])


def test_json_in_another_order_is_the_same() -> None:
    component = make_component(values_schema={"type": "object", "minProperties": 1})
    before = head_number()
    Component.objects.filter(pk=component.pk).update(
        values_schema={"minProperties": 1, "type": "object"}
    )
    assert head_number() == before


def test_rows_written_in_several_batches_make_one_revision() -> None:
    tiers = [saved(Environment), saved(Environment)]
    for tier in tiers:
        tier.rank = 99
    with one_more_revision():
        Environment.objects.bulk_update(tiers, ["rank"], batch_size=1)


@pytest.mark.django_db(transaction=True)
def test_a_thread_with_a_copied_context_makes_a_change_of_its_own() -> None:
    def write() -> None:
        Environment.objects.create(id="other-thread")
        connection.close()

    def start(context: contextvars.Context) -> threading.Thread:
        thread = threading.Thread(target=context.run, args=(write,))
        thread.start()
        thread.join(0.3)
        return thread

    with change(dry_run=True):
        thread = start(contextvars.copy_context())
    thread.join()
    assert newest_history(Environment, "other-thread") == [
        ("+", *row_of(Environment, "other-thread"))
    ]
