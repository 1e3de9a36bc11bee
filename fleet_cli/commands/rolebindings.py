from fleet_cli import completion, verbs
from fleet_cli.commands import assignments
from fleet_cli.resources import DESCRIPTION, SEARCH, Field, Kind, Resource, subjects
from fleet_cli.tables import Column

ROLEBINDING = Resource(
    name="rolebinding",
    section="rolebindings",
    completion=completion.rolebindings,
    help="Role bindings, and which clusters get them.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("ROLE", lambda it: it["role"]),
        Column(
            "SUBJECTS",
            lambda it: [f"{who['kind']}:{who['name']}" for who in it["subjects"]],
            flexible=True,
        ),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        Field("role", "--role", "The ClusterRole."),
        Field(
            "subjects",
            "--subject",
            "Who: Group:NAME, User:NAME or ServiceAccount:NAMESPACE/NAME; all of them, each time.",
            Kind.LIST,
            metavar="KIND:NAME",
            read=subjects,
        ),
    ),
    filters=(SEARCH, Field("role", "--role", "With this role.")),
)

app = ROLEBINDING.app()
verbs.add_list(app, ROLEBINDING, examples=["flux-fleet rolebinding list --role view"])
verbs.add_get(app, ROLEBINDING, examples=["flux-fleet rolebinding get on-call"])
assignments.add_create(
    app,
    ROLEBINDING,
    examples=["flux-fleet rolebinding create data-team --role edit --subject Group:data"],
)
verbs.add_update(
    app,
    ROLEBINDING,
    examples=["flux-fleet rolebinding update data-team --subject ServiceAccount:shop/deployer"],
)
assignments.add_assign(
    app, ROLEBINDING, examples=["flux-fleet rolebinding assign data-team --label tier=core --yes"]
)
assignments.add_unassign(
    app, ROLEBINDING, examples=["flux-fleet rolebinding unassign data-team --label tier=core --yes"]
)
verbs.add_delete(app, ROLEBINDING, examples=["flux-fleet rolebinding delete data-team"])
