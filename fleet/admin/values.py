"""The editor of one Helm value: its kind, and what is typed as people write it.

What a form gives and takes is the value's exact JSON text, as the store has it, or `UNSET`.
"""

import json
import re
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminSelectWidget

from fleet.admin.fields import CodeWidget
from fleet.desired_state.values import JSONText, ValueProblem, check_value, to_json
from fleet.strict_json import BadJSON, parse_json

# Not JSON, so it cannot be a value.
UNSET = "unset"

TEXT, NUMBER, BOOLEAN, LIST, OBJECT, NULL = "text", "number", "boolean", "list", "object", "null"
# Text that no form can carry as it is: browsers spell all line ends alike.
QUOTED = "quoted"
KINDS = {
    "": "Choose…",
    TEXT: "Text",
    NUMBER: "Number",
    BOOLEAN: "Yes or no",
    LIST: "List",
    OBJECT: "Object",
    NULL: "Null, sent to Helm",
    UNSET: "— remove what is inherited —",
}
KINDS_OF_SCHEMAS = {
    "string": TEXT,
    "number": NUMBER,
    "integer": NUMBER,
    "boolean": BOOLEAN,
    "array": LIST,
    "object": OBJECT,
    "null": NULL,
}
TRUTHS = {"true": "Yes (true)", "false": "No (false)"}
SHORT = 60
JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
MAX_DIGITS = 1_000

Typed = list[str]  # kind, text, truth


def compress(kind: str, text: str, truth: str) -> JSONText:
    """Raises ValueProblem, with what is wrong and what is allowed."""
    if kind == UNSET:
        return UNSET
    if kind == TEXT:
        value: Any = text.replace("\r\n", "\n")
    elif kind == BOOLEAN:
        if truth not in TRUTHS:
            raise ValueProblem("must be yes (true) or no (false)")
        value = truth == "true"
    elif kind == NULL:
        value = None
    elif kind in READERS:
        value = READERS[kind](text)
    elif kind:
        raise ValueProblem(
            f"must be one of these kinds: {', '.join(name for name in KINDS if name)}"
        )
    else:
        raise ValueProblem("needs its kind: choose text, number, yes or no, and so on")
    check_value(value)
    return to_json(value)


def decompress(value: JSONText) -> Typed:
    if value in ("", UNSET):
        return [value, "", "true"]
    decoded = json.loads(value)
    if isinstance(decoded, str):
        return [QUOTED, value, "true"] if "\r" in decoded else [TEXT, decoded, "true"]
    if isinstance(decoded, bool):
        return [BOOLEAN, "", value]
    if decoded is None:
        return [NULL, "", "true"]
    if isinstance(decoded, list | dict):
        return [LIST if isinstance(decoded, list) else OBJECT, spelled(decoded), "true"]
    return [NUMBER, value, "true"]


def spelled(document: Any) -> str:
    """On one line where it is short."""
    line = json.dumps(document, ensure_ascii=False)
    return line if len(line) <= SHORT else json.dumps(document, ensure_ascii=False, indent=2)


def read_number(text: str) -> int | float:
    text = text.strip()
    if not JSON_NUMBER.fullmatch(text):
        raise ValueProblem("must be a number, such as 3, -1.5 or 1e6")
    if len(text) > MAX_DIGITS:
        raise ValueProblem("has too many digits; choose text to keep them")
    number: int | float = json.loads(text)
    check_value(number)
    if Decimal(text) != Decimal(repr(number)):
        raise ValueProblem(f"would be kept as {number!r}; choose text to keep every digit")
    return number


def read_list(text: str) -> Any:
    return _read(text, list, 'must be a list, such as ["a", 2]')


def read_object(text: str) -> Any:
    return _read(text, dict, 'must be an object, such as {"color": "red"}')


def read_quoted(text: str) -> Any:
    return _read(text, str, 'must be text in quotes, such as "two\\r\\nlines"')


def _read(text: str, kind: type, example: str) -> Any:
    try:
        value = parse_json(text)
    except BadJSON as problem:
        raise ValueProblem(f"{example}: {problem}" if text.strip() else example) from None
    if not isinstance(value, kind):
        raise ValueProblem(example)
    return value


READERS = {NUMBER: read_number, LIST: read_list, OBJECT: read_object, QUOTED: read_quoted}


class ValueWidget(forms.MultiWidget):
    template_name = "admin/fleet/value.html"
    # What lower layers give; set by whoever knows, and asked for only when it is shown.
    inherited: Any = None

    def __init__(self, removable: bool = True) -> None:
        kinds = [pair for pair in KINDS.items() if removable or pair[0] != UNSET]
        super().__init__(
            {
                "kind": UnfoldAdminSelectWidget({"aria-label": "Kind of value"}, choices=kinds),
                "text": CodeWidget({"aria-label": "Value", "rows": 1, "autocomplete": "off"}),
                "truth": UnfoldAdminSelectWidget(
                    {"aria-label": "Yes or no"}, choices=list(TRUTHS.items())
                ),
            }
        )

    def decompress(self, value: JSONText | None) -> Typed:
        return decompress(value or "")

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Typed:
        return [given or "" for given in super().value_from_datadict(data, files, name)]

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        typed = value if isinstance(value, list) else self.decompress(value)
        kind: Any = self.widgets[0]
        if typed[0] == QUOTED and QUOTED not in dict(kind.choices):
            kind.choices = [*kind.choices, (QUOTED, "Text in quotes")]
        context = super().get_context(name, typed, attrs)
        context["inherited"] = self.inherited() if self.inherited else ""
        return context


class ValueField(forms.Field):
    widget: Any

    def __init__(self, *, removable: bool = True, **options: Any) -> None:
        self.removable = removable
        super().__init__(widget=ValueWidget(removable), **options)

    def clean(self, value: Typed) -> JSONText:
        try:
            given = compress(*value)
        except ValueProblem as problem:
            raise ValidationError(str(problem), code="invalid") from problem
        if given == UNSET and not self.removable:
            raise ValidationError("There is nothing below the catalog to remove.", code="invalid")
        return given

    def has_changed(self, initial: JSONText | None, data: Any) -> bool:
        """By the value, not by its spelling. A row that nobody has touched has neither."""
        try:
            return self.clean(data) != (initial or "")
        except ValidationError:
            return bool(initial or data[0] or data[1])
