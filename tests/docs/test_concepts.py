"""Runs the examples of docs/concepts.md, so that what it says is what happens.

A block `json seed=NAME [after=OTHER]` is imported, after the seed that it builds on. A block
`json answer=NAME cluster=… resource=…` is what the cluster then gets: the same items in the same
order, with the fields that the block shows. A block `text error=NAME` has the problems of a seed
that is refused.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from config.environment import BASE_DIR
from fleet.desired_state.values import to_json, type_text

DOCUMENT = (BASE_DIR / "docs" / "concepts.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"^```(?:json|text) (?P<kind>seed|answer|error)=(?P<name>[\w-]+)(?P<options>[^\n]*)\n"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
TYPING_ROW = re.compile(r"^\| `(?P<text>[^`]*)` \| `(?P<value>[^`]+)` \|", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    kind: str
    name: str
    options: dict[str, str]
    text: str

    def __str__(self) -> str:
        return "-".join([self.name, *self.options.values()])


def examples(kind: str) -> list[Example]:
    found = (
        Example(
            block["kind"],
            block["name"],
            dict(option.split("=", 1) for option in block["options"].split()),
            block["text"],
        )
        for block in BLOCK.finditer(DOCUMENT)
    )
    return [example for example in found if example.kind == kind]


SEEDS = {seed.name: seed for seed in examples("seed")}


def chain(name: str) -> Iterator[Example]:
    """The seeds to import for this one, itself the last."""
    seed = SEEDS[name]
    if "after" in seed.options:
        yield from chain(seed.options["after"])
    yield seed


def import_seed(seed: Example, folder: Path) -> None:
    file = folder / f"{seed.name}.json"
    file.write_text(seed.text, encoding="utf-8")
    call_command("import_seed", str(file), verbosity=0)


def as_shown(given: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> str:
    """The given items with only the fields that the document shows, as text: 1 is not true."""
    fields = {item["id"]: item.keys() for item in wanted}
    return to_json(
        [
            {name: value for name, value in item.items() if name in fields.get(item["id"], item)}
            for item in given
        ]
    )


@pytest.mark.django_db
@pytest.mark.parametrize("answer", examples("answer"), ids=str)
def test_answer(answer: Example, client: Client, tmp_path: Path) -> None:
    for seed in chain(answer.name):
        import_seed(seed, tmp_path)

    response = client.get(
        "/api/v2/flux/clusters/{cluster}.k8s.example.com/{resource}".format(**answer.options),
        headers={"authorization": f"Bearer {settings.AUTH_TOKENS[0]}"},
    )

    assert response.status_code == 200
    wanted = json.loads(answer.text)["inputs"]
    assert as_shown(response.json()["inputs"], wanted) == to_json(wanted)


@pytest.mark.django_db
@pytest.mark.parametrize("error", examples("error"), ids=str)
def test_error(error: Example, tmp_path: Path) -> None:
    *before, refused = chain(error.name)
    for seed in before:
        import_seed(seed, tmp_path)

    with pytest.raises(CommandError) as refusal:
        import_seed(refused, tmp_path)

    _, *problems = str(refusal.value).splitlines()
    assert [problem.strip() for problem in problems] == error.text.splitlines()


@pytest.mark.parametrize("row", TYPING_ROW.findall(DOCUMENT), ids=lambda row: row[0])
def test_typing_table(row: tuple[str, str]) -> None:
    text, value = row
    assert to_json(type_text(text)) == value


def test_every_seed_is_shown_with_its_effect() -> None:
    shown = {example.name for example in examples("answer") + examples("error")}
    built_on = {seed.options.get("after") for seed in SEEDS.values()}
    assert shown | built_on >= SEEDS.keys()
    assert len(examples("answer")) >= 10
    assert len(TYPING_ROW.findall(DOCUMENT)) >= 10
