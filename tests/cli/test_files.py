"""YAML is read for what it says; what can be read in two ways is told, with its line."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet_cli.files import load_document, parse_document
from fleet_cli.output import yaml_text


def read(tmp_path: Path, text: str) -> Any:
    file = tmp_path / "x.yaml"
    file.write_text(text, encoding="utf-8")
    return load_document(file)


def problems(tmp_path: Path, text: str) -> list[str]:
    found = read(tmp_path, text).problems
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("1.5", 1.5),
        ("1.0e+16", 1e16),
        ("true", True),
        ("null", None),
        ("", None),
        ("6.8.0", "6.8.0"),
        ("v1.10", "v1.10"),
        ("'yes'", "yes"),
        ('"3"', "3"),
        ("a b", "a b"),
        ("{}", {}),
        ("[1, a]", [1, "a"]),
        ("|\n  a\n  b", "a\nb\n"),
        ("!!str 3x", "3x"),
    ],
)
def test_what_is_clear(tmp_path: Path, text: str, value: Any) -> None:
    document = read(tmp_path, f"key: {text}\n")
    assert document.problems == []
    assert repr(document.data) == repr({"key": value})


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "No",
        "on",
        "TRUE",
        "Null",
        "0777",
        "0o17",
        "0x1f",
        "12:30",
        "1e3",
        "1_000",
        "+3",
        "1.10",
        "1.00",
        ".5",
        "1.",
        ".inf",
        ".nan",
        "2024-01-31",
    ],
)
def test_what_can_be_read_in_two_ways(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, f"a: 1\nkey: {text}\n") == [
        f"x.yaml:2: key: {text} can be read in two ways; write it with quotes, or out in full"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "x.yaml:4: b.c: is there twice"),
        ("a: &x [1]\nb: *x\n", "x.yaml:1: b: is an alias; write it out"),
        ("a: &x [*x]\n", "x.yaml:1: a[0]: is an alias; write it out"),
        ("1: a\n", "x.yaml:1: has a key that is not text: 1"),
        ("a: !!binary aGk=\n", "x.yaml:1: a: aGk= can be read in two ways"),
        ("a: !thing b\n", "x.yaml:1: a: has a tag that is not allowed here: !thing"),
        ("a: !!set {b}\n", "x.yaml:1: a: has a tag that is not allowed here"),
        ("a: [\n", "x.yaml:2: is not YAML: "),
        ("a: 1\n---\nb: 1\n", "x.yaml:2: is not YAML: "),
        ("a: 'x\n", "x.yaml:2: is not YAML: "),
        ("<<: {a: 1}\n", "x.yaml:1: << can be read in two ways"),
        (f"a: {'[' * 60}{']' * 60}\n", "is deeper than 50 levels"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    [first, *_] = problems(tmp_path, text)
    assert problem in first


def test_everything_is_told_at_once(tmp_path: Path) -> None:
    assert len(problems(tmp_path, "a: yes\nb:\n  - no\n  - c: 0777\n")) == 3


def test_bytes_that_are_not_text_are_told(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(b"a: \xff\n")
    [problem] = load_document(file).problems
    assert "cannot be read" in problem.message


def test_lines_of_fields_by_their_path(tmp_path: Path) -> None:
    document = read(tmp_path, "id: a\nvalues:\n  podinfo:\n    x:\n      - 1\n      - y: 2\n")
    assert document.line_of("values.podinfo.x[1].y") == 6
    assert document.line_of("values.podinfo.x[1].y.z.unknown") == 6
    assert document.line_of("nowhere") == 1


ODD = [
    "1e3",
    "0o17",
    "yes",
    "1.10",
    "2024-01-31",
    "12:30",
    "a\x85b",
    "\u2028",
    "x\ny",
    "\r",
    "=",
    "<<",
]
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])) | st.sampled_from(ODD)
VALUES = st.recursive(
    LEAVES | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=10
)


@given(VALUES)
def test_what_is_written_is_read_back_exactly(value: Any) -> None:
    document = parse_document(Path("x.yaml"), yaml_text({"key": value}))
    assert document.problems == []
    assert repr(document.data) == repr({"key": value})
