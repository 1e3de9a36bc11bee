"""What the revisions since the last known one have changed, so that only that is forgotten."""

from fleet.models.revision import RevisionSource
from flux_api.answer_cache import ChangedSince
from flux_api.head_reader import NO_HEAD, DatabaseReader, Head, Rows

REVISIONS_SINCE = (
    "SELECT number, CAST(created_at AS TEXT), source, CASE WHEN is_shared THEN 1 ELSE 0 END, "
    "CASE WHEN is_wide THEN 1 ELSE 0 END FROM fleet_revision WHERE number >= {0} ORDER BY number"
)
CLUSTERS_SINCE = (
    "SELECT cluster_id FROM fleet_effect WHERE revision_id > {0} "
    # What it gets may be the same, and its state not: metrics tell them apart.
    "UNION SELECT id FROM fleet_historicalcluster WHERE revision_id > {0} LIMIT {1}"
)
TOKENS_SINCE = "SELECT id FROM fleet_historicaltoken WHERE revision_id > {0}"
# Since a worker was polled last: it was out of use for long.
MANY_REVISIONS = 100
# To read more than these takes so long that polls would notice.
MANY_CLUSTERS = 10_000


async def changes_since(reader: DatabaseReader, known: Head, now: Head) -> ChangedSince | None:
    """None where they cannot be known, or would take longer than to start over."""
    if known == NO_HEAD or not 0 < now.number - known.number <= MANY_REVISIONS:
        return None
    revisions_since = REVISIONS_SINCE.format(known.number)
    [revisions] = await reader.ask(revisions_since)
    if any(is_wide for *_, is_wide in revisions):
        return None
    # The revisions again, since this may be another server than before. They come first: should the
    # others see a later moment, then more is forgotten than need be, and never less.
    revisions, clusters, tokens = await reader.ask(
        revisions_since,
        CLUSTERS_SINCE.format(known.number, MANY_CLUSTERS + 1),
        TOKENS_SINCE.format(known.number),
    )
    if not _leads(known, now, revisions) or len(clusters) > MANY_CLUSTERS:
        return None
    shared = any(is_shared for *_, is_shared, _ in revisions[1:])
    return ChangedSince(_first_of(clusters), _first_of(tokens), shared)


def _first_of(rows: Rows) -> frozenset[str]:
    return frozenset(value for (value,) in rows)


def _leads(known: Head, newest: Head, revisions: Rows) -> bool:
    """Whether they lead from one to the other without a gap. Not so after a restore; nor where one
    address stands for several replicas, and this one is behind the one that gave the newest. And a
    migration writes down no effects."""
    heads = [Head(number, created_at) for number, created_at, *_ in revisions]
    if not heads or heads[0] != known or newest not in heads:
        return False
    return all(source != RevisionSource.MIGRATION for _, _, source, *_ in revisions[1:]) and [
        head.number for head in heads
    ] == list(range(known.number, known.number + len(heads)))
