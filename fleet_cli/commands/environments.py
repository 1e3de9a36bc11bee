from fleet_cli import completion, verbs
from fleet_cli.resources import DESCRIPTION, SEARCH, Field, Kind, Resource
from fleet_cli.tables import Column

RANK = "Where it stands among the others."

ENVIRONMENT = Resource(
    name="environment",
    section="environments",
    completion=completion.environments,
    help="Environments: dev, qa, uat, prod, and what you add.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("RANK", lambda it: it["rank"]),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        Field("rank", "--rank", RANK, Kind.NUMBER),
    ),
    filters=(SEARCH,),
)

app = ENVIRONMENT.app()
verbs.add_list(app, ENVIRONMENT, examples=["flux-fleet environment list"])
verbs.add_get(app, ENVIRONMENT, examples=["flux-fleet environment get prod"])
verbs.add_create(app, ENVIRONMENT, examples=["flux-fleet environment create staging --rank 35"])
verbs.add_update(app, ENVIRONMENT, examples=["flux-fleet environment update staging --rank 25"])
verbs.add_delete(app, ENVIRONMENT, examples=["flux-fleet environment delete staging"])
