"""What Prometheus gets to know. Every label has few values: routes, never addresses or names."""

import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from fleet.history.change import head_number
from fleet.web.metrics_folder import metrics_folder

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

OWN = CollectorRegistry()
REQUESTS = Histogram(
    "flux_fleet_request_seconds",
    "How long requests took, by method, route and status.",
    ("method", "route", "status"),
    buckets=SECONDS,
    registry=OWN,
)
DATABASE = Histogram(
    "flux_fleet_database_seconds",
    "How long the statements of one request took in the database, by route.",
    ("route",),
    buckets=SECONDS,
    registry=OWN,
)
POLLS = Counter(
    "flux_fleet_polls",
    "Polls by resource, state of the cluster, and result.",
    ("resource", "state", "result"),
    registry=OWN,
)

RESULTS = {200: "ok", 304: "not_modified", 404: "not_found"}


def count_request(
    method: str, route: str, status: int, seconds: float, database_seconds: float
) -> None:
    REQUESTS.labels(method if method in METHODS else "other", route, status).observe(seconds)
    if database_seconds:
        DATABASE.labels(route).observe(database_seconds)


def count_poll(resource: str, state: str, status: int) -> None:
    POLLS.labels(resource, state, poll_result(status)).inc()


def poll_result(status: int) -> str:
    return RESULTS.get(status) or ("error" if status >= 500 else "refused")


class Now:
    """What is looked up when somebody asks, and is the same in every worker."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        labels = {"version": release(), "python": platform.python_version()}
        build = GaugeMetricFamily(
            "flux_fleet_build_info", "What runs here.", labels=(*labels, "mode")
        )
        build.add_metric((*labels.values(), settings.API_MODE), 1)
        yield build
        revision = newest_revision()
        yield GaugeMetricFamily(
            "flux_fleet_database_up", "Whether the database answers.", value=revision is not None
        )
        if revision is not None:
            yield GaugeMetricFamily(
                "flux_fleet_revision", "The newest revision of the fleet.", value=revision
            )


def exposition() -> bytes:
    return generate_latest(Now()) + counted()


def counted() -> bytes:
    folder = metrics_folder()
    if folder is None:
        return generate_latest(OWN)
    return generate_latest(MultiProcessCollector(None, str(folder)))


def newest_revision() -> int | None:
    try:
        return head_number()
    except (DatabaseError, InterfaceError):
        return None


@cache
def release() -> str:
    try:
        return version("flux-fleet")
    except PackageNotFoundError:
        return "unknown"
