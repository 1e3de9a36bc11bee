"""A Dockerfile, step by step, without Docker: in a folder that stands for the file system."""

import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from config.environment import BASE_DIR

Instruction = tuple[str, str]


def instructions(text: str) -> list[Instruction]:
    """Comments left out, continued lines joined."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    pairs = (line.strip().split(maxsplit=1) for line in joined.splitlines() if line.strip())
    return [(name.upper(), rest) for name, rest in pairs]


@dataclass
class Image:
    """What a build leaves behind. All of our steps are about /app, /opt and /data."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    user: str = ""
    files: set[Path] = field(default_factory=set)

    def build(self, text: str) -> None:
        for name, rest in instructions(text):
            step = getattr(self, f"_{name.lower()}", None)
            assert step, f"{name} is not an instruction that the tests know"
            step(rest)

    def at(self, text: str) -> str:
        for folder in ("/app", "/opt", "/data"):
            text = text.replace(folder, f"{self.root}{folder}")
        return text

    @property
    def workdir(self) -> Path:
        return self.root / "app"

    def _from(self, rest: str) -> None:
        """Both stages are one folder here, so copies between them have nothing to do."""
        assert rest.startswith("python:3")

    def _workdir(self, rest: str) -> None:
        assert rest == "/app"
        self.workdir.mkdir(parents=True, exist_ok=True)

    def _copy(self, rest: str) -> None:
        if rest == ". .":
            copy_context(self.workdir)
        else:
            option, source, target = rest.split()
            assert option == "--from=build"
            assert source == target
            assert Path(self.at(source)).is_dir()

    def _run(self, rest: str) -> None:
        command = shlex.split(self.at(rest))
        if command[0] == "python":
            command[0] = sys.executable
        done = subprocess.run(command, cwd=self.workdir, capture_output=True, text=True)
        assert done.returncode == 0, f"{rest}\n{done.stdout}{done.stderr}"

    def _env(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        self.environment[name] = self.at(value)

    def _user(self, rest: str) -> None:
        self.user = rest

    def _volume(self, rest: str) -> None:
        assert Path(self.at(rest)).is_dir()

    def _expose(self, rest: str) -> None:
        assert self.environment["LISTEN_ADDR"].endswith(f":{rest}")

    def _healthcheck(self, rest: str) -> None:
        self.health = json.loads(rest.partition(" CMD ")[2])

    def _cmd(self, rest: str) -> None:
        self.command = json.loads(rest)

    def program(self, command: list[str]) -> list[str]:
        """With the path of its program, as the PATH of the image finds it."""
        found = shutil.which(command[0], path=self.environment["PATH"])
        assert found, f"{command[0]} is not in the image"
        return [found, *command[1:]]


def copy_context(target: Path) -> None:
    """What .dockerignore lets through: all that it names, and nothing else."""
    lines = (BASE_DIR / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    unwanted = [line.removeprefix("**/") for line in lines if line.startswith("**/")]
    for name in (line[1:] for line in lines if line.startswith("!")):
        source = BASE_DIR / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns(*unwanted)
            shutil.copytree(source, target / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, target / name)
