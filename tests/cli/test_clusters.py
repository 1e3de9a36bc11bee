import httpx

from tests.cli.conftest import Cli


def test_create_update_and_get(cli: Cli, api: httpx.Client) -> None:
    made = cli(
        *("cluster", "create", "cli-01", "--dns", "cli-01.example.com", "--environment", "dev"),
        *("--label", "region=eu", "--label", "tier=lab", "--node-count", "3"),
    ).ok()
    assert made.out.startswith("Cluster cli-01 made, revision ")
    cli("cluster", "update", "cli-01", "--label", "tier-", "--node-count", "5").ok()
    found = cli("cluster", "get", "cli-01", "-o", "json").ok().json
    assert (found["cluster_name"], found["node_count"]) == ("cli-01", 5)
    assert found["labels"] == {"region": "eu"}
    cli("cluster", "delete", "cli-01", "--yes").ok()
    cli("cluster", "delete", "cli-01", "--purge", "--yes").ok()
    assert api.get("/clusters/cli-01").status_code == 404


def test_create_from_a_file_with_options_on_top(cli: Cli, api: httpx.Client, tmp_path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text("cluster_dns: cli-02.example.com\nenvironment: dev\nnamespaces: [podinfo]\n")
    cli("cluster", "create", "cli-02", "--file", str(file), "--environment", "qa").ok()
    found = api.get("/clusters/cli-02").json()
    assert (found["environment"], found["namespaces"]) == ("qa", [{"id": "podinfo"}])
    for _ in range(2):
        api.delete("/clusters/cli-02")


def test_update_many_by_filters(cli: Cli, api: httpx.Client, cluster: str) -> None:
    done = cli("cluster", "update", "--where", f"label=test:{cluster}", "--vm-image", "debian-13")
    assert done.ok().out.startswith("Changed 1 cluster, revision ")
    assert api.get(f"/clusters/{cluster}").json()["vm_image"] == "debian-13"


def test_a_filter_that_does_not_exist_is_refused(cli: Cli, unchanged: None) -> None:
    done = cli("cluster", "update", "--where", "enviroment=prod", "--vm-image", "x")
    assert done.code == 1
    assert "did you mean environment?" in done.err


def test_freeze_and_unfreeze_by_name_and_by_selector(cli: Cli, cluster: str) -> None:
    assert cli("cluster", "freeze", cluster, "-o", "json").ok().json["state"] == "frozen"
    assert cli("cluster", "unfreeze", "--label", f"test={cluster}").ok().out.startswith("Unfroze ")
    assert cli("cluster", "get", cluster, "-o", "json").ok().json["state"] == "active"


def test_delete_decommissions_and_a_repetition_does_not_purge(
    cli: Cli, api: httpx.Client, cluster: str
) -> None:
    assert cli("cluster", "delete", cluster, "--yes").ok().out.startswith("Decommissioned ")
    again = cli("cluster", "delete", cluster, "--yes")
    assert again.code == 1
    assert "To forget a cluster, say --purge." in again.err
    assert cli("cluster", "recommission", cluster, "--yes").ok().out.startswith("Took back ")
    assert cli("cluster", "delete", cluster, "--purge", "--yes").code == 1
    assert api.get(f"/clusters/{cluster}").json()["state"] == "active"


def test_restore(cli: Cli, api: httpx.Client, cluster: str, newest) -> None:
    number = str(newest()["number"])
    cli("component", "patch", "podinfo", "replicaCount=9", "--cluster", cluster).ok()
    cli("cluster", "restore", cluster, "--revision", number, "--yes").ok()
    assert api.get(f"/clusters/{cluster}").json()["patches"] == {}


def test_effective_tells_where_each_value_comes_from(cli: Cli) -> None:
    done = cli("cluster", "effective", "demo-cluster-01").ok()
    assert '  component_version: "6.8.0"  catalog' in done.lines
    assert "  values.replicaCount: 2  cluster demo-cluster-01" in done.lines
    names = cli("cluster", "effective", "demo-cluster-01", "-o", "name").ok().lines
    assert "platform_components/podinfo" in names
    past = cli("cluster", "effective", "demo-cluster-01", "--revision", "2", "-o", "json").ok().json
    assert past["revision"] == 2


def test_diff_shows_both_sides(cli: Cli, cluster: str, newest) -> None:
    number = str(newest()["number"])
    cli("component", "patch", "podinfo", "replicaCount=9", "--cluster", cluster).ok()
    done = cli("cluster", "diff", cluster, "--from", number)
    assert done.code == 5
    assert done.lines == ["platform-components podinfo values.replicaCount: 1 → 9"]
    assert cli("cluster", "diff", cluster, "--from", number, "-o", "json").json["changes"]


def test_revisions_of_a_cluster(cli: Cli, cluster: str, newest) -> None:
    assert cli("cluster", "revisions", cluster, "-o", "name").ok().lines == [
        str(newest()["number"])
    ]


def test_delete_by_selector_means_those_that_live(cli: Cli, unchanged: None) -> None:
    planned = cli("cluster", "delete", "--environment", "dev", "--dry-run", "-o", "name").ok()
    assert sorted(planned.lines) == ["demo-cluster-01", "dev-eu-01"]
    purged = cli("cluster", "delete", "--all", "--purge", "--dry-run", "-o", "json").ok().json
    assert purged["purged"] == ["dev-us-01"]
