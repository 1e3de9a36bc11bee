"""Builds what a recipe says, once; whole or not at all."""

import fcntl
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.programs import go
from tests.e2e.programs.recipes import Recipe

SECONDS_BETWEEN_SIGNS_OF_LIFE = 20


def build(recipe: Recipe) -> dict[str, Path]:
    """The programs by name; built unless they are there."""
    if not recipe.place.exists():
        go.require()
        with only_one(recipe), tempfile.TemporaryDirectory(dir=recipe.place.parent) as folder:
            if not recipe.place.exists():
                put_in_place(recipe, Path(folder))
    return recipe.programs


def put_in_place(recipe: Recipe, workshop: Path) -> None:
    say(f"{recipe.name} {recipe.version}: building. This takes minutes, and is done once.")
    began = time.monotonic()
    module = writable_module(recipe, workshop) if recipe.adds else recipe.module
    products = workshop / "products"
    products.mkdir()
    for name, package in recipe.packages.items():
        compile_one(recipe, package, products / name, module)
    products.rename(recipe.place)
    say(f"{recipe.name} {recipe.version}: done in {time.monotonic() - began:.0f} seconds.")


def writable_module(recipe: Recipe, workshop: Path) -> Path:
    """Our module, with a copy of that other one in place of the published one."""
    assert recipe.adds
    other, path, text = recipe.adds
    module = workshop / "module"
    shutil.copytree(recipe.module, module)
    published = go.folder_of(f"{other}@{recipe.version}", within=recipe.module)
    copy = module / "copy"
    # Without its modes: what Go downloads is write-protected.
    shutil.copytree(published, copy, copy_function=shutil.copyfile)
    for folder in (copy, *(entry for entry in copy.rglob("*") if entry.is_dir())):
        folder.chmod(0o755)
    (copy / path).parent.mkdir(parents=True)
    (copy / path).write_text(text)
    with (module / "go.mod").open("a") as file:
        file.write(f"\nreplace {other} => ./copy\n")
    return module


def compile_one(recipe: Recipe, package: str, target: Path, module: Path) -> None:
    arguments = ("build", "-v", "-ldflags", recipe.link, "-o", str(target), package)
    with go.running(*arguments, cwd=module) as process:
        assert process.stdout
        output = list(with_signs_of_life(target.name, process.stdout))
        if process.wait():
            raise go.GoError(f"{target.name} was not built:\n{''.join(output[-30:])}")


def with_signs_of_life(name: str, lines: Iterator[str]) -> Iterator[str]:
    """`go build -v` writes a line for each package."""
    said = time.monotonic()
    for count, line in enumerate(lines, start=1):
        if time.monotonic() - said > SECONDS_BETWEEN_SIGNS_OF_LIFE:
            said = time.monotonic()
            say(f"  {name}: {count} packages compiled")
        yield line


@contextmanager
def only_one(recipe: Recipe) -> Iterator[None]:
    """A second run waits for the first instead of building the same."""
    recipe.place.parent.mkdir(parents=True, exist_ok=True)
    with (recipe.place.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
