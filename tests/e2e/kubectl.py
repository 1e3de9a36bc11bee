"""A cluster as kubectl shows it."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class KubectlError(Exception):
    pass


@dataclass(frozen=True)
class Kubectl:
    program: Path
    config: Path

    def run(self, *arguments: str | Path, given: str | None = None) -> str:
        done = subprocess.run(
            [self.program, "--kubeconfig", self.config, *arguments],
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise KubectlError(f"kubectl {' '.join(map(str, arguments))}:\n{done.stderr}")
        return done.stdout

    def apply(self, manifests: str) -> str:
        return self.run("apply", "--server-side", "--filename", "-", given=manifests)

    def items(self, kinds: str, *arguments: str) -> list[dict[str, Any]]:
        """Of all namespaces, unless one is given."""
        scope = () if "--namespace" in arguments else ("--all-namespaces",)
        return json.loads(self.run("get", kinds, *scope, *arguments, "--output=json"))["items"]
