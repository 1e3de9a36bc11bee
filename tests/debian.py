"""Packages of Debian, for what the tests need and Python's packages do not have."""

import os
import shutil
import subprocess

INSTALL = ("apt-get", "install", "-q", "-y", "--no-install-recommends")


def install(package: str, why: str = "") -> None:
    """Where it may. Whether it is there now is for the caller to see."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    subprocess.run(["apt-get", "update", "-q"], check=False)
    command = (*INSTALL, package)
    if why:
        print(f"{why}:", *command, flush=True)
    subprocess.run(command, check=False)
