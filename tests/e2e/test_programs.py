"""How programs are built: whole or not at all, and anew when a recipe changes."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.programs import build, recipes
from tests.e2e.programs.go import GoError
from tests.e2e.programs.recipes import Recipe

MODULE = "module example.com/small\n\ngo 1.26\n"


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """A module of our own, in a cache of its own; but what Go has compiled is used again."""
    compiled = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True, check=True)
    monkeypatch.setenv("GOCACHE", compiled.stdout.strip())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(recipes, "MODULES", tmp_path)
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "go.mod").write_text(MODULE)
    (folder / "go.sum").write_text("")
    (folder / "main.go").write_text('package main\n\nfunc main() { println("hello") }\n')
    return Recipe("small", "small", "v1.0.0", {"small": "."})


def test_it_is_built_once(recipe: Recipe) -> None:
    program = build.build(recipe)["small"]
    made = program.stat()
    assert subprocess.run([program], capture_output=True, check=True).stderr == b"hello\n"
    assert build.build(recipe)["small"].stat() == made


def test_another_module_is_built_anew(recipe: Recipe) -> None:
    first = build.build(recipe)["small"]
    (recipe.module / "go.mod").write_text(f"// Changed.\n{MODULE}")
    assert build.build(recipe)["small"] != first


def test_a_build_that_fails_says_why_and_leaves_nothing(recipe: Recipe) -> None:
    (recipe.module / "main.go").write_text("package main\n\nfunc main() { nonsense }\n")
    with pytest.raises(GoError, match=r"small was not built:[\s\S]*nonsense"):
        build.build(recipe)
    assert [entry.name for entry in recipe.place.parent.iterdir()] == ["lock"]


def test_a_version_that_is_not_in_go_sum_is_refused(recipe: Recipe) -> None:
    (recipe.module / "go.mod").write_text(f"{MODULE}\nrequire sigs.k8s.io/yaml v1.6.0\n")
    (recipe.module / "main.go").write_text(
        'package main\n\nimport _ "sigs.k8s.io/yaml"\n\nfunc main() {}\n'
    )
    with pytest.raises(GoError, match=r"missing go\.sum entry"):
        build.build(recipe)


def test_without_go_the_error_says_what_is_needed(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GoError, match=r"Go 1\.26 or newer is needed"):
        build.build(replace(recipe, version="v2.0.0"))
