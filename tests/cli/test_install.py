"""The command line by itself, and as a part of the product."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from config.environment import BASE_DIR
from fleet_cli import __version__
from tests.processes import environment_with


def project(path: str) -> dict:
    return tomllib.loads((BASE_DIR / path).read_text())["project"]


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment_with({}),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sources(tmp_path: Path, *names: str) -> Path:
    """A copy, so that building leaves nothing behind."""
    skip = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    for name in names:
        source, target = BASE_DIR / name, tmp_path / "source" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy(source, target)
    return tmp_path / "source"


def test_the_product_brings_all_that_the_command_line_needs() -> None:
    product, alone = project("pyproject.toml"), project("fleet_cli/pyproject.toml")
    assert set(alone["dependencies"]) <= set(product["dependencies"])
    assert alone["scripts"] == product["scripts"]


def test_it_imports_nothing_of_the_server() -> None:
    code = (
        "import sys, fleet_cli.main, fleet_cli.reference; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('django', 'fleet', 'flux_api', 'config', 'rest_framework')])"
    )
    assert run(sys.executable, "-c", code, folder=BASE_DIR) == "[]\n"


def test_slow_alone_it_pulls_no_django(tmp_path: Path) -> None:
    source = sources(tmp_path, "fleet_cli")
    run(sys.executable, "-m", "venv", "alone", folder=tmp_path)
    python = tmp_path / "alone" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", source / "fleet_cli", folder=tmp_path)
    installed = run(python, "-m", "pip", "list", "--format=freeze", folder=tmp_path).lower()
    assert "flux-fleet-cli==" in installed
    assert "django" not in installed
    program = tmp_path / "alone" / "bin" / "flux-fleet"
    assert run(program, "--version", folder=tmp_path) == f"flux-fleet {__version__}\n"
    assert "effective" in run(program, "cluster", "--help", folder=tmp_path)


def test_slow_the_product_has_it_too(tmp_path: Path) -> None:
    names = ("pyproject.toml", "README.md", "config", "fleet", "fleet_cli", "flux_api")
    source = sources(tmp_path, *names)
    target = tmp_path / "product"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps")
    run(*pip, "--target", target, source, folder=tmp_path)
    for package in ("config", "fleet", "fleet_cli", "flux_api"):
        assert (target / package).is_dir()
    assert (target / f"flux_fleet-{__version__}.dist-info").is_dir()
    assert (target / "fleet_cli" / "commands" / "clusters.py").exists()
    assert "fleet_cli.main" in (target / "bin" / "flux-fleet").read_text()
