"""Fields and constraints that several models share."""

from typing import Any

from django.core.validators import MaxLengthValidator
from django.db import models

from fleet.kubernetes import NAME, name_validator, text_validator

# What PostgreSQL keeps in an integer; SQLite would take more.
MAX_INTEGER = 2**31 - 1
MAX_DESCRIPTION = 2_000


class NameField(models.CharField):
    """A human slug that is also a name in Kubernetes."""

    def __init__(self, verbose_name: str | None = None, **options: Any) -> None:
        options.setdefault("max_length", 63)
        options.setdefault("validators", [name_validator])
        options.setdefault(
            "help_text", "Lower case letters, digits and hyphens; at most 63 characters."
        )
        super().__init__(verbose_name, **options)


class PlainTextField(models.CharField):
    """A line of text that any database and any JSON reader takes."""

    def __init__(self, verbose_name: str | None = None, **options: Any) -> None:
        options.setdefault("max_length", 255)
        options.setdefault("validators", [text_validator])
        super().__init__(verbose_name, **options)


class DescriptionField(models.TextField):
    """What people say about an object to one another. Clusters never get it."""

    def __init__(self, verbose_name: str | None = None, **options: Any) -> None:
        options.setdefault("blank", True)
        options.setdefault("default", "")
        options.setdefault("max_length", MAX_DESCRIPTION)
        options.setdefault("validators", [text_validator, MaxLengthValidator(MAX_DESCRIPTION)])
        options.setdefault("help_text", "A sentence or a paragraph, for people.")
        super().__init__(verbose_name, **options)


class CheckedJSONField(models.JSONField):
    """JSON whose validators also see what is empty: `[]` and `""` are no labels."""

    empty_values = ()


def name_constraint(field: str = "id") -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=models.Q(**{f"{field}__regex": NAME}),
        name="%(app_label)s_%(class)s_valid_" + field,
    )


def choice_constraint(field: str, choices: type[models.TextChoices]) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=models.Q(**{f"{field}__in": choices.values}),
        name="%(app_label)s_%(class)s_known_" + field,
    )


def unique_constraint(*fields: str) -> models.UniqueConstraint:
    return models.UniqueConstraint(
        fields=fields, name="%(app_label)s_%(class)s_unique_" + "_".join(fields)
    )
