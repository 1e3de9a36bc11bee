"""What clusters get, and what a plan says will become of it."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from fleet.desired_state.answers import answers_of, is_waiting
from fleet.desired_state.inputs import RESOURCES, Answers
from fleet.desired_state.layers import build_shared, read_cluster_rows, read_shared_rows
from fleet.desired_state.render import Renderer
from fleet.desired_state.values import Path, leaves, parse_key, to_json
from fleet.history.change import change
from fleet.plans.diff import ItemChange
from fleet.plans.plan import Plan
from tests.services.fleets import nothing_changes

Leaves = dict[Path, str]
# What one cluster gets, by (resource, id).
Inputs = dict[tuple[str, str], Leaves]
# They are objects also where they are empty, so they are no leaves.
EMPTY = {((name,), "{}") for name in ("values", "labels", "annotations")}


def plan_of(act: Callable[[], Any]) -> Plan:
    """By a dry run, which changes nothing."""
    with nothing_changes(), change(dry_run=True) as opened:
        act()
    assert opened.plan is not None
    return opened.plan


def all_inputs() -> dict[str, Inputs]:
    renderer = Renderer(build_shared(read_shared_rows()))
    return {
        rows.id: _inputs(answers_of(rows, renderer))
        for rows in read_cluster_rows()
        if not is_waiting(rows)
    }


def _inputs(answers: Answers) -> Inputs:
    block = _leaves(f'{{"cluster":{answers.cluster}}}')
    return {
        (resource, item.id): _leaves(item.body) | block
        for resource in RESOURCES
        for item in answers.items[resource]
    }


def _leaves(body: str) -> Leaves:
    """`patches` is left out: it shows `values` once more, as text."""
    fields = {key: value for key, value in json.loads(body).items() if key != "patches"}
    found = {path: to_json(value) for path, value in leaves(fields)}
    return {path: value for path, value in found.items() if (path, value) not in EMPTY}


def foretold(before: dict[str, Inputs], plan: Plan) -> dict[str, Inputs]:
    """What clusters will get, by the plan and by what they get now."""
    after = {cluster: dict(inputs) for cluster, inputs in before.items()}
    for group in plan.groups:
        for cluster in group.clusters:
            _apply(after.setdefault(cluster, {}), group.changes)
    return {cluster: inputs for cluster, inputs in after.items() if cluster not in plan.purged}


def _apply(inputs: Inputs, changes: Iterable[ItemChange]) -> None:
    for item in changes:
        key = (item.resource, item.id)
        if item.action == "added":
            assert key not in inputs
            inputs[key] = _leaves(item.body)
        elif item.action == "removed":
            assert without_block(inputs.pop(key)) == _leaves(item.body)
        else:
            inputs[key] = _changed(inputs[key], item)


def _changed(old: Leaves, item: ItemChange) -> Leaves:
    new = dict(old)
    assert item.fields
    for field in item.fields:
        path = parse_key(field.field)
        assert new.pop(path, None) == field.old
        if field.new is not None:
            new[path] = field.new
    return new


def without_block(item: Leaves) -> Leaves:
    return {path: value for path, value in item.items() if path[0] != "cluster"}


def without_new_blocks(after: dict[str, Inputs], plan: Plan) -> dict[str, Inputs]:
    """A plan has no need to say of an input that is new to which cluster it belongs."""
    told = {cluster: dict(inputs) for cluster, inputs in after.items() if inputs}
    for group in plan.groups:
        for cluster in group.clusters:
            for item in group.changes:
                if item.action == "added":
                    key = (item.resource, item.id)
                    told[cluster][key] = without_block(told[cluster][key])
    return told
