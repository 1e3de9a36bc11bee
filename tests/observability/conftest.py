from collections.abc import Iterator

import pytest

from tests.processes import Server, own_place, running


@pytest.fixture(scope="package")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with several workers, for tests that only add to what it has logged and counted."""
    folder = tmp_path_factory.mktemp("observability")
    with own_place(folder) as place, running({**place, "WEB_CONCURRENCY": "2"}) as started:
        yield started
