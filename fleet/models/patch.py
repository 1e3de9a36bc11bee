import json
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from fleet.desired_state.values import (
    MAX_KEY_LENGTH,
    ValueProblem,
    check_value,
    format_key,
    parse_key,
    to_json,
)
from fleet.models.tracked import TrackedModel


def key_validator(key: str) -> None:
    try:
        parse_key(key)
    except ValueProblem as problem:
        raise ValidationError(str(problem)) from problem


def json_text_validator(text: str) -> None:
    """The value must be JSON; it is brought to its one spelling by `clean_fields`."""
    try:
        value = json.loads(text)
        check_value(value)
    except ValueProblem as problem:
        raise ValidationError(str(problem)) from problem
    except (ValueError, RecursionError) as error:
        raise ValidationError('must be JSON, for example 3, true, "text" or [1, 2]') from error
    # Objects merge key by key over the layers, so each key is a patch of its own.
    if isinstance(value, dict) and value:
        raise ValidationError("must not be an object: set each of its keys, such as a.b")


class PatchRow(TrackedModel):
    """One Helm value: a path and an exact value, or the wish to ignore lower layers there."""

    key = models.CharField(
        max_length=MAX_KEY_LENGTH,
        validators=[key_validator],
        help_text=r"A path such as ui.color; write a dot inside a name as \.",
    )
    value = models.TextField(
        blank=True,
        validators=[json_text_validator],
        help_text='Exact JSON, for example 3, true, "text" or ["a", "b"].',
    )
    unset = models.BooleanField(
        default=False, help_text="Ignore what a lower layer set at and under this key."
    )

    class Meta(TrackedModel.Meta):
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(unset=True, value="")
                | models.Q(unset=False) & ~models.Q(value=""),
                name="%(app_label)s_%(class)s_value_or_unset",
            )
        ]

    def clean_fields(self, exclude: Any = None) -> None:
        """Brings key and value to their one spelling."""
        super().clean_fields(exclude=exclude)
        skipped = set(exclude or ())
        if "key" not in skipped:
            self.key = format_key(parse_key(self.key))
        if "value" in skipped:
            return
        if self.unset and self.value:
            raise ValidationError({"value": "must be empty where the key is unset"})
        if not self.unset and not self.value:
            raise ValidationError({"value": 'must be JSON; for an empty text write ""'})
        if self.value:
            self.value = to_json(json.loads(self.value))
