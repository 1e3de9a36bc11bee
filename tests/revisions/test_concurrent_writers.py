from itertools import chain

import pytest

from fleet.history.change import change, head_number
from fleet.models import Cluster, Revision
from tests.factories import make_cluster
from tests.revisions.threads import results

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

WRITERS, ROUNDS = 8, 15
WRITES = WRITERS * ROUNDS


def test_changes_follow_one_another() -> None:
    """Numbers have no gap, times follow them, and each change sees what the one before it wrote."""
    cluster = make_cluster(node_count=0)
    first = head_number() + 1

    def count_up(writer: int) -> list[int]:
        numbers = []
        for _ in range(ROUNDS):
            with change() as opened:
                row = Cluster.objects.get(pk=cluster.pk)
                row.node_count += 1
                row.save()
            assert opened.revision is not None
            numbers.append(opened.revision.number)
        return numbers

    taken = results(count_up, WRITERS)

    assert sorted(chain.from_iterable(taken)) == list(range(first, first + WRITES))
    assert all(numbers == sorted(numbers) for numbers in taken)
    log = Revision.objects.order_by("number").values_list("number", "created_at")
    assert [number for number, _ in log] == list(range(1, head_number() + 1))
    assert [time for _, time in log] == sorted(time for _, time in log)
    history = cluster.history.order_by("revision_id").values_list("revision_id", "node_count")
    counted = [(first + step, step + 1) for step in range(WRITES)]
    assert list(history) == [(first - 1, 0), *counted]
    assert Cluster.objects.get(pk=cluster.pk).node_count == WRITES


def test_writes_outside_a_change_follow_one_another_too() -> None:
    """They lock in the same order as changes do, so none is a victim of a deadlock."""
    cluster = make_cluster()
    first = head_number() + 1

    def write(writer: int) -> None:
        own = Cluster.objects.filter(pk=cluster.pk)
        for step in range(ROUNDS):
            value = f"{writer}/{step}"
            if writer % 4 == 0:
                own.update(vm_image=value)
            elif writer % 4 == 1:
                Cluster.objects.update_or_create(pk=cluster.pk, defaults={"vm_image": value})
            elif writer % 4 == 2:
                row = own.get()
                row.vm_image = value
                Cluster.objects.bulk_update([row], ["vm_image"])
            else:
                with change():
                    own.update(vm_image=value)

    results(write, WRITERS)

    history = cluster.history.order_by("revision_id").values_list("revision_id", "vm_image")
    assert [number for number, _ in history] == list(range(first - 1, first + WRITES))
    assert {value for _, value in history} == {
        "",
        *(f"{writer}/{step}" for writer in range(WRITERS) for step in range(ROUNDS)),
    }


def test_every_revision_has_the_rows_of_its_own_change() -> None:
    first = head_number() + 1

    def create_and_delete(writer: int) -> None:
        for _ in range(3):
            make_cluster().delete()

    results(create_and_delete, WRITERS)

    history = Cluster.history.order_by("revision_id").values_list("revision_id", "history_type")
    assert [number for number, _ in history] == list(range(first, head_number() + 1))
    assert sorted(kind for _, kind in history) == ["+"] * 3 * WRITERS + ["-"] * 3 * WRITERS
