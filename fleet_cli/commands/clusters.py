"""Clusters: what they are, the states they are in, and what they get."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fleet_cli import completion, verbs
from fleet_cli.api import Answer, Request, path_of
from fleet_cli.assigning import tell_layers
from fleet_cli.command import command
from fleet_cli.commands import cluster_csv
from fleet_cli.commands.revisions import COLUMNS as REVISION_COLUMNS
from fleet_cli.effective import show_difference, show_effective
from fleet_cli.errors import DifferencesFound, Refused
from fleet_cli.output import show_document, show_list, watched
from fleet_cli.resources import DESCRIPTION, LABEL_FILTER, LABELS, SEARCH, Field, Kind, Resource
from fleet_cli.selection import SELECTORS, Selection, batch, selection_of, where_of
from fleet_cli.session import Session
from fleet_cli.tables import Column
from fleet_cli.writes import carry_out

CLUSTER = Resource(
    name="cluster",
    section="clusters",
    completion=completion.clusters,
    help="Clusters: what they are, the states they are in, and what they get.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("ENVIRONMENT", lambda it: it["environment"]),
        Column("STATE", lambda it: it["state"], is_state=True),
        Column("LABELS", lambda it: it["labels"], flexible=True),
        Column("NODES", lambda it: it["node_count"]),
        Column("DNS", lambda it: it["cluster_dns"], flexible=True),
        Column("IMAGE", lambda it: it["vm_image"], wide=True),
        Column("K0S", lambda it: it["k0s_version"], wide=True),
        Column(
            "OWN COMPONENTS",
            lambda it: [x["id"] for x in it["platform_components"]],
            wide=True,
            flexible=True,
        ),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        Field("cluster_name", "--name", "Its name; that of the id unless given."),
        Field("cluster_dns", "--dns", "The DNS name by which it asks."),
        Field(
            "environment", "--environment", "Its environment.", completion=completion.environments
        ),
        LABELS,
        Field("node_count", "--node-count", "How many nodes it has.", Kind.NUMBER),
        Field("vm_image", "--vm-image", "The image of its nodes."),
        Field("k0s_version", "--k0s-version", "The version of k0s."),
    ),
    filters=(
        SEARCH,
        Field("environment", "--environment", "Of this one.", completion=completion.environments),
        LABEL_FILTER,
        Field("state", "--state", "active, frozen, decommissioned or waiting."),
        Field(
            "component",
            "--component",
            "That have it by any layer.",
            completion=completion.components,
        ),
        Field(
            "component_version", "--component-version", "That run the component in this version."
        ),
        Field("namespace", "--namespace", "That have it by any layer."),
        Field("rolebinding", "--rolebinding", "That have it by any layer."),
        Field("ordering", "--ordering", "A field to sort by; with - before it, backwards."),
    ),
)

Id = Annotated[str, typer.Argument(metavar="CLUSTER", autocompletion=completion.clusters)]
Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="CLUSTER",
        autocompletion=completion.clusters,
        default_factory=list,
        show_default=False,
    ),
]
WITH_NOTHING = ("decommissioned", "waiting")
# Their options for clusters are the arguments here.
BY_FILTER = tuple(each for each in SELECTORS if each.name != "cluster")

app = CLUSTER.app()
verbs.add_list(
    app,
    CLUSTER,
    examples=[
        "flux-fleet cluster list --environment prod --label tier=edge",
        "flux-fleet cluster list --component podinfo --component-version 6.8.0 -o name",
    ],
)
verbs.add_get(app, CLUSTER, examples=["flux-fleet cluster get demo-cluster-01 -o yaml"])


@command(
    app,
    examples=[
        "flux-fleet cluster create dev-ap-01 --dns dev-ap-01.k8s.example.com --environment dev "
        "--label region=ap-south"
    ],
    writes=True,
    own=[field.parameter() for field in CLUSTER.fields],
)
def create(session: Session, id: str, file: verbs.FileOption = None, **values: Any) -> None:
    """Make a cluster."""
    document = verbs.document_of(CLUSTER, file, values, patch=False, id=id)
    document.setdefault("cluster_name", id)
    request = Request("POST", "/clusters", document)
    verbs.done(session, CLUSTER, carry_out(session, lambda: request), "made")


@command(
    app,
    examples=[
        "flux-fleet cluster update dev-ap-01 --node-count 5 --label window=sunday",
        "flux-fleet cluster update --where environment=prod --where label=tier:edge "
        "--k0s-version v1.33.2+k0s.0",
    ],
    writes=True,
    own=[field.parameter() for field in CLUSTER.fields],
)
def update(
    session: Session,
    clusters: Ids,
    where: Annotated[
        list[str],
        typer.Option(
            metavar="FILTER=VALUE",
            help="Clusters that match, such as environment=prod or label=tier:gold.",
            default_factory=list,
            show_default=False,
        ),
    ],
    whole: Annotated[bool, typer.Option("--all", help="Every cluster.")] = False,
    file: verbs.FileOption = None,
    **values: Any,
) -> None:
    """Change fields of clusters; the others stay."""
    patch = verbs.document_of(CLUSTER, file, values, patch=True)
    selection = Selection(tuple(clusters), where_of(where), whole)
    answer = carry_out(session, lambda: selection.patch(session.api, patch))
    tell_layers(session, answer, "Changed {}")


def act_on(
    session: Session, ids: Callable[[], Sequence[str]], method: str, act: str = ""
) -> Answer | None:
    """The same act on each of them, as one change."""
    tail = [act] if act else []

    def make() -> Request:
        paths = [path_of("clusters", item, *tail) for item in dict.fromkeys(ids())]
        if len(paths) == 1:
            return Request(method, paths[0])
        return batch([(method, path, None) for path in paths])

    return carry_out(session, make)


def ids_of(session: Session, selection: Selection) -> list[str]:
    selection.check()
    return list(selection.ids) or [item["id"] for item in selection.documents(session.api)]


def selected(clusters: Sequence[str], where: dict[str, Any]) -> Selection:
    return selection_of({"cluster": clusters, **where})


def change_state(
    session: Session, clusters: Sequence[str], where: dict[str, Any], act: str, told: str
) -> None:
    selection = selected(clusters, where)
    answer = act_on(session, lambda: ids_of(session, selection), "POST", act)
    tell_layers(session, answer, told)


@command(
    app,
    examples=[
        "flux-fleet cluster freeze prod-eu-01 --reason 'Black Friday'",
        "flux-fleet cluster freeze --environment qa",
    ],
    writes=True,
    own=BY_FILTER,
)
def freeze(session: Session, clusters: Ids, **where: Any) -> None:
    """Freeze clusters: they go on getting what they get now, whatever changes."""
    change_state(session, clusters, where, "freeze", "Froze {}")


@command(
    app,
    examples=[
        "flux-fleet cluster unfreeze prod-eu-01",
        "flux-fleet cluster unfreeze --environment qa --yes",
    ],
    writes=True,
    own=BY_FILTER,
)
def unfreeze(session: Session, clusters: Ids, **where: Any) -> None:
    """Unfreeze clusters: they get at once all that has changed since."""
    change_state(session, clusters, where, "unfreeze", "Unfroze {}")


@command(
    app,
    examples=["flux-fleet cluster approve new-01"],
    writes=True,
    own=BY_FILTER,
)
def approve(session: Session, clusters: Ids, **where: Any) -> None:
    """Let clusters in that have registered themselves: they get what their layers say."""
    selection = selected(clusters, where)
    answer = act_on(session, lambda: waiting(session, selection), "POST", "approve")
    tell_layers(session, answer, "Approved {}")


def waiting(session: Session, selection: Selection) -> list[str]:
    """Of those that a selector finds, the ones that wait."""
    if selection.ids:
        return list(selection.ids)
    found = [it["id"] for it in selection.documents(session.api) if it["state"] == "waiting"]
    if not found:
        raise Refused(f"No cluster of {selection.described} waits for approval.")
    return found


@command(
    app,
    examples=[
        "flux-fleet cluster delete dev-ap-01 --yes",
        "flux-fleet cluster delete dev-us-01 --purge --yes",
    ],
    writes=True,
    own=BY_FILTER,
)
def delete(
    session: Session,
    clusters: Ids,
    purge: Annotated[
        bool, typer.Option("--purge", help="Forget what is decommissioned, or waits.")
    ] = False,
    **where: Any,
) -> None:
    """Decommission clusters: Flux removes everything from them. With --purge, forget those that
    are decommissioned, or wait for approval."""
    selection = selected(clusters, where)
    answer = act_on(session, lambda: to_delete(session, selection, purge=purge), "DELETE")
    tell_layers(session, answer, "Forgot {}" if purge else "Decommissioned {}")


def to_delete(session: Session, selection: Selection, *, purge: bool) -> list[str]:
    """DELETE purges what has nothing to clean up: nobody should do that by repeating a command. Of
    those that a selector finds, only the ones that are in the right state are meant."""
    found = selection.documents(session.api)
    fitting = [it["id"] for it in found if (it["state"] in WITH_NOTHING) == purge]
    if not fitting or (selection.ids and len(fitting) < len(found)):
        if purge:
            raise Refused("Not decommissioned yet.", "First: flux-fleet cluster delete")
        raise Refused("Nothing is there to decommission.", "To forget a cluster, say --purge.")
    return fitting


@command(app, examples=["flux-fleet cluster recommission dev-ap-01"], writes=True, own=BY_FILTER)
def recommission(session: Session, clusters: Ids, **where: Any) -> None:
    """Take decommissioned clusters back: they get all that they had."""
    change_state(session, clusters, where, "recommission", "Took back {}")


@command(
    app,
    examples=["flux-fleet cluster restore demo-cluster-01 --revision 2 --yes"],
    writes=True,
)
def restore(
    session: Session,
    cluster: Id,
    revision: Annotated[
        int, typer.Option(help="As it was there.", autocompletion=completion.revisions)
    ],
) -> None:
    """Bring a cluster back to what it was at a revision, also after it was purged."""
    request = Request("POST", path_of("clusters", cluster, "restore"), {"revision": revision})
    verbs.done(session, CLUSTER, carry_out(session, lambda: request), f"restored from {revision}")


Revision = Annotated[
    int | None, typer.Option(help="As it was there.", autocompletion=completion.revisions)
]


@command(app, examples=["flux-fleet cluster effective demo-cluster-01"], watches=True)
def effective(session: Session, cluster: Id, revision: Revision = None) -> None:
    """Show what a cluster gets, every value with the layer that gave it."""
    parameters = [] if revision is None else [("revision", str(revision))]
    path = path_of("clusters", cluster, "effective")
    watched(
        session,
        lambda: session.api.get(path, parameters).data,
        lambda found: show_effective(session, found),
    )


@command(
    app,
    examples=[
        "flux-fleet cluster diff demo-cluster-01 --from 2 --to 2",
    ],
)
def diff(
    session: Session,
    cluster: Id,
    start: Annotated[
        int, typer.Option("--from", help="A revision.", autocompletion=completion.revisions)
    ],
    to: Annotated[
        int | None,
        typer.Option(help="Another; now, unless given.", autocompletion=completion.revisions),
    ] = None,
) -> None:
    """Show how what a cluster gets differs between two revisions. Exits with 5 if it does."""
    parameters = [("from", str(start)), *([] if to is None else [("to", str(to))])]
    found = session.api.get(path_of("clusters", cluster, "diff"), parameters).data
    show_difference(session, found)
    if found["changes"]:
        raise DifferencesFound


@command(app, examples=["flux-fleet cluster revisions demo-cluster-01"], watches=True)
def revisions(session: Session, cluster: Id) -> None:
    """List the revisions that changed what a cluster gets."""
    path = path_of("clusters", cluster, "revisions")
    watched(
        session,
        lambda: list(session.api.pages(path)),
        lambda found: show_list(session, found, REVISION_COLUMNS, key="number"),
    )


@command(
    app,
    "import",
    examples=["flux-fleet cluster import clusters.csv --dry-run"],
    writes=True,
)
def import_csv(session: Session, file: Annotated[Path, typer.Argument(metavar="FILE.csv")]) -> None:
    """Make or change clusters from a CSV file, all or none.

    The first row names the fields: id, cluster_dns, environment, node_count, labels.region and so
    on. A column that is not there, or an empty cell, leaves what a cluster has.
    """
    answer = cluster_csv.carry_out_import(session, file)
    if answer is not None:
        if session.for_people:
            session.tell(cluster_csv.summary(answer.data))
        else:
            show_document(session, answer.data)
