"""The home page: the numbers of `fleet.reports`, each with its link."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode

from fleet.models import Cluster, Environment
from fleet.models.cluster import ClusterState
from fleet.reports import dashboard, versions

STATES = (
    (Cluster.State.ACTIVE, "check_circle"),
    (Cluster.State.FROZEN, "ac_unit"),
    (Cluster.State.DECOMMISSIONED, "delete_sweep"),
)
# Only where there are any: most fleets have none on most days.
WAITING = (Cluster.State.WAITING, "how_to_reg")
States = tuple[tuple[ClusterState, str], ...]
MOST_COMPONENTS = 12
MOST_WARNINGS = 8
PRODUCTION = "prod"


@dataclass(frozen=True, slots=True)
class Number:
    """A number and the list that it counts."""

    title: str
    value: int
    link: str
    icon: str = ""
    kind: str = ""
    # Of a bar: its part of the whole, in percent.
    share: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    link: str
    numbers: tuple[Number, ...]
    total: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Of a newcomer's way to the first cluster."""

    title: str
    text: str
    link: str
    action: str
    done: bool = False


def at_a_glance(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Only what the person may see: without a role, that is nothing."""
    sees = request.user.has_perm
    if not sees("fleet.view_cluster"):
        return {**context, "unknown_person": True}
    counts, catalog = dashboard.count_clusters(), dashboard.count_catalog()
    recent = dashboard.recent_revisions() if sees("fleet.view_revision") else []
    shown = {**context, "recent": recent, "may_add_cluster": sees("fleet.add_cluster")}
    if not counts.clusters:
        return {**shown, "steps": list(_steps(request, counts, catalog))}
    taken = versions.known_census(versions.newest_moment())
    states = (WAITING, *STATES) if counts.of_state(Cluster.State.WAITING) else STATES
    return {
        **shown,
        "cards": list(_cards(counts, catalog)),
        "environments": [_environment_row(row, states) for row in counts.environments],
        # It breaks on a phone.
        "states": [state.label.replace("comm", "com\u00adm") for state, _ in states],
        **_counted_part(request, taken),
    }


def counted(request: HttpRequest) -> HttpResponse:
    """The part of the page that takes the merged state of the whole fleet, when it is known."""
    if not request.user.has_perm("fleet.view_cluster"):
        return HttpResponse(status=403)
    part = _counted_part(request, versions.current_census())
    return TemplateResponse(request, "admin/home/counted.html", part)


def _counted_part(request: HttpRequest, taken: versions.Census | None) -> dict[str, Any]:
    warnings = list(_warnings(request))
    if taken is None:
        return {"counting": True, "warnings": warnings}
    warnings += _census_warnings(taken)
    rest = len(taken.components) - MOST_COMPONENTS
    return {
        "warnings": warnings[:MOST_WARNINGS],
        "more_warnings": warnings[MOST_WARNINGS:],
        "components": [_component_row(use) for use in taken.components[:MOST_COMPONENTS]],
        "more_components": max(rest, 0),
    }


def _cards(counts: dashboard.ClusterCounts, catalog: dashboard.CatalogCounts) -> Iterator[Number]:
    """Those that wait have no card: they are the first thing that wants a person."""
    yield Number("Clusters", counts.clusters, clusters(), "dns")
    for state, icon in STATES:
        yield Number(state.label, counts.of_state(state), clusters(state=state), icon, state)
    yield Number("Components", catalog.components, _list("component"), "widgets")
    yield Number("Profiles", catalog.profiles, _list("profile"), "layers")


def _environment_row(row: dashboard.EnvironmentCount, states: States) -> Row:
    numbers = tuple(
        Number(
            state.label,
            row.states.get(state, 0),
            clusters(environment=row.environment, state=state),
            kind=state,
            share=_share(row.states.get(state, 0), row.clusters),
        )
        for state, _ in states
    )
    return Row(row.environment, clusters(environment=row.environment), numbers, row.clusters)


def _component_row(use: versions.ComponentUse) -> Row:
    numbers = tuple(
        Number(
            entry.version,
            entry.clusters,
            clusters(state=Cluster.State.ACTIVE, component=use.component, version=entry.version),
            kind=entry.standing,
            share=_share(entry.clusters, use.clusters),
        )
        for entry in use.versions
    )
    page = reverse("admin:fleet_component_change", args=[use.component])
    return Row(use.component, page, numbers, use.clusters, use.catalog_version)


def _warnings(request: HttpRequest) -> Iterator[Number]:
    """Those that are counted without a merge."""
    if waiting := dashboard.count_waiting():
        verb = "waits" if waiting == 1 else "wait"
        link = clusters(state=Cluster.State.WAITING)
        title = f"{_clusters(waiting)} {verb} to be approved"
        yield Number(title, waiting, link, "how_to_reg")
    if request.user.has_perm("fleet.view_token"):
        tokens = dashboard.count_tokens()
        yield from _token_warnings(tokens)
    if frozen := dashboard.count_frozen_for_long():
        title = f"frozen for more than {dashboard.FROZEN_LONG.days} days"
        yield Number(f"{_clusters(frozen)} {title}", frozen, clusters(frozen="long"), "ac_unit")


def _token_warnings(tokens: dashboard.TokenCounts) -> Iterator[Number]:
    if tokens.expired:
        title = "token has expired" if tokens.expired == 1 else "tokens have expired"
        yield Number(title, tokens.expired, _list("token", expiry="expired"), "key_off")
    if tokens.expiring:
        verb = "token expires" if tokens.expiring == 1 else "tokens expire"
        title = f"{verb} within {dashboard.EXPIRES_SOON.days} days"
        yield Number(title, tokens.expiring, _list("token", expiry="soon"), "key")


def _census_warnings(taken: versions.Census) -> list[Number]:
    active = Cluster.State.ACTIVE
    found = []
    for problem, count in taken.dependencies:
        link = clusters(
            state=active, component=problem.component, **{problem.state: problem.needed}
        )
        title = f"{problem.component} depends on {problem.needed}, which is {problem.state}"
        found.append(Number(f"{_clusters(count)}: {title}", count, link, "link_off"))
    production = _production()
    for entry, count in taken.unpinned:
        if entry.environment in production:
            link = clusters(
                state=active,
                environment=entry.environment,
                component=entry.component,
                version=versions.LATEST,
            )
            title = f"{entry.component} is “latest” in {entry.environment}, which pins nothing"
            found.append(Number(f"{_clusters(count)}: {title}", count, link, "push_pin"))
    return found


def _production() -> set[str]:
    """The environment of that name, and the one at the top where a team named it otherwise."""
    top = Environment.objects.order_by("-rank", "id").values_list("id", flat=True).first()
    return {PRODUCTION, top or PRODUCTION}


def _steps(
    request: HttpRequest, counts: dashboard.ClusterCounts, catalog: dashboard.CatalogCounts
) -> Iterator[Step]:
    may = request.user.has_perm
    names = ", ".join(row.environment for row in counts.environments)
    yield Step(
        "Look over the environments",
        f"The tiers of your fleet: {names}." if names else "The tiers of your fleet, dev to prod.",
        _list("environment"),
        "Environments",
        done=bool(names),
    )
    yield Step(
        "Add a component",
        "A Helm chart or a Kustomize path that clusters can run: the catalog is made of them.",
        _page("component", "add") if may("fleet.add_component") else "",
        "Add a component",
        done=bool(catalog.components),
    )
    yield Step(
        "Add a cluster",
        "Its name, DNS name and environment; then assign it what it should run.",
        _page("cluster", "add") if may("fleet.add_cluster") else "",
        "Add a cluster",
    )
    yield Step(
        "Connect it",
        "Issue it a token. Its Flux Operator fetches with it what the cluster should run.",
        _page("token", "add") if may("fleet.add_token") else "",
        "Issue a token",
    )


def clusters(state: str = "", environment: str = "", **filters: str) -> str:
    """The list of clusters, filtered."""
    own = {"state__exact": state, "environment__id__exact": environment, **filters}
    return _list("cluster", **{name: value for name, value in own.items() if value})


def _list(model: str, **filters: str) -> str:
    address = _page(model, "changelist")
    return f"{address}?{urlencode(filters)}" if filters else address


def _page(model: str, page: str) -> str:
    return reverse(f"admin:fleet_{model}_{page}")


def _clusters(count: int) -> str:
    return "cluster" if count == 1 else "clusters"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f}" if whole else "0"
