import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.desired_state.values import (
    MAX_DEPTH,
    MAX_KEY_LENGTH,
    ValueProblem,
    check_value,
    conflicts,
    flat_view,
    format_key,
    leaves,
    nest,
    parse_key,
    survives_as_text,
    text_view,
    to_json,
    type_text,
    typed,
)

numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=8)
segments = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=6,
) | st.sampled_from(["a.b", "a\\", "\\.", "[0]", "]", '"', "#", "a/b"])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(segments, values, max_size=4)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def same(left: Any, right: Any) -> bool:
    """Equal and of the same types: Python holds 1, 1.0 and True for one value."""
    return to_json(left) == to_json(right)


PATHS = [
    ("replicaCount", ("replicaCount",)),
    ("ui.color", ("ui", "color")),
    (r"podAnnotations.prometheus\.io/scrape", ("podAnnotations", "prometheus.io/scrape")),
    (r"a\\.b", ("a\\", "b")),
    (r"a\\\.b", ("a\\.b",)),
    (r"servers\[0]", ("servers[0]",)),
    ("a b", ("a b",)),
    ("a=b,c", ("a=b,c",)),
    ("ключ.😀", ("ключ", "😀")),
]


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_a_key_is_a_path(key, path):
    assert parse_key(key) == path


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_a_path_is_written_as_its_key(key, path):
    assert format_key(path) == key


def test_a_backslash_before_a_plain_character_is_dropped_from_the_spelling():
    assert format_key(parse_key(r"a\b")) == "ab"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "must not be empty"),
        (".", "has an empty part between its dots"),
        (".a", "has an empty part between its dots"),
        ("a.", "has an empty part between its dots"),
        ("a..b", "has an empty part between its dots"),
        ("a\\", "ends in a lone backslash"),
        (
            "a[0]",
            r"sets one item of a list; lists are replaced whole (write \[ for a real bracket)",
        ),
        ("a\x00b", "contains a NUL character"),
        ("a\ud800", "contains half of a Unicode surrogate pair"),
        ("a" * (MAX_KEY_LENGTH + 1), "is longer than 512 characters"),
        (".".join("a" * (MAX_DEPTH + 1)), "is nested deeper than 32 levels"),
    ],
)
def test_what_is_not_a_key(key, message):
    with pytest.raises(ValueProblem) as problem:
        parse_key(key)
    assert str(problem.value) == message


@pytest.mark.parametrize("key", ["a" * MAX_KEY_LENGTH, ".".join("a" * MAX_DEPTH)])
def test_the_longest_and_the_deepest_key_are_taken(key):
    assert format_key(parse_key(key)) == key


@given(st.lists(segments, min_size=1, max_size=5).map(tuple))
def test_a_path_survives_its_spelling(path):
    if "\x00" not in "".join(path):
        assert parse_key(format_key(path)) == path


# As strvals.typedVal() of Helm has it.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("TRUE", True),
        ("True", True),
        ("false", False),
        ("FALSE", False),
        ("null", None),
        ("NULL", None),
        ("0", 0),
        ("00", "00"),
        ("007", "007"),
        ("0x10", "0x10"),
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("-0", 0),
        ("-05", -5),
        ("1.5", "1.5"),
        ("1.0", "1.0"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("9007199254740991", 2**53 - 1),
        ("9007199254740992", "9007199254740992"),
        ("-9007199254740991", -(2**53) + 1),
        ("-9007199254740992", "-9007199254740992"),
        pytest.param("9" * 5000, "9" * 5000, id="5,000 digits"),
        ("", ""),
        (" ", " "),
        (" 5", " 5"),
        ("5\n", "5\n"),
        ("٣", "٣"),
        ("+", "+"),
        ("--5", "--5"),
        ("yes", "yes"),
        ("nil", "nil"),
        ("~", "~"),
        ("a,b", "a,b"),
        ("{a,b}", "{a,b}"),
        ("[1, 2]", "[1, 2]"),
        ("#x", "#x"),
        ("#2f855a", "#2f855a"),
        ('"5"', '"5"'),
        ("'true'", "'true'"),
        ("a: b", "a: b"),
    ],
)
def test_text_is_typed_as_helm_set_does(text, value):
    assert same(type_text(text), value)


@pytest.mark.parametrize("value", [True, None, 3, 1.5, ["3"], {"a": "3"}])
def test_what_is_not_text_is_meant_as_it_is(value):
    assert same(typed(value), value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("#2f855a", "#2f855a"),
        ("", ""),
        ('say "hi"\n', 'say "hi"\n'),
        ("true", "true"),
        ("😀", "😀"),
        (True, "true"),
        (None, "null"),
        (3, "3"),
        (1.0, "1.0"),
        ([1, "a", None], '[1,"a",null]'),
        ({"b": 1, "a": "é"}, '{"a":"é","b":1}'),
        ({}, "{}"),
        ([], "[]"),
    ],
)
def test_patches_show_text_as_it_is_and_the_rest_as_json(value, text):
    assert text_view(to_json(value)) == text


@pytest.mark.parametrize("value", ["#fff", "", "1.5", "007", "a,b", 3, -3, True, False, None])
def test_what_text_can_carry(value):
    assert survives_as_text(to_json(value))


@pytest.mark.parametrize("value", ["3", "true", "NULL", "+3", 1.5, 1.0, [], {}, [1], {"a": 1}])
def test_what_text_cannot_carry(value):
    assert not survives_as_text(to_json(value))


@given(scalars)
def test_what_survives_as_text_is_typed_back_to_itself(value):
    text = to_json(value)
    if survives_as_text(text):
        assert to_json(type_text(text_view(text))) == text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({}, []),
        ({"a": 1}, [(("a",), 1)]),
        ({"a": {"b": 1, "c": 2}}, [(("a", "b"), 1), (("a", "c"), 2)]),
        ({"a": {}}, [(("a",), {})]),
        ({"a": None}, [(("a",), None)]),
        ({"a": [{"b": 1}]}, [(("a",), [{"b": 1}])]),
        ({"a": {"b": []}}, [(("a", "b"), [])]),
        ({"a.b": 1}, [(("a.b",), 1)]),
    ],
)
def test_objects_are_kept_as_their_leaves(value, found):
    assert list(leaves(value)) == found


def test_leaves_of_a_value_stand_under_its_prefix():
    assert list(leaves({"b": 1}, ("a",))) == [(("a", "b"), 1)]


def test_an_empty_object_under_a_prefix_is_a_leaf():
    assert list(leaves({}, ("a",))) == [(("a",), {})]


def test_leaves_do_not_descend_forever():
    value: Any = 1
    for _ in range(100_000):
        value = {"a": value}
    [(path, _)] = leaves(value)
    assert len(path) > MAX_DEPTH


@given(objects)
def test_nesting_the_leaves_gives_the_object_back(value):
    patches = [(path, to_json(leaf)) for path, leaf in leaves(value)]
    assert same(nest(patches), value)


@given(objects)
def test_leaves_never_conflict(value):
    assert conflicts(path for path, _ in leaves(value)) == []


def test_nesting_keeps_exact_types():
    patches = [(("a",), "1"), (("b",), "1.0"), (("c",), "true"), (("d",), '"1"'), (("e",), "null")]
    assert to_json(nest(patches)) == '{"a":1,"b":1.0,"c":true,"d":"1","e":null}'


def test_the_flat_view_has_escaped_keys_and_texts():
    patches = [(("a", "b.c"), "3"), (("d",), '"x"')]
    assert flat_view(patches) == {r"a.b\.c": "3", "d": "x"}


@pytest.mark.parametrize(
    ("paths", "pairs"),
    [
        ([("a",), ("b",)], []),
        ([("a", "b"), ("a", "c")], []),
        ([("a",), ("ab",)], []),
        ([("a.b",), ("a", "b")], []),
        ([("a",), ("a",)], []),
        ([("a", "b"), ("a",)], [(("a",), ("a", "b"))]),
        ([("a",), ("a", "b", "c")], [(("a",), ("a", "b", "c"))]),
        (
            [("a",), ("a", "b"), ("a", "b", "c")],
            [
                (("a",), ("a", "b")),
                (("a",), ("a", "b", "c")),
                (("a", "b"), ("a", "b", "c")),
            ],
        ),
    ],
)
def test_paths_conflict_where_one_leads_through_the_other(paths, pairs):
    assert conflicts(paths) == pairs


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a\x00", "contains a NUL character"),
        ({"a\x00": 1}, "contains a NUL character"),
        ([{"a": ["\x00"]}], "contains a NUL character"),
        ("a\x7f", "contains the character U+007F, which YAML cannot carry"),
        ({"a\x85": 1}, "contains the character U+0085, which YAML cannot carry"),
        (["\uffff"], "contains the character U+FFFF, which YAML cannot carry"),
        ("\ud83d", "contains half of a Unicode surrogate pair"),
        ({"\udfff": 1}, "contains half of a Unicode surrogate pair"),
        (float("nan"), "is not a finite number"),
        (float("inf"), "is not a finite number"),
        ([float("-inf")], "is not a finite number"),
        (
            2**53,
            "is a whole number that Flux would round; write it as text in quotes",
        ),
        (
            -(2**53),
            "is a whole number that Flux would round; write it as text in quotes",
        ),
        (nested(MAX_DEPTH + 1), "is nested deeper than 32 levels"),
        ({1: 2}, "must have texts as keys"),
        ({1, 2}, "must be a value that JSON can hold"),
        (b"bytes", "must be a value that JSON can hold"),
    ],
)
def test_what_is_not_a_value(value, message):
    with pytest.raises(ValueProblem) as problem:
        check_value(value)
    assert str(problem.value) == message


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "😀\n\t\"'#",
        2**53 - 1,
        -(2**53) + 1,
        1e308,
        {},
        [],
        nested(MAX_DEPTH),
        {"": 1},
    ],
)
def test_what_is_a_value(value):
    check_value(value)


def test_very_deep_values_are_refused_and_not_a_recursion_error():
    with pytest.raises(ValueProblem, match="nested deeper"):
        check_value(nested(100_000))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, {"a": object()}, nested(100_000)])
def test_what_json_cannot_hold_has_no_spelling(value):
    with pytest.raises(ValueProblem, match="must be a value that JSON can hold"):
        to_json(value)


def test_the_order_of_keys_does_not_change_the_spelling():
    assert to_json({"b": {"d": 1, "c": 2}, "a": 3}) == '{"a":3,"b":{"c":2,"d":1}}'


def test_equal_values_of_different_types_have_different_spellings():
    assert len({to_json(value) for value in (1, 1.0, True, "1")}) == 4


@given(values)
def test_a_spelling_reads_back_as_the_same_value(value):
    assert to_json(json.loads(to_json(value))) == to_json(value)
