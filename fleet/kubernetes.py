"""What Kubernetes accepts: names, labels, annotations, subjects."""

import re
from typing import Any

import jsonschema
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from fleet.desired_state.values import ValueProblem, check_text, check_value

# Patterns without anchors, for whoever puts them into a larger one or into a schema.
DNS_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
DNS_LABELS = rf"{DNS_LABEL}(\.{DNS_LABEL})*"
DNS_LABEL_ANY_CASE = "[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?"
DNS_LABELS_ANY_CASE = rf"{DNS_LABEL_ANY_CASE}(\.{DNS_LABEL_ANY_CASE})*"
LABEL_NAME = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
LABEL_VALUE = f"({LABEL_NAME})?"
# The prefix of a key has at most 253 characters; what has none is shorter anyway.
SHORT_PREFIX = "(?![^/]{254})"
LABEL_KEY = f"{SHORT_PREFIX}({DNS_LABELS}/)?{LABEL_NAME}"
# Unlike in those of labels, Kubernetes ignores the case of a prefix.
ANNOTATION_KEY = f"{SHORT_PREFIX}({DNS_LABELS_ANY_CASE}/)?{LABEL_NAME}"

# For a whole text, as validators and constraints take it.
NAME = rf"^{DNS_LABEL}\Z"
DNS_NAME = rf"^{DNS_LABELS}\Z"
MAX_ANNOTATIONS = 256 * 1024
RBAC_GROUP = "rbac.authorization.k8s.io"
SUBJECT_KINDS = ("User", "Group", "ServiceAccount")
SUBJECT_FIELDS = ("kind", "name", "apiGroup", "namespace")

name_validator = RegexValidator(
    NAME,
    "must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, "
    "with a letter or digit at both ends",
)
dns_validator = RegexValidator(
    DNS_NAME,
    "must be a DNS name: lower case labels of letters, digits and hyphens, separated by dots",
)


url_validator = RegexValidator(
    r"^(https?|oci)://[^\s/?#]+[^\s]*\Z", "must be an address that starts with https:// or oci://"
)


def text_validator(value: str) -> None:
    try:
        check_text(value)
    except ValueProblem as problem:
        raise ValidationError(str(problem)) from problem


def labels_validator(labels: Any) -> None:
    for key, value in _text_map(labels):
        _check_key(key, LABEL_KEY)
        if not re.fullmatch(LABEL_VALUE, value):
            raise ValidationError(
                f"{key}: {value!r} is not a label value: up to 63 letters, digits, '-', '_' and "
                "'.', with a letter or digit at both ends"
            )


def annotations_validator(annotations: Any) -> None:
    size = 0
    for key, value in _text_map(annotations):
        _check_key(key, ANNOTATION_KEY)
        text_validator(value)
        size += len(key.encode()) + len(value.encode())
    if size > MAX_ANNOTATIONS:
        raise ValidationError(f"are {size} bytes together; Kubernetes takes {MAX_ANNOTATIONS}")


def role_validator(role: str) -> None:
    text_validator(role)
    if role in {".", ".."} or "/" in role or "%" in role or role != role.strip():
        raise ValidationError(
            "must be the name of a ClusterRole: not '.' or '..', without '/', '%' or outer blanks"
        )


def subjects_validator(subjects: Any) -> None:
    if not isinstance(subjects, list):
        raise ValidationError("must be a list of subjects")
    for index, subject in enumerate(subjects):
        for problem in _subject_problems(subject):
            raise ValidationError(f"[{index}]{problem}")


def complete_subject(subject: Any) -> Any:
    """`apiGroup` may be left out: its value follows from the kind."""
    if not isinstance(subject, dict) or subject.get("apiGroup") is not None:
        return subject
    group = "" if subject.get("kind") == "ServiceAccount" else RBAC_GROUP
    return {**subject, "apiGroup": group}


def json_schema_validator(schema: Any) -> None:
    if schema is None:
        return
    if not isinstance(schema, dict):
        raise ValidationError("must be a JSON Schema, an object")
    try:
        check_value(schema)
        jsonschema.validators.validator_for(schema).check_schema(schema)
    except ValueProblem as problem:
        raise ValidationError(str(problem)) from problem
    except jsonschema.SchemaError as error:
        raise ValidationError(f"is not a JSON Schema: {error.message}") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise ValidationError("is not a JSON Schema: $schema must be its address") from error


def _text_map(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        raise ValidationError("must be an object of texts")
    for key, text in value.items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise ValidationError(f"{key}: must be text, in quotes")
    return list(value.items())


def _check_key(key: str, pattern: str) -> None:
    if not re.fullmatch(pattern, key):
        raise ValidationError(
            f"{key!r} is not a key that Kubernetes takes: an optional DNS prefix and '/', then up "
            "to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        )


def _subject_problems(subject: Any) -> list[str]:
    """At most a few, each starting with the path of the field."""
    if not isinstance(subject, dict):
        return [": must be an object with kind and name"]
    unknown = sorted(set(subject) - set(SUBJECT_FIELDS))
    if unknown:
        return [f".{unknown[0]}: is not a field of a subject; allowed: {', '.join(SUBJECT_FIELDS)}"]
    problems = [
        f".{name}: must be text"
        for name in SUBJECT_FIELDS
        if name in subject and not isinstance(subject[name], str)
    ]
    if problems:
        return problems
    kind = subject.get("kind", "")
    if kind not in SUBJECT_KINDS:
        return [f".kind: {kind!r} must be one of: {', '.join(SUBJECT_KINDS)}"]
    try:
        check_text(subject.get("name", ""))
    except ValueProblem as problem:
        return [f".name: {problem}"]
    if not subject.get("name"):
        return [".name: must not be empty"]
    if kind == "ServiceAccount" and not re.match(DNS_NAME, subject["name"]):
        return [".name: must be the name of a service account: a DNS name in lower case"]
    group = "" if kind == "ServiceAccount" else RBAC_GROUP
    if subject.get("apiGroup", group) != group:
        return [f".apiGroup: must be {group!r} for a {kind}"]
    if kind == "ServiceAccount" and not re.match(NAME, subject.get("namespace", "")):
        return [".namespace: must be the service account's namespace"]
    if kind != "ServiceAccount" and subject.get("namespace"):
        return [f".namespace: a {kind} has none"]
    return []
