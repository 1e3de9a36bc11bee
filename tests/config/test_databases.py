from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction

from fleet.models import Environment

WRITERS, ROUNDS = 4, 25


def pragma(name: str) -> object:
    with connection.cursor() as cursor:
        return cursor.execute(f"PRAGMA {name}").fetchone()[0]


@pytest.mark.django_db
@pytest.mark.database("sqlite")
def test_sqlite_is_safe_for_many() -> None:
    synchronous_full = 2
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == synchronous_full
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 20_000


@pytest.mark.django_db
@pytest.mark.database("postgresql")
def test_postgres_gives_up_on_endless_statements() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 50")
        with pytest.raises(OperationalError, match="statement timeout"):
            cursor.execute("SELECT pg_sleep(5)")
        transaction.set_rollback(True)


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_wait_and_lose_nothing() -> None:
    user = User.objects.create(username="counter", last_name="0")

    def count() -> None:
        for _ in range(ROUNDS):
            with transaction.atomic():
                row = User.objects.select_for_update().get(pk=user.pk)
                row.last_name = str(int(row.last_name) + 1)
                row.save()
        connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        for writer in [pool.submit(count) for _ in range(WRITERS)]:
            writer.result()
    user.refresh_from_db()
    assert int(user.last_name) == WRITERS * ROUNDS


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", ["first", "second"])
def test_flush_after_a_test_leaves_what_migrations_wrote(order: str) -> None:
    assert list(Environment.objects.order_by("rank").values_list("id", flat=True)) == [
        "dev",
        "qa",
        "uat",
        "prod",
    ]
