import pytest

from tests.services.fleets import for_module, small_fleet

fleet = for_module(small_fleet)


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("both_databases")
