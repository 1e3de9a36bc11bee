"""Reads with SQL of our own give what the ORM gives."""

from typing import Any

import pytest

from fleet import models
from fleet.prepared import all_rows, rows_where
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
    found = sorted(all_rows(model), key=lambda row: getattr(row, model._meta.pk.attname))
    assert found == expected
    assert [row._asdict() for row in found] == [row._asdict() for row in expected]
    assert [[type(value) for value in row] for row in found] == [
        [type(value) for value in row] for row in expected
    ]


def test_some_rows(fleet: None) -> None:
    some = models.Cluster.objects.first()
    assert some is not None
    assert rows_where(models.Cluster, "dns", some.dns) == list(
        models.Cluster.objects.filter(pk=some.pk).rows()
    )
    assert rows_where(models.Cluster, "dns", "nobody.example.com") == []
