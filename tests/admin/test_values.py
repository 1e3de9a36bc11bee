"""The editor of a value: what people type by kind, and the exact JSON that it stands for."""

from contextlib import suppress

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from fleet.admin.values import UNSET, ValueField, compress, decompress
from fleet.desired_state.values import ValueProblem, to_json
from tests.admin.forms import typed

TEXTS = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r\x01")
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4)
)


def through_a_browser(value: str) -> str:
    """Shown, and sent without an edit."""
    kind, text, truth = decompress(value)
    return compress(*typed(kind, truth if kind == "boolean" else text).values())


@given(VALUES)
def test_every_value_comes_back_exactly(value):
    assert through_a_browser(to_json(value)) == to_json(value)


@given(VALUES)
def test_what_is_not_edited_has_not_changed(value):
    given = to_json(value)
    kind, text, truth = decompress(given)
    sent = list(typed(kind, truth if kind == "boolean" else text).values())
    assert not ValueField().has_changed(given, sent)


def test_a_mark_to_remove_comes_back():
    assert through_a_browser(UNSET) == UNSET


@given(st.sampled_from(["number", "list", "object", "quoted"]), st.text())
def test_whatever_is_typed_is_a_value_or_a_problem(kind, text):
    with suppress(ValueProblem):
        value = compress(kind, text, "true")
        assert through_a_browser(value) == value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "red", '"red"'),
        ("text", "", '""'),
        ("text", " padded ", '" padded "'),
        ("text", "true", '"true"'),
        ("text", "3", '"3"'),
        ("text", "null", '"null"'),
        ("text", '"quoted"', r'"\"quoted\""'),
        ("text", "two\nlines", r'"two\nlines"'),
        ("text", "Grüße 🚢", '"Grüße 🚢"'),
        ("number", "3", "3"),
        ("number", "1.0", "1.0"),
        ("number", "-0.5", "-0.5"),
        ("number", "1e6", "1000000.0"),
        ("number", " 7 ", "7"),
        ("number", "9007199254740991", "9007199254740991"),
        ("boolean", "true", "true"),
        ("boolean", "false", "false"),
        ("list", '["a",  2]', '["a",2]'),
        ("list", "[]", "[]"),
        ("object", "{}", "{}"),
        ("object", '{"b": 1, "a": {"c": null}}', '{"a":{"c":null},"b":1}'),
        ("null", "whatever was typed before", "null"),
        ("unset", "whatever was typed before", UNSET),
        ("quoted", r'"a\r\nb"', r'"a\r\nb"'),
    ],
)
def test_what_is_typed_by_kind(kind, text, value):
    assert compress(*typed(kind, text).values()) == value


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("", "3", "needs its kind"),
        ("date", "3", "must be one of these kinds: text, number"),
        ("number", "", "must be a number, such as 3"),
        ("number", "three", "must be a number"),
        ("number", "007", "must be a number"),
        ("number", "1,5", "must be a number"),
        ("number", "NaN", "must be a number"),
        ("number", "٣", "must be a number"),
        ("number", "true", "must be a number"),
        ("number", "9007199254740992", "would round"),
        ("number", "1e400", "not a finite number"),
        ("number", "1" * 5_000, "too many digits"),
        ("number", "0.12345678901234567890", "would be kept as 0.12345678901234568"),
        ("boolean", "maybe", "must be yes (true) or no (false)"),
        ("list", "", 'must be a list, such as ["a", 2]'),
        ("list", '["a", 2', "must be a list"),
        ("list", '{"a": 1}', "must be a list"),
        ("list", "[NaN]", "NaN is not a JSON number"),
        ("list", "[" * 9_999, "nested deeper"),
        ("object", "[1]", 'must be an object, such as {"color": "red"}'),
        ("object", '{"a": 1, "a": 2}', "'a' is there twice"),
        ("text", "a\x00b", "NUL"),
        ("text", "\ud800", "surrogate"),
        ("quoted", "red", "must be text in quotes"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(kind, text, problem):
    with pytest.raises(ValueProblem) as caught:
        compress(*typed(kind, text).values())
    assert problem in str(caught.value)


def test_a_row_that_nobody_touched_has_not_changed():
    assert not ValueField().has_changed("", ["", "", "true"])


@pytest.mark.parametrize("sent", [["text", "", "true"], ["", "3", "true"], ["number", "x", "true"]])
def test_a_row_where_something_was_typed_has_changed(sent):
    assert ValueField().has_changed("", sent)


def test_a_value_whose_kind_is_taken_away_has_changed():
    assert ValueField().has_changed('"red"', ["", "", "true"])


def test_the_catalog_has_nothing_to_remove():
    with pytest.raises(ValidationError, match="nothing below the catalog"):
        ValueField(removable=False).clean(["unset", "", "true"])
    shown = ValueField(removable=False).widget.render("value", "")
    assert "remove what is inherited" not in shown


def test_text_with_the_line_ends_of_windows_is_shown_in_quotes():
    shown = ValueField().widget.render("value", r'"a\r\nb"')
    assert '<option value="quoted" selected>' in shown
    assert "quoted" not in ValueField().widget.render("value", '"red"')
