"""From rows to documents: the inverse of reading them."""

from collections.abc import Iterator, Sequence
from typing import Any

from fleet.desired_state.queries import rows_and_children
from fleet.models import SECTION_MODELS, SECTIONS, children_of
from fleet.resources.fields import StoredObject
from fleet.resources.registry import SERIALIZERS

CHUNK = 1_000


def documents_of(section: str, ids: Sequence[str], *, seed: bool = False) -> list[dict[str, Any]]:
    """In the order of the ids, in a fixed number of queries; those that do not exist are left out.

    A seed has each value once; otherwise a document shows all values in both views.
    """
    model = SECTION_MODELS[section]
    tables = children_of(model)
    owner = f"{model._meta.model_name}_id"
    serializer = SERIALIZERS[section](context={"seed": seed})
    objects = [StoredObject(*found) for found in rows_and_children(model, ids, tables, owner)]
    serializer.prepare(objects)
    return [serializer.to_representation(each) for each in objects]


def seed_documents() -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The whole fleet, section by section, ordered by id whatever the database's collation."""
    for section in SECTIONS:
        ids = sorted(SECTION_MODELS[section].objects.order_by().values_list("pk", flat=True))
        yield section, _in_chunks(section, ids)


def _in_chunks(section: str, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(ids), CHUNK):
        yield from documents_of(section, ids[start : start + CHUNK], seed=True)
