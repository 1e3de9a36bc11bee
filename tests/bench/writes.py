"""What a change of every cluster takes: an import, a plan, an apply, a patch of all."""

from tests.bench.bench import Bench
from tests.bench.built import Spent
from tests.bench.report import verdict
from tests.bench.writer import Writer

TITLE = "Changes of every cluster, in seconds"
# The fleet that these are for; the most seconds by what is done, and on which databases.
GOALS = {
    (10_000, "import"): (30, {"sqlite"}),
    (10_000, "plan of a change of the catalog"): (5, {"sqlite", "postgres"}),
    (10_000, "change of the catalog"): (10, {"sqlite", "postgres"}),
    (100_000, "import"): (120, {"sqlite"}),
}


def measure_writes(bench: Bench, writer: Writer) -> None:
    add(bench, "import", bench.fleet.imported)
    add(bench, "plan of a change of the catalog", writer.change_catalog(dry_run=True))
    add(bench, "change of the catalog", writer.change_catalog())
    add(bench, "patch of all clusters", writer.change_all_clusters())


def add(bench: Bench, what: str, spent: Spent) -> None:
    most, databases = GOALS.get((bench.fleet.clusters, what), (0, set()))
    counts = bench.fleet.database in databases
    bench.report.add(
        TITLE,
        {
            "change": what,
            **bench.place,
            "by the clock": f"{spent.wall:.1f}",
            "CPU": f"{spent.cpu:.1f}",
            "MiB at most": f"{spent.memory:.0f}",
            "goal": f"< {most}: {verdict(spent.wall < most)}" if counts else "–",
        },
    )
