"""Short ways through a demonstration, under the names that they have elsewhere."""

from typing import Annotated, Any

import typer

from fleet_cli import completion
from fleet_cli.api import Request, path_of
from fleet_cli.assigning import given
from fleet_cli.command import command
from fleet_cli.errors import WrongUsage
from fleet_cli.output import json_text, write_text
from fleet_cli.pairs import map_of
from fleet_cli.selection import batch
from fleet_cli.session import Session
from fleet_cli.writes import carry_out

Cluster = Annotated[str, typer.Argument(metavar="CLUSTER", autocompletion=completion.clusters)]
Labels = typer.Option(
    metavar="KEY=VALUE", help="Of the namespace.", default_factory=list, show_default=False
)

app = typer.Typer(name="demo", help="Short ways through a demonstration.", no_args_is_help=True)


@command(
    app,
    examples=["flux-fleet demo add-namespace demo-cluster-01 team-a --label team=a"],
    writes=True,
    shows=False,
)
def add_namespace(
    session: Session,
    cluster: Cluster,
    namespace: str,
    label: Annotated[list[str], Labels],
    annotation: Annotated[list[str], Labels],
) -> None:
    """Make a namespace, or change it, and give it to a cluster."""
    fields = {
        "labels": map_of(label, "--label"),
        "annotations": map_of(annotation, "--annotation"),
    }
    path = path_of("clusters", cluster)

    def make() -> Request:
        known = {item["id"] for item in session.api.pages("/namespaces")}
        own = session.api.get(path).data["namespaces"]
        upsert: tuple[str, str, Any] = ("POST", "/namespaces", {"id": namespace, **fields})
        if namespace in known:
            upsert = ("PUT", path_of("namespaces", namespace), fields)
        return batch([upsert, ("PATCH", path, {"namespaces": given({"id": namespace})(own)})])

    answer = carry_out(session, make)
    if answer is not None:
        write_text(session, json_text(answer.data[-1]["body"]))


@command(
    app,
    examples=["flux-fleet demo patch-component demo-cluster-01 podinfo --set replicaCount=3"],
    writes=True,
    shows=False,
)
def patch_component(
    session: Session,
    cluster: Cluster,
    component: Annotated[str, typer.Argument(autocompletion=completion.components)],
    values: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Typed as Helm's --set types it.",
            default_factory=list,
            show_default=False,
        ),
    ],
) -> None:
    """Set values of a component on a cluster, and show them before and after."""
    pairs = map_of(values, "--set")
    if not pairs:
        raise WrongUsage("Nothing to set was given.", "Give --set KEY=VALUE.")
    path = path_of("clusters", cluster)
    before = session.api.get(path).data
    request = Request("PATCH", path, {"patches": {component: pairs}})
    answer = carry_out(session, lambda: request)
    if answer is not None:
        write_text(
            session,
            json_text(
                {
                    "cluster_id": cluster,
                    "component_id": component,
                    "before": before["patches"].get(component, {}),
                    "after": answer.data["patches"].get(component, {}),
                }
            ),
        )


@command(
    app,
    examples=["flux-fleet demo flux-namespaces demo-cluster-01.k8s.example.com"],
    shows=False,
)
def flux_namespaces(session: Session, cluster_dns: str) -> None:
    """Show what Flux gets for the namespaces of a cluster."""
    path = f"/api/v2/flux{path_of('clusters', cluster_dns, 'namespaces')}"
    write_text(session, json_text(session.api.get(path).data))
