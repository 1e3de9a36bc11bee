"""A whole fleet in and out, in the reference service's seed format and our superset of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from fleet.history.change import change
from fleet.resources.problems import Problems
from fleet.resources.reading import read_seed
from fleet.resources.specs import Spec
from fleet.services.apply import Progress, apply_specs
from fleet.services.states import apply_states, check_states, present_states


def seed_import(
    *, documents: Mapping[str, Any], progress: Progress = lambda done: None
) -> Sequence[Spec]:
    """All or nothing. Entries that exist are brought to what the seed says; others stay."""
    with change():
        problems = Problems()
        specs = read_seed(documents, problems=problems)
        del documents  # A large seed takes as much memory as the specifications made from it.
        stated = [spec for spec in specs if spec.state is not None]
        present = present_states(stated)
        check_states(stated, present, problems)
        apply_specs(specs, problems=problems, progress=progress)
        apply_states(stated, present)
        return specs
