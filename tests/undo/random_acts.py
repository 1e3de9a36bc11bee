"""Random acts on any fleet, of every service. Some will be refused, as they are in life."""

import inspect
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from fleet import models
from fleet.errors import ConfirmationRequired, FleetError
from fleet.history.change import change, head_number
from fleet.models.sections import SECTION_MODELS
from fleet.services import clusters, declared, objects, seeds, undo

Act = Callable[[], Any]

WORDS = ("alpha", "beta", "gamma")
KEYS = ("a", "a.b", "replicas", r"x\.y/z", "ui.message")
VALUES: tuple[Any, ...] = (1, "1", "text", None, True, [1, {"a": None}], {}, {"b": 2}, 1.5, "€")
NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
# A service is a function that takes all it needs by name, and changes something.
SERVICES = [
    name
    for module in (objects, clusters, declared, seeds, undo)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
    and not name.startswith("_")
    and name not in {"object_get", "object_document"}
    and all(item.kind in NAMED for item in inspect.signature(function).parameters.values())
]


def perform(act: Act) -> bool:
    """Whether it took a revision. The removal guard gets the confirmation that it asks for."""
    before = head_number()
    try:
        try:
            act()
        except ConfirmationRequired as refusal:
            with change(confirm=refusal.plan.digest):
                act()
    except FleetError:
        assert head_number() == before
    return head_number() > before


class RandomActs:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.first = head_number()

    def draw(self, service: str) -> Act:
        """An act by the service of that name, with its arguments chosen now."""
        return getattr(self, service)()

    def any(self, model: Any) -> str:
        known = [*model.objects.order_by("pk").values_list("pk", flat=True)]
        return self.random.choice(known or ["nothing"])

    def some(self, model: Any) -> list[str]:
        known = [*model.objects.order_by("pk").values_list("pk", flat=True)]
        return self.random.sample(known, self.random.randint(0, min(2, len(known))))

    def chosen(self, **options: Callable[[], Any]) -> dict[str, Any]:
        """About half of the fields, at least one."""
        names = [name for name in options if self.random.random() < 0.5]
        return {name: options[name]() for name in names or [self.random.choice([*options])]}

    def labels(self) -> dict[str, str]:
        return {"tier": word} if (word := self.random.choice(("gold", "core", ""))) else {}

    def patches(self) -> dict[str, Any]:
        keys = self.random.sample(KEYS, self.random.randint(1, 2))
        return {key: self.random.choice(VALUES) for key in keys}

    def assigned(self) -> dict[str, Callable[[], Any]]:
        random = self.random
        return {
            "platform_components": lambda: [
                {"id": item, "enabled": random.choice((None, True, False)), "oci_tag": "v9"}
                for item in self.some(models.Component)
            ],
            "namespaces": lambda: self.some(models.Namespace),
            "rolebindings": lambda: self.some(models.RoleBinding),
            "patches": lambda: {item: self.patches() for item in self.some(models.Component)},
            "unset": lambda: {item: [random.choice(KEYS)] for item in self.some(models.Component)},
        }

    def fields(self, section: str) -> dict[str, Any]:
        random = self.random
        word = partial(random.choice, WORDS)
        if section == "environments":
            return {"rank": random.randint(0, 9)}
        if section == "namespaces":
            return self.chosen(labels=self.labels, annotations=lambda: {"owner": word()})
        if section == "rolebindings":
            return self.chosen(role=word, subjects=lambda: [{"kind": "User", "name": word()}])
        if section == "platform_components":
            return self.chosen(
                component_version=lambda: random.choice(("1.0.0", "latest", "2.0.0")),
                oci_tag=word,
                cluster_env_enabled=lambda: random.random() < 0.5,
                depends_on=lambda: self.some(models.Component),
                patches=self.patches,
                values_schema=lambda: random.choice((None, {"type": "object"})),
            )
        if section == "profiles":
            return self.chosen(
                weight=lambda: random.randint(0, 99),
                labels=self.labels,
                environments=lambda: self.some(models.Environment),
                clusters=lambda: random.choice((None, self.some(models.Cluster))),
                **self.assigned(),
            )
        return self.chosen(
            environment=lambda: self.any(models.Environment),
            cluster_dns=lambda: f"{word()}.example.org",
            labels=self.labels,
            node_count=lambda: random.choice((None, 3)),
            **self.assigned(),
        )

    def new(self, section: str) -> dict[str, Any]:
        """A whole document; its id may be taken."""
        new_id = self.random.choice(WORDS)
        needed = {
            "rolebindings": {"role": "view"},
            "platform_components": {
                "component_path": new_id,
                "oci_url": "oci://registry.example.com/charts",
            },
            "clusters": {
                "cluster_name": new_id,
                "cluster_dns": f"{new_id}.example.com",
                "environment": "dev",
            },
        }
        return {**needed.get(section, {}), **self.fields(section), "id": new_id}

    def section(self) -> str:
        return self.random.choice([*SECTION_MODELS])

    def object_create(self) -> Act:
        section = self.section()
        document = self.new(section)
        return lambda: objects.object_create(section=section, document=document)

    def object_update(self) -> Act:
        section = self.section()
        found, document = self.any(SECTION_MODELS[section]), self.fields(section)
        return lambda: objects.object_update(section=section, id=found, document=document)

    def object_patch(self) -> Act:
        section = self.section()
        found, patch = self.any(SECTION_MODELS[section]), self.fields(section)
        return lambda: objects.object_patch(section=section, id=found, patch=patch)

    def clusters_patch(self) -> Act:
        ids, patch = self.some(models.Cluster), self.fields("clusters")
        patch.pop("cluster_dns", None)
        return lambda: objects.clusters_patch(ids=ids, patch=patch)

    def object_delete(self) -> Act:
        section = self.section()
        found = self.any(SECTION_MODELS[section])
        return lambda: objects.object_delete(section=section, id=found)

    def in_state(self, *states: str) -> str:
        found = models.Cluster.objects.filter(state__in=states).order_by("pk")
        return self.random.choice([*found.values_list("pk", flat=True)] or ["nobody"])

    def cluster_approve(self) -> Act:
        found = self.in_state("waiting")
        return lambda: clusters.cluster_approve(cluster=found)

    def cluster_freeze(self) -> Act:
        found = self.in_state("active")
        return lambda: clusters.cluster_freeze(cluster=found)

    def cluster_unfreeze(self) -> Act:
        found = self.in_state("frozen")
        return lambda: clusters.cluster_unfreeze(cluster=found)

    def cluster_decommission(self) -> Act:
        found = self.in_state("active", "frozen")
        return lambda: clusters.cluster_decommission(cluster=found)

    def cluster_recommission(self) -> Act:
        found = self.in_state("decommissioned")
        return lambda: clusters.cluster_recommission(cluster=found)

    def cluster_purge(self) -> Act:
        found = self.in_state("decommissioned", "waiting")
        return lambda: clusters.cluster_purge(cluster=found)

    def seed_import(self) -> Act:
        state = self.random.choice(("active", "frozen", "decommissioned", "waiting"))
        documents = {
            "namespaces": [self.new("namespaces")],
            "clusters": [{**self.new("clusters"), "state": state}],
        }
        return lambda: seeds.seed_import(documents=documents)

    def fleet_apply(self) -> Act:
        """Of the kinds whose objects may go without others that refer to them."""
        kept = [{"id": item} for item in self.some(models.Namespace)]
        documents = {
            "clusters": [self.new("clusters")],
            "profiles": [self.new("profiles")],
            **self.chosen(namespaces=lambda: kept, environments=lambda: [{"id": "dev"}]),
        }
        prune = self.random.random() < 0.3
        return lambda: declared.fleet_apply(documents=documents, prune=prune)

    def revision_revert(self) -> Act:
        number = self.random.randint(self.first, head_number()) + 1
        skip = self.random.random() < 0.5
        return lambda: undo.revision_revert(number=number, skip_conflicts=skip)

    def cluster_restore(self) -> Act:
        effects = models.Effect.objects.order_by("cluster_id")
        known = [*effects.values_list("cluster_id", flat=True).distinct()]
        found, number = self.random.choice(known), self.random.randint(self.first, head_number())
        return lambda: undo.cluster_restore(cluster=found, number=number)
