"""All that a machine can say of how a page looks and reads: at both widths, light and dark."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDTHS = {"wide": (1440, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
# What the scheme decides; all else is the same in either.
COLOURS = ("color-contrast", "link-in-text-block")
SETTLED = """async () => {
  while (document.querySelector(".htmx-request")) await new Promise((go) => setTimeout(go, 20));
  await document.fonts.ready;
  await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
  await Promise.all(moving.map((each) => each.finished.catch(() => {})));
}"""
GRAVE = {"serious", "critical"}
IS_DARK = "document.documentElement.classList.contains('dark')"


class Watched:
    """A page, and what its console complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def goto(self, address: str, status: int = 200) -> Page:
        answer = self.page.goto(address)
        assert answer is not None
        assert answer.status == status
        return self.page

    def look(self, name: str, *, ours: bool = True, but: tuple[str, ...] = ()) -> None:
        """Fails with all that is wrong. `but` are rules of axe that the page cannot keep."""
        found = [*self.complaints, *problems(self.page, name, ours=ours, but=but)]
        self.complaints.clear()
        assert not found, "\n".join(found)


def problems(page: Page, name: str, *, ours: bool, but: tuple[str, ...]) -> Iterator[str]:
    page.evaluate(AXE_SCRIPT)
    for scheme in SCHEMES:
        switch(page, scheme)
        rules = {"runOnly": {"type": "rule", "values": COLOURS}} if scheme == "dark" else {}
        for size, (width, height) in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(SETTLED)
            keep_picture(page, f"{name}-{size}-{scheme}")
            for problem in (*violations(page, rules, ours, but), *sideways(page, ours)):
                yield f"{size}, {scheme}: {problem}"


def switch(page: Page, scheme: str) -> None:
    """By the keys of the theme's own switch; pages without one follow the system."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for _ in range(2):
        if page.evaluate("!window.Alpine") or page.evaluate(IS_DARK) == (scheme == "dark"):
            return
        page.keyboard.press("Control+e")
        page.evaluate(SETTLED)


def violations(
    page: Page, rules: dict[str, Any], ours: bool, but: tuple[str, ...]
) -> Iterator[str]:
    """Of our pages, all but trifles; of pages that come as they are, what keeps people out."""
    options = {"resultTypes": ["violations"], "preload": False, **rules}
    if but and not rules:
        options["rules"] = {rule: {"enabled": False} for rule in but}
    for each in page.evaluate("(options) => axe.run(document, options)", options)["violations"]:
        if each["impact"] in GRAVE or (ours and each["impact"] == "moderate"):
            for node in each["nodes"][:5]:
                yield f"{each['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"


def sideways(page: Page, ours: bool) -> Iterator[str]:
    beyond = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if ours and beyond > 0:
        yield f"scrolls sideways by {beyond} px"


def keep_picture(page: Page, name: str) -> None:
    """Where SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)
