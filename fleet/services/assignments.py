"""Single acts on a layer: what a cluster or a profile assigns, and the values it sets."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError

from fleet import models
from fleet.desired_state.values import (
    ValueProblem,
    check_value,
    format_key,
    leaves,
    parse_key,
    to_json,
    typed,
)
from fleet.errors import Invalid, NotFound
from fleet.history.change import change
from fleet.resources.assignments import NOT_OVERRIDDEN
from fleet.resources.problems import Problems, suggestion
from fleet.services.rows import is_plain

Owner = models.Cluster | models.Profile

COMPONENTS: dict[type, Any] = {
    models.Cluster: models.ClusterComponent,
    models.Profile: models.ProfileComponent,
}
PATCHES: dict[type, Any] = {
    models.Cluster: models.ClusterPatch,
    models.Profile: models.ProfilePatch,
}
NAMESPACES: dict[type, Any] = {
    models.Cluster: models.ClusterNamespace,
    models.Profile: models.ProfileNamespace,
}
ROLEBINDINGS: dict[type, Any] = {
    models.Cluster: models.ClusterRoleBinding,
    models.Profile: models.ProfileRoleBinding,
}
REFERENCES: dict[str, Any] = {
    "component": models.Component,
    "namespace": models.Namespace,
    "rolebinding": models.RoleBinding,
}


def component_assign(*, owner: Owner, component: str, **overrides: Any) -> None:
    """Assigns a component, or changes the overrides of one that is assigned; None inherits."""
    values = {}
    for name, value in overrides.items():
        if name not in NOT_OVERRIDDEN:
            message = "is not a field here" + suggestion(name, NOT_OVERRIDDEN)
            raise Invalid(f"{name}: {message}", {name: [message]})
        values[name] = NOT_OVERRIDDEN[name] if value is None else value
    _put(COMPONENTS[type(owner)], owner, {"component_id": component}, values)


def component_unassign(*, owner: Owner, component: str) -> None:
    _take(COMPONENTS[type(owner)], owner, component_id=component)


def namespace_assign(*, owner: Owner, namespace: str) -> None:
    _put(NAMESPACES[type(owner)], owner, {"namespace_id": namespace}, {})


def namespace_unassign(*, owner: Owner, namespace: str) -> None:
    _take(NAMESPACES[type(owner)], owner, namespace_id=namespace)


def rolebinding_assign(*, owner: Owner, rolebinding: str) -> None:
    _put(ROLEBINDINGS[type(owner)], owner, {"rolebinding_id": rolebinding}, {})


def rolebinding_unassign(*, owner: Owner, rolebinding: str) -> None:
    _take(ROLEBINDINGS[type(owner)], owner, rolebinding_id=rolebinding)


def patches_set(*, owner: Owner, component: str, patches: Mapping[str, Any]) -> None:
    """Values by key; text is typed as Helm's `--set` types it, other JSON is taken as it is."""
    with change():
        for key, value in patches.items():
            for path, leaf in _leaves(key, typed(value)):
                values = {"value": to_json(leaf), "unset": False}
                where = {"component_id": component, "key": format_key(path)}
                _put(PATCHES[type(owner)], owner, where, values)


def patches_drop(*, owner: Owner, component: str, keys: Iterable[str]) -> None:
    """Drops the owner's own values or unset marks, so that lower layers show again."""
    with change():
        for key in keys:
            _take(PATCHES[type(owner)], owner, component_id=component, key=_canonical(key))


def patches_unset(*, owner: Owner, component: str, keys: Iterable[str]) -> None:
    """Ignores what lower layers set at and under these keys."""
    with change():
        for key in keys:
            where = {"component_id": component, "key": _canonical(key)}
            _put(PATCHES[type(owner)], owner, where, {"value": "", "unset": True})


def _leaves(key: str, value: Any) -> list[tuple[tuple[str, ...], Any]]:
    try:
        check_value(value)
        return list(leaves(value, parse_key(key)))
    except ValueProblem as problem:
        raise Invalid(f"{key}: {problem}.", {key: [str(problem)]}) from None


def _canonical(key: str) -> str:
    try:
        return format_key(parse_key(key))
    except ValueProblem as problem:
        raise Invalid(f"{key}: {problem}.", {key: [str(problem)]}) from None


def _owner_column(owner: Owner) -> str:
    return "cluster_id" if isinstance(owner, models.Cluster) else "profile_id"


def _put(model: Any, owner: Owner, where: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Creates or updates the one row."""
    identity = {_owner_column(owner): owner.pk, **where}
    with change():
        _require_reference(*next(iter(where.items())))
        row = model.objects.filter(**identity).first() or model(**identity)
        for name, value in values.items():
            setattr(row, name, value)
        try:
            row.full_clean()
        except ValidationError as error:
            problems = Problems()
            problems.add_validation("", error, {})
            problems.raise_if_any()
        row.save()


def _require_reference(column: str, item_id: str) -> None:
    name = column.removesuffix("_id")
    known = REFERENCES[name].objects.order_by().values_list("pk", flat=True)
    if not is_plain(item_id) or not known.filter(pk=item_id).exists():
        message = f"there is no {name} {item_id!r}{suggestion(item_id, known)}"
        raise Invalid(f"{name}: {message}", {name: [message]})


def _take(model: Any, owner: Owner, **where: Any) -> None:
    identity = {_owner_column(owner): owner.pk, **where}
    with change():
        own = model.objects.filter(**identity) if all(map(is_plain, where.values())) else None
        if own is None or not own.delete()[0]:
            spelled = " ".join(str(value) for value in where.values())
            raise NotFound(f"{owner.pk} does not have {spelled!r} of its own.")
