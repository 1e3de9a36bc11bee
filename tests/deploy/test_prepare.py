"""What the Job in deploy/kubernetes runs, before there are servers."""

import pytest

from tests.planes.conftest import SECRETS, SERVE
from tests.processes import LAUNCH, own_place, run, running

pytestmark = pytest.mark.slow


def test_it_makes_a_fleet_that_is_empty_and_ends(tmp_path):
    seed = tmp_path / "seed.json"
    seed.write_text("{}")
    with own_place(tmp_path) as place:
        for _ in range(2):
            done = run((*LAUNCH, "--prepare"), **place, **SECRETS, SEED_FILE=str(seed))
            assert done.returncode == 0, done.stderr
        with running({**place, **SECRETS}, SERVE) as server:
            assert server.inputs("clusters") == []


def test_another_argument_is_refused():
    done = run((*LAUNCH, "--prepaer"), **SECRETS)
    assert done.returncode == 1
    assert done.stderr == "usage: python -m config.launch [--prepare]\n"
