from fleet_cli import completion, verbs
from fleet_cli.resources import DESCRIPTION, LABEL_FILTER, SEARCH, Field, Kind, Resource
from fleet_cli.tables import Column

PROFILE = Resource(
    name="profile",
    section="profiles",
    completion=completion.profiles,
    help="Profiles: layers that lie on many clusters at once.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("WEIGHT", lambda it: it["weight"]),
        Column("ENVIRONMENTS", lambda it: it["environments"]),
        Column("LABELS", lambda it: it["labels"], flexible=True),
        Column("CLUSTERS", lambda it: "" if it["clusters"] is None else len(it["clusters"])),
        Column(
            "COMPONENTS",
            lambda it: [each["id"] for each in it["platform_components"]],
            flexible=True,
        ),
        Column(
            "NAMESPACES",
            lambda it: [each["id"] for each in it["namespaces"]],
            wide=True,
            flexible=True,
        ),
        Column(
            "ROLEBINDINGS",
            lambda it: [each["id"] for each in it["rolebindings"]],
            wide=True,
            flexible=True,
        ),
        Column("DESCRIPTION", lambda it: it["description"], wide=True, flexible=True),
    ),
    fields=(
        DESCRIPTION,
        Field("weight", "--weight", "The heavier profile wins.", Kind.NUMBER),
        Field(
            "environments",
            "--environment",
            "Select these environments; all of them, each time.",
            Kind.LIST,
            completion.environments,
        ),
        Field("labels", "--label", "Select clusters with this label; KEY- drops one.", Kind.MAP),
        Field(
            "clusters",
            "--cluster",
            "Select these clusters; all of them, each time.",
            Kind.LIST,
            completion.clusters,
        ),
    ),
    filters=(
        SEARCH,
        Field("environment", "--environment", "That select this one.", Kind.TEXT),
        LABEL_FILTER,
        Field("cluster", "--cluster", "With this one on their list.", Kind.TEXT),
        Field("component", "--component", "That assign it.", Kind.TEXT, completion.components),
    ),
)

app = PROFILE.app()
verbs.add_list(app, PROFILE, examples=["flux-fleet profile list -o wide"])
verbs.add_get(app, PROFILE, examples=["flux-fleet profile get production"])
verbs.add_create(
    app,
    PROFILE,
    examples=[
        "flux-fleet profile create night-shift --weight 70 --environment dev --environment qa",
        "flux-fleet profile create wave-1 --cluster dev-eu-01 --file wave.yaml",
    ],
)
verbs.add_update(
    app, PROFILE, examples=["flux-fleet profile update night-shift --weight 75 --label tier=core"]
)
verbs.add_delete(app, PROFILE, examples=["flux-fleet profile delete night-shift"])
