import sys

from tests.cli.demo import STORY
from tests.processes import run


def test_the_story_is_told_to_its_end(monkeypatch) -> None:
    monkeypatch.setattr("tests.processes.START_SECONDS", 300)
    done = run((sys.executable, "-m", "tests.cli.demo"))
    assert done.returncode == 0, done.stdout + done.stderr
    for title, line in STORY:
        assert title in done.stdout
        assert line in done.stdout
    assert "As it was." in done.stdout
