"""A database of the release before is brought to the newest tables, with its history."""

import json
import sys
from pathlib import Path

from tests.models.upgrade import MODELS
from tests.processes import own_place, run

UPGRADE = "from tests.models.upgrade import main; main()"
SETTINGS = {"SECRET_KEY": "for this command alone"}


def test_objects_that_are_there_have_no_description(tmp_path: Path) -> None:
    with own_place(tmp_path) as place:
        done = run((sys.executable, "manage.py", "shell", "-c", UPGRADE), **place, **SETTINGS)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {name: ["", ""] for name in MODELS}
