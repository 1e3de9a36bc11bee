"""What people wait for most often: a change of one cluster, and a page of the list."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from tests.bench.bench import Bench
from tests.bench.writer import Writer

TITLE = "One cluster and one page, in milliseconds for the client"
TIMES = 30


def measure_single(bench: Bench, writer: Writer) -> None:
    def list_page() -> None:
        writer.client.get("/clusters?limit=100").raise_for_status()

    bench.report.add(
        TITLE,
        {
            **bench.place,
            "PATCH of a cluster": f"{milliseconds(writer.change_a_cluster):.1f}",
            "list of 100 clusters": f"{milliseconds(list_page):.1f}",
        },
    )


def milliseconds(act: Callable[[], Any]) -> float:
    """The median of many."""
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return median(times) * 1000
