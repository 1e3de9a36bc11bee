"""Random fleets, as the rows that the database would give."""

from collections import namedtuple
from itertools import combinations, product
from random import Random
from typing import Any

from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.layers import (
    CLUSTER_CHILDREN,
    SHARED_MODELS,
    ClusterRows,
    build_cluster,
    build_shared,
)
from fleet.desired_state.merge import Cluster, ComponentSettings, Origin, Shared, component_settings
from fleet.desired_state.values import conflicts, format_key, to_json
from fleet.models.tracked import columns

COMPONENT_IDS = ("cert-manager", "podinfo", "traefik")
NAMESPACE_IDS = ("apps", "tools")
ROLEBINDING_IDS = ("admins", "readers")
PROFILE_IDS = ("all", "edge", "gold")
ENVIRONMENTS = ("dev", "prod")
FIELDS = ("enabled", "oci_tag", "component_path", "component_version")

EXACT: tuple[Any, ...] = (1, 1.0, True, "1", "", None, {}, [], [1, {"a": 2}], "#x", 'a"b\n', "😀")
SEGMENTS = ("a", "b", "c.d", "[0]")
Patches = tuple[dict[Any, str], frozenset[Any]]


def random_patches(random: Random) -> Patches:
    """Values of one layer without conflicts among themselves, and other paths that it unsets."""
    drawn = [tuple(random.choices(SEGMENTS, k=random.randint(1, 3))) for _ in range(6)]
    values = {path: to_json(random.choice(EXACT)) for path in drawn[: random.randint(0, 4)]}
    while found := conflicts(values):
        del values[random.choice(found[0])]
    return values, frozenset(drawn[4 : random.randint(4, 6)]) - values.keys()


def subsets(ids: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sampled_from(
        [chosen for size in range(len(ids) + 1) for chosen in combinations(ids, size)]
    )


# Drawn from lists that are made once: many draws make hypothesis slow.
patch_maps = st.sampled_from(
    sorted(
        map(random_patches, map(Random, range(500))),
        key=lambda patches: len(patches[0]) + len(patches[1]),
    )
)
blank_or_text = st.sampled_from(["", "", "x", "y"])
overrides = st.sampled_from(
    [
        dict(zip(FIELDS, values, strict=True))
        for values in product((None, True, False), ("", "x"), ("", "y"), ("", "z"))
    ]
)
labels = st.sampled_from([{}, {"tier": "a"}, {"tier": "b"}, {"zone": "a", "tier": "a"}])
# Most profiles should select most clusters, or there is nothing to merge.
selectors = st.sampled_from([{}, {}, {}, {"tier": "a"}, {"zone": "a"}])


@st.composite
def any_settings(draw: Any, origin: Origin = Origin("cluster", "any")) -> ComponentSettings:  # noqa: B008
    values, unset = draw(patch_maps)
    return component_settings(
        origin,
        assigned=draw(st.booleans()),
        patches=values.items(),
        unset=unset,
        **draw(overrides),
    )


# Rows as the database gives them


ROW_TYPES = {model: namedtuple(model.__name__, columns(model)) for model in models.TRACKED_MODELS}


class Rows:
    """The rows of a fleet by model; each gets a key of its own where the table generates them."""

    def __init__(self) -> None:
        self.by_model: dict[Any, list[Any]] = {model: [] for model in models.TRACKED_MODELS}

    def add(self, model: Any, **values: Any) -> None:
        names = columns(model)
        generated = {"id": len(self.by_model[model]) + 1} if model._meta.auto_field else {}
        row = dict.fromkeys(names) | generated | values
        self.by_model[model].append(ROW_TYPES[model](**row))

    def shared(self, shuffle: Random | None = None) -> Shared:
        return build_shared({model: self.of(model, shuffle) for model in SHARED_MODELS})

    def clusters(self, shuffle: Random | None = None, *, traced: bool = True) -> list[Cluster]:
        return [
            build_cluster(
                ClusterRows(
                    row,
                    {
                        model: [
                            child for child in self.of(model, shuffle) if child.cluster_id == row.id
                        ]
                        for model in CLUSTER_CHILDREN
                    },
                ),
                traced=traced,
            )
            for row in self.by_model[models.Cluster]
        ]

    def of(self, model: Any, shuffle: Random | None) -> list[Any]:
        rows = list(self.by_model[model])
        if shuffle:
            shuffle.shuffle(rows)
        return [_shuffled(row, shuffle) if shuffle else row for row in rows]


def _shuffled(row: Any, shuffle: Random) -> Any:
    """The same row, with the keys of its JSON objects in another order."""
    changed = {}
    for name, value in row._asdict().items():
        if isinstance(value, dict):
            items = list(value.items())
            shuffle.shuffle(items)
            changed[name] = dict(items)
    return row._replace(**changed)


@st.composite
def fleets(draw: Any) -> Rows:
    rows = Rows()
    for component_id in COMPONENT_IDS:
        _draw_component(draw, rows, component_id)
    for namespace_id in NAMESPACE_IDS:
        rows.add(models.Namespace, id=namespace_id, labels=draw(labels), annotations=draw(labels))
    for rolebinding_id in ROLEBINDING_IDS:
        subjects = [{"kind": "Group", "name": "team", "apiGroup": "rbac.authorization.k8s.io"}]
        rows.add(models.RoleBinding, id=rolebinding_id, role="view", subjects=subjects)
    profile_ids = draw(subsets(PROFILE_IDS))
    for profile_id in profile_ids:
        _draw_profile(draw, rows, profile_id)
    for number in range(draw(st.integers(1, 3))):
        _draw_cluster(draw, rows, f"cluster-{number}", profile_ids)
    return rows


def _draw_component(draw: Any, rows: Rows, component_id: str) -> None:
    rows.add(
        models.Component,
        id=component_id,
        kind="helm",
        component_path=f"charts/{component_id}",
        component_version=draw(blank_or_text),
        cluster_env_enabled=draw(st.booleans()),
        oci_url="oci://x",
        oci_tag=draw(blank_or_text),
    )
    values, _ = draw(patch_maps)
    for path, value in values.items():
        rows.add(
            models.ComponentPatch,
            component_id=component_id,
            key=format_key(path),
            value=value,
            unset=False,
        )
    for needed in draw(subsets(COMPONENT_IDS)):
        rows.add(models.ComponentDependency, component_id=component_id, dependency_id=needed)


def _draw_profile(draw: Any, rows: Rows, profile_id: str) -> None:
    rows.add(
        models.Profile,
        id=profile_id,
        weight=draw(st.integers(0, 1)),
        labels=draw(selectors),
        lists_clusters=draw(st.sampled_from([False, False, True])),
    )
    for environment in draw(st.sampled_from([(), (), ("dev",), ENVIRONMENTS])):
        rows.add(models.ProfileEnvironment, profile_id=profile_id, environment_id=environment)
    _draw_layer(draw, rows, "Profile", profile_id=profile_id)


def _draw_cluster(draw: Any, rows: Rows, cluster_id: str, profile_ids: tuple[str, ...]) -> None:
    rows.add(
        models.Cluster,
        id=cluster_id,
        name=cluster_id,
        dns=f"{cluster_id}.example.com",
        environment_id=draw(st.sampled_from(ENVIRONMENTS)),
        labels=draw(labels),
        state="active",
    )
    for profile_id in draw(subsets(profile_ids)):
        rows.add(models.ProfileCluster, profile_id=profile_id, cluster_id=cluster_id)
    _draw_layer(draw, rows, "Cluster", cluster_id=cluster_id)


def _draw_layer(draw: Any, rows: Rows, owner: str, **owned: str) -> None:
    for component_id in draw(subsets(COMPONENT_IDS)):
        rows.add(
            getattr(models, f"{owner}Component"),
            component_id=component_id,
            **draw(overrides),
            **owned,
        )
    patch_model = getattr(models, f"{owner}Patch")
    for component_id in draw(subsets(COMPONENT_IDS)):
        values, unset = draw(patch_maps)
        for path in values.keys() | unset:
            rows.add(
                patch_model,
                component_id=component_id,
                key=format_key(path),
                value=values.get(path, ""),
                unset=path in unset,
                **owned,
            )
    for namespace_id in draw(subsets(NAMESPACE_IDS)):
        rows.add(getattr(models, f"{owner}Namespace"), namespace_id=namespace_id, **owned)
    for rolebinding_id in draw(subsets(ROLEBINDING_IDS)):
        rows.add(getattr(models, f"{owner}RoleBinding"), rolebinding_id=rolebinding_id, **owned)
