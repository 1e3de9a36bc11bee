import gc

import pytest

from fleet.gc_pause import without_garbage_collection


def test_it_is_on_again_after_the_outermost() -> None:
    with without_garbage_collection():
        with without_garbage_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_an_error() -> None:
    with pytest.raises(KeyError), without_garbage_collection():
        raise KeyError
    assert gc.isenabled()
