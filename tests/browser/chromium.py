"""The browser of these tests: the one that is installed, or else one that can be had.

`python -m tests.browser.chromium` sees to it before they run.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests import debian

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "There is no browser. Install one that is called "
    f"{', '.join(NAMES[:-1])} or {NAMES[-1]}, or run: playwright install --with-deps chromium"
)
NONE_YET = "There is no browser yet"


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
    for obtain in (obtain_of_debian, obtain_of_playwright):
        if found := installed():
            return found
        obtain()
    return installed()


def obtain_of_debian() -> None:
    debian.install("chromium", NONE_YET)


def obtain_of_playwright() -> None:
    command = (sys.executable, "-m", "playwright", "install", "chromium")
    print(f"{NONE_YET}:", *command, flush=True)
    subprocess.run(command, check=False)


if __name__ == "__main__":
    if not obtained():
        sys.exit(MISSING if must_be_there() else print(f"{MISSING}\nIts tests are skipped."))
