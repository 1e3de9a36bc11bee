"""The catalog, where its components go, and their values on each layer."""

from typing import Annotated, Any

import typer

from fleet_cli import completion, verbs
from fleet_cli.api import Request, path_of
from fleet_cli.assigning import TARGET, Target, target_of, tell_layers
from fleet_cli.command import command
from fleet_cli.commands import assignments
from fleet_cli.errors import WrongUsage
from fleet_cli.output import show_document
from fleet_cli.pairs import values_of
from fleet_cli.resources import DESCRIPTION, SEARCH, Field, Kind, Resource
from fleet_cli.selection import PANEL
from fleet_cli.session import Session
from fleet_cli.tables import Column
from fleet_cli.writes import carry_out

PATH = Field("component_path", "--component-path", "The chart, or the path in the artifact.")
VERSION = Field("component_version", "--component-version", "The version, or latest.")
TAG = Field("oci_tag", "--oci-tag", "The tag of the artifact.")
ENABLED = Field("enabled", "--enabled", "Switch it on or off there.", Kind.FLAG)

COMPONENT = Resource(
    name="component",
    section="platform_components",
    completion=completion.components,
    help="The catalog of components, and which clusters get them.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("VERSION", lambda it: it["component_version"]),
        Column("KIND", lambda it: it["kind"]),
        Column("DEPENDS ON", lambda it: it["depends_on"], flexible=True),
        Column("PATH", lambda it: it["component_path"], wide=True, flexible=True),
        Column("SOURCE", lambda it: it["oci_url"], flexible=True),
        Column("TAG", lambda it: it["oci_tag"], wide=True),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        Field("kind", "--kind", "helm or kustomize."),
        PATH,
        VERSION,
        Field("oci_url", "--oci-url", "Where it comes from: oci://… or https://…"),
        TAG,
        Field(
            "cluster_env_enabled",
            "--cluster-env-enabled",
            "The path has a folder for each environment.",
            Kind.FLAG,
        ),
        Field(
            "depends_on",
            "--depends-on",
            "What it needs; all of them, each time.",
            Kind.LIST,
            completion.components,
        ),
    ),
    filters=(
        SEARCH,
        Field("kind", "--kind", "helm or kustomize."),
        Field("component_version", "--component-version", "In this version."),
        Field("depends_on", "--depends-on", "That need this one."),
    ),
)

Component = Annotated[
    str, typer.Argument(metavar="COMPONENT", autocompletion=completion.components)
]
Values = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY=VALUE",
        help="Typed as Helm's --set types it.",
        default_factory=list,
        show_default=False,
    ),
]
Sets = Annotated[
    list[str],
    typer.Option(
        "--set", metavar="KEY=VALUE", help="The same.", default_factory=list, show_default=False
    ),
]
Strings = Annotated[
    list[str],
    typer.Option(
        "--string",
        metavar="KEY=TEXT",
        help="Stays text, whatever it is.",
        default_factory=list,
        show_default=False,
    ),
]
Exact = Annotated[
    list[str],
    typer.Option(
        "--json",
        metavar="KEY=JSON",
        help="Exactly this JSON value.",
        default_factory=list,
        show_default=False,
    ),
]
Catalog = Annotated[
    bool,
    typer.Option("--catalog", help="The catalog: what all start from.", rich_help_panel=PANEL),
]
Keys = Annotated[list[str], typer.Argument(metavar="KEY")]

app = COMPONENT.app()
verbs.add_list(app, COMPONENT, examples=["flux-fleet component list --kind kustomize"])
verbs.add_get(app, COMPONENT, examples=["flux-fleet component get podinfo -o yaml"])
assignments.add_create(
    app,
    COMPONENT,
    examples=[
        "flux-fleet component create reports --component-path reports --component-version 1.4.0 "
        "--oci-url oci://registry.example.com/charts --depends-on traefik "
        "--cluster demo-cluster-01",
        "flux-fleet component create mailer --file mailer.yaml",
    ],
)
verbs.add_update(
    app,
    COMPONENT,
    examples=["flux-fleet component update podinfo --component-version 6.9.1 --dry-run"],
)
assignments.add_assign(
    app,
    COMPONENT,
    examples=[
        "flux-fleet component assign reports --environment dev --yes",
        "flux-fleet component assign reports --cluster qa-eu-01 --component-version 1.5.0-rc.1",
        "flux-fleet component assign velero --cluster edge-lab-01 --no-enabled",
    ],
    fields=(ENABLED, VERSION, TAG, PATH),
)
assignments.add_unassign(
    app,
    COMPONENT,
    examples=["flux-fleet component unassign reports --environment dev --yes"],
)


def request_for(
    session: Session, component: str, patch: dict[str, Any], target: Target, catalog: bool
) -> Request:
    """The catalog has values of its own; another layer has them by component."""
    if catalog:
        if target.profile is not None or not target.clusters.is_empty:
            raise WrongUsage("--catalog is a layer of its own: give it, or clusters.")
        return Request("PATCH", path_of(COMPONENT.section, component), patch)
    layered = {name: {component: view} for name, view in patch.items()}
    target.check()
    if target.profile is not None:
        return Request("PATCH", path_of("profiles", target.profile), layered)
    return target.clusters.patch(session.api, layered)


@command(
    app,
    examples=[
        "flux-fleet component patch podinfo replicaCount=3 --cluster demo-cluster-01",
        "flux-fleet component patch traefik deployment.replicas=4 --environment prod "
        "--label tier=core --reason 'more traffic'",
        "flux-fleet component patch podinfo --string podAnnotations.prometheus\\\\.io/scrape=true "
        "--catalog",
    ],
    writes=True,
    own=TARGET,
)
def patch(
    session: Session,
    component: Component,
    values: Values,
    sets: Sets,
    strings: Strings,
    exact: Exact,
    catalog: Catalog = False,
    **where: Any,
) -> None:
    """Set values of a component: on clusters, on a profile, or in the catalog.

    A dot leads into an object, and \\. is a dot in a name.
    """
    given = values_of([*values, *sets], strings, exact)
    if not given:
        raise WrongUsage("Nothing to set was given.", "Give KEY=VALUE.")
    target = target_of(where)
    answer = carry_out(session, lambda: request_for(session, component, given, target, catalog))
    tell_layers(session, answer, f"{component} patched on {{}}")


@command(
    app,
    examples=[
        "flux-fleet component unpatch podinfo ui.message --cluster demo-cluster-01",
        "flux-fleet component unpatch traefik deployment.replicas --profile production --yes",
    ],
    writes=True,
    own=TARGET,
)
def unpatch(
    session: Session,
    component: Component,
    keys: Keys,
    catalog: Catalog = False,
    **where: Any,
) -> None:
    """Drop values of a layer: what the layers below it say holds again."""
    given = {"patches": dict.fromkeys(keys)}
    target = target_of(where)
    answer = carry_out(session, lambda: request_for(session, component, given, target, catalog))
    tell_layers(session, answer, f"{component} unpatched on {{}}")


@command(app, examples=["flux-fleet component usage traefik"])
def usage(session: Session, component: Component) -> None:
    """Tell where a component is used."""
    found = session.api.get(path_of(COMPONENT.section, component, "usage")).data
    show_document(session, {"id": component, **found})


verbs.add_delete(app, COMPONENT, examples=["flux-fleet component delete mailer"])
