"""The browser of these tests: the one that is installed, or else one that can be had.

`python -m tests.browser.chromium` sees to it before they run.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "There is no browser. Install one that is called "
    f"{', '.join(NAMES[:-1])} or {NAMES[-1]}, or run: playwright install --with-deps chromium"
)
WAYS = (
    ("apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"),
    (sys.executable, "-m", "playwright", "install", "chromium"),
)


def must_be_there() -> bool:
    """In CI a suite that skips itself would tell nobody anything."""
    return os.environ.get("CI") == "true"


def installed() -> str | None:
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def obtained() -> str | None:
    found = installed()
    for command in WAYS:
        if found:
            break
        if command[0] == "apt-get":
            if os.geteuid() != 0 or not shutil.which("apt-get"):
                continue
            subprocess.run(["apt-get", "update", "-q"], check=False)
        print("There is no browser yet:", *command, flush=True)
        subprocess.run(command, check=False)
        found = installed()
    return found


if __name__ == "__main__":
    if not obtained():
        sys.exit(MISSING if must_be_there() else print(f"{MISSING}\nIts tests are skipped."))
