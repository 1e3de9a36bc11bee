"""Reads with SQL of our own give what the ORM gives."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from fleet import models
from fleet.desired_state.queries import (
    Reading,
    Statement,
    all_rows,
    read,
    row_and_children,
    row_and_parents,
    rows_and_children,
    rows_by_key,
    rows_with,
)
from fleet.services.tokens import token_issue
from tests.services.fleets import small_fleet

pytestmark = pytest.mark.django_db


@pytest.fixture
def fleet(db: None) -> None:
    small_fleet()
    token_issue(id="own", kind="operator", environments=["dev"])


@pytest.mark.parametrize("model", models.TRACKED_MODELS)
def test_all_rows(fleet: None, model: Any) -> None:
    expected = list(model.objects.order_by("pk").rows())
    [[rows]] = read(all_rows([model]))
    found = sorted(rows, key=lambda row: getattr(row, model._meta.pk.attname))
    assert found == expected
    assert [row._asdict() for row in found] == [row._asdict() for row in expected]
    assert [[type(value) for value in row] for row in found] == [
        [type(value) for value in row] for row in expected
    ]


@pytest.mark.parametrize("model", models.TRACKED_MODELS)
def test_rows_by_their_keys(fleet: None, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleet.desired_state.queries.VALUES_AT_ONCE", 2)
    expected = {getattr(row, model._meta.pk.attname): row for row in model.objects.rows()}
    assert rows_by_key(model, [*expected, *(type(key)() for key in expected)]) == expected


def test_rows_by_a_value(fleet: None) -> None:
    found = rows_with(models.ClusterComponent, "component_id", ["web", "nothing"])
    expected = models.ClusterComponent.objects.filter(component_id="web").rows()
    assert sorted(found) == sorted(expected)
    assert found
    assert rows_with(models.ClusterComponent, "component_id", []) == []


def test_rows_and_what_refers_to_them(fleet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the keys, whatever that is."""
    monkeypatch.setattr("fleet.desired_state.queries.OWNERS_AT_ONCE", 2)
    keys = [*models.Cluster.objects.order_by("-pk").values_list("pk", flat=True), "nobody"]
    assert len(keys) > 2
    children = (models.ClusterComponent, models.ClusterPatch)
    found = list(rows_and_children(models.Cluster, keys, children, "cluster_id"))
    assert [row for row, _ in found] == list(models.Cluster.objects.order_by("-pk").rows())
    assert any(below[models.ClusterPatch] for _, below in found)
    for row, below in found:
        for child in children:
            expected = child.objects.filter(cluster=row.id).rows()
            assert sorted(below[child], key=lambda row: row.id) == list(expected.order_by("pk"))


def test_a_row_and_what_refers_to_it(fleet: None) -> None:
    some = models.Cluster.objects.order_by("pk").first()
    assert some is not None
    children = (models.ClusterComponent, models.ClusterPatch)

    def by(dns: str) -> Any:
        return row_and_children(models.Cluster, "dns", dns, children, "cluster_id")

    (row, found), nobody = read(by(some.dns), by("nobody.example.com"))
    assert [row] == list(models.Cluster.objects.filter(pk=some.pk).rows())
    assert [sorted(rows, key=lambda row: row.id) for rows in found] == [
        list(child.objects.filter(cluster=some).order_by("pk").rows()) for child in children
    ]
    assert any(found)
    assert nobody == (None, [[], []])


def test_a_row_and_what_it_refers_to(fleet: None) -> None:
    key = models.TokenKey.objects.get()
    above = ((models.Token, "token_id"), (models.Cluster, "cluster_id"))

    def by(prefix: str) -> Any:
        return row_and_parents(models.TokenKey, "prefix", prefix, *above)

    (row, token, cluster), nobody = read(by(key.prefix), by("nobody"))
    assert (row.id, row.created, row.revoked) == (key.id, key.created, key.revoked)
    assert [token] == list(models.Token.objects.rows())
    assert cluster is None
    assert nobody == [None, None, None]


def test_a_statement_that_fails_among_others_is_an_error(fleet: None) -> None:
    statements = [Statement("SELECT 1"), Statement("SELECT 1 FROM nowhere"), Statement("SELECT 1")]
    with pytest.raises(DatabaseError), transaction.atomic():
        read(Reading(statements, lambda *found: found))


@pytest.mark.parametrize("one_by_one", [False, True])
def test_each_reading_gets_what_it_asked_for(
    fleet: None, monkeypatch: pytest.MonkeyPatch, one_by_one: bool
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "server_side_binding", one_by_one)

    def numbers(*wanted: int) -> Reading:
        statements = [Statement("SELECT CAST(%s AS INTEGER)", [number]) for number in wanted]
        return Reading(statements, lambda *found: [number for [(number,)] in found])

    assert read(numbers(1), numbers(), numbers(2, 3)) == [[1], [], [2, 3]]


KINDS = ("transaction_isolation", "transaction_read_only")
OF_ITS_TRANSACTION = Statement(f"SELECT {', '.join(f'current_setting({k!r})' for k in KINDS)}")


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_a_read_is_one_by_itself() -> None:
    reading = Reading([OF_ITS_TRANSACTION, Statement("SELECT 1")], lambda *found: found)
    assert read(reading) == [([("repeatable read", "on")], [(1,)])]
    after = Reading([OF_ITS_TRANSACTION], lambda found: found)
    with transaction.atomic():
        assert read(after) == [[("read committed", "off")]]


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_the_next_read_knows_nothing_of_one_that_failed() -> None:
    connection.ensure_connection()
    before = connection.connection
    with pytest.raises(DatabaseError):
        read(Reading([Statement("SELECT 1 FROM nowhere")], lambda found: found))
    assert read(Reading([Statement("SELECT 1")], lambda found: found)) == [[(1,)]]
    # Nor has it cost a connection.
    assert connection.connection is before


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_a_connection_prepares_what_is_fixed_once() -> None:
    def in_session() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement FROM pg_prepared_statements ORDER BY name")
            return [statement for (statement,) in cursor.fetchall()]

    connection.close()
    assert in_session() == []
    for number in (1, 2):
        fixed = Statement("SELECT CAST(%s AS INTEGER), CAST(%s AS INTEGER)", [number, 3])
        changing = Statement("SELECT CAST(%s AS INTEGER)", [number], is_fixed=False)
        assert read(Reading([fixed, changing], lambda *found: found)) == [
            ([(number, 3)], [(number,)])
        ]
    [statement] = in_session()
    assert "CAST($1 AS INTEGER), CAST($2 AS INTEGER)" in statement
