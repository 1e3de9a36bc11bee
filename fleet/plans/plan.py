"""What a change does to the clusters, seen before it happens."""

from dataclasses import dataclass, field

from fleet.plans.diff import ItemChange
from fleet.plans.values_schema import SchemaProblem

# The codes of warnings.
FROZEN = "frozen"
LEFTOVER = "leftover_values"


@dataclass(frozen=True, slots=True)
class Group:
    """Clusters that get the same difference."""

    clusters: tuple[str, ...]
    changes: tuple[ItemChange, ...]


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """Something that a person should know before going ahead."""

    code: str
    message: str
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    clusters: int = 0
    removing_clusters: int = 0
    added: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Oversize:
    """An answer that Flux would refuse, or cut off."""

    cluster: str
    resource: str
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class Plan:
    groups: tuple[Group, ...] = ()
    totals: Totals = field(default_factory=Totals)
    warnings: tuple[PlanWarning, ...] = ()
    oversize: tuple[Oversize, ...] = ()
    removing_clusters: tuple[str, ...] = ()
    # Clusters that are unknown from now on: to Flux an error, so they keep what they have.
    purged: tuple[str, ...] = ()
    schema_problems: tuple[SchemaProblem, ...] = ()
    # How many rows the change writes, by the name of the model.
    rows: dict[str, int] = field(default_factory=dict)
    digest: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether no cluster gets anything else than before."""
        return not self.groups

    def cluster_ids(self) -> list[str]:
        """The clusters whose answers change."""
        return sorted([*(item for group in self.groups for item in group.clusters), *self.purged])
