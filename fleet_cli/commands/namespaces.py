from fleet_cli import completion, verbs
from fleet_cli.commands import assignments
from fleet_cli.resources import DESCRIPTION, LABEL_FILTER, LABELS, SEARCH, Field, Kind, Resource
from fleet_cli.tables import Column

NAMESPACE = Resource(
    name="namespace",
    section="namespaces",
    completion=completion.namespaces,
    help="Namespaces, and which clusters get them.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("LABELS", lambda it: it["labels"], flexible=True),
        Column("ANNOTATIONS", lambda it: it["annotations"], wide=True, flexible=True),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        LABELS,
        Field("annotations", "--annotation", "An annotation; KEY- takes one away.", Kind.MAP),
    ),
    filters=(SEARCH, LABEL_FILTER),
)

app = NAMESPACE.app()
verbs.add_list(app, NAMESPACE, examples=["flux-fleet namespace list -o wide"])
verbs.add_get(app, NAMESPACE, examples=["flux-fleet namespace get podinfo -o yaml"])
assignments.add_create(
    app,
    NAMESPACE,
    examples=[
        "flux-fleet namespace create team-sandbox --cluster demo-cluster-01 --label team=sandbox",
        "flux-fleet namespace create scratch --annotation owner=platform",
    ],
)
verbs.add_update(
    app, NAMESPACE, examples=["flux-fleet namespace update scratch --label team=web --label old-"]
)
assignments.add_assign(
    app, NAMESPACE, examples=["flux-fleet namespace assign scratch --environment dev"]
)
assignments.add_unassign(
    app,
    NAMESPACE,
    examples=["flux-fleet namespace unassign scratch --environment dev --reason 'no longer used'"],
)
verbs.add_delete(app, NAMESPACE, examples=["flux-fleet namespace delete scratch"])
