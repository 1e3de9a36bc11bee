"""Out of one server and into an empty one: Flux gets the same bytes."""

from pathlib import Path

from tests.cli.conftest import as_process
from tests.processes import Server, own_place, running

RESOURCES = ("platform-components", "namespaces", "rolebindings")
# Frozen clusters keep what they had; exact values, unset keys and empty lists stay what they are.
STORY = (
    "cluster freeze qa-eu-01",
    "component patch podinfo replicaCount=7 --catalog --yes",
    "component patch podinfo --string x=3 --json affinity=null --json s={} --cluster edge-nyc-01",
    "profile create nowhere --file nowhere.yaml",
    "cluster delete qa-us-01 --yes",
)


def variables(server: Server, folder: Path) -> dict[str, str]:
    return {
        "FLUX_API_URL": server.base_url,
        "FLUX_API_TOKEN": server.read_token,
        "FLUX_API_WRITE_TOKEN": server.write_token,
        "FLUX_FLEET_CONFIG": str(folder / "config.yaml"),
    }


def answers(server: Server) -> dict[str, bytes]:
    names = [item["cluster_dns"] for item in server.inputs("clusters")]
    paths = [f"clusters/{name}/{resource}" for name in names for resource in RESOURCES]
    return {path: server.get(f"/api/v2/flux/{path}").content for path in ["clusters", *paths]}


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.yaml")}


def test_export_wipe_apply(tmp_path: Path) -> None:
    (tmp_path / "nowhere.yaml").write_text("clusters: []\nnamespaces: [podinfo]\n")
    with own_place(tmp_path / "a") as place, running(place) as server:
        shell = variables(server, tmp_path)
        for line in STORY:
            as_process(tuple(line.split()), shell, folder=tmp_path).ok()
        as_process(("export", "fleet"), shell, folder=tmp_path).ok()
        before = answers(server)
    assert len(before) == 1 + 13 * len(RESOURCES)
    empty = tmp_path / "empty.json"
    empty.write_text('{"environments": []}')
    with own_place(tmp_path / "b") as place, running({**place, "SEED_FILE": str(empty)}) as server:
        shell = variables(server, tmp_path)
        assert server.inputs("clusters") == []
        as_process(("apply", "fleet", "--prune", "--yes"), shell, folder=tmp_path).ok()
        assert answers(server) == before
        assert as_process(("diff", "fleet", "--prune"), shell, folder=tmp_path).code == 0
        as_process(("export", "again"), shell, folder=tmp_path).ok()
        assert files(tmp_path / "again") == files(tmp_path / "fleet")
