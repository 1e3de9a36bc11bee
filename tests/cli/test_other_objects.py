import httpx

from tests.cli.conftest import Cli


def test_namespaces(cli: Cli, api: httpx.Client, cluster: str) -> None:
    created = ("--label", "a=1", "--cluster", cluster, "--description", "For a test.")
    cli("namespace", "create", "cli-ns", *created).ok()
    cli("namespace", "update", "cli-ns", "--label", "a-", "--annotation", "owner=me").ok()
    found = cli("namespace", "get", "cli-ns", "-o", "json").ok().json
    assert found == {
        "id": "cli-ns",
        "description": "For a test.",
        "labels": {},
        "annotations": {"owner": "me"},
    }
    assert cli("namespace", "list", "--search", "for a test", "-o", "name").ok().lines == ["cli-ns"]
    assert cli("namespace", "delete", "cli-ns").code == 1
    cli("namespace", "unassign", "cli-ns", "--cluster", cluster, "--yes").ok()
    cli("namespace", "assign", "cli-ns", "--cluster", cluster).ok()
    cli("namespace", "unassign", "cli-ns", "--label", f"test={cluster}", "--yes").ok()
    cli("namespace", "delete", "cli-ns").ok()
    assert "cli-ns" not in cli("namespace", "list", "-o", "name").ok().lines


def test_rolebindings(cli: Cli, cluster: str) -> None:
    subjects = ("--subject", "Group:a", "--subject", "ServiceAccount:shop/deployer")
    cli("rolebinding", "create", "cli-rb", "--role", "view", *subjects).ok()
    cli("rolebinding", "update", "cli-rb", "--role", "edit").ok()
    found = cli("rolebinding", "get", "cli-rb", "-o", "json").ok().json
    assert found["role"] == "edit"
    assert [it["name"] for it in found["subjects"]] == ["a", "deployer"]
    cli("rolebinding", "assign", "cli-rb", "--cluster", cluster).ok()
    cli("rolebinding", "unassign", "cli-rb", "--cluster", cluster, "--yes").ok()
    cli("rolebinding", "delete", "cli-rb").ok()
    assert "cli-rb" not in cli("rolebinding", "list", "-o", "name").ok().lines


def test_profiles(cli: Cli, cluster: str) -> None:
    cli("profile", "create", "cli-p", "--weight", "5", "--label", f"test={cluster}").ok()
    cli("component", "assign", "spegel", "--profile", "cli-p").ok()
    cli("profile", "update", "cli-p", "--weight", "6").ok()
    found = cli("profile", "get", "cli-p", "-o", "json").ok().json
    assert (found["weight"], found["clusters"]) == (6, None)
    assert [it["id"] for it in found["platform_components"]] == ["spegel"]
    assert cli("profile", "list", "--component", "spegel", "-o", "name").ok().lines == [
        "cli-p",
        "edge",
    ]
    cli("profile", "delete", "cli-p", "--yes").ok()


def test_environments(cli: Cli) -> None:
    cli("environment", "create", "cli-e", "--rank", "7").ok()
    cli("environment", "update", "cli-e", "--rank", "8").ok()
    found = cli("environment", "get", "cli-e", "-o", "json").ok().json
    assert found == {"id": "cli-e", "description": "", "rank": 8}
    cli("environment", "delete", "cli-e").ok()


def test_tokens(cli: Cli, api: httpx.Client) -> None:
    made = cli("token", "create", "cli-t", "--kind", "reader").ok()
    [secret] = made.lines
    headers = {"Authorization": f"Bearer {secret}"}
    assert api.get("/clusters", headers=headers).status_code == 200
    [fresh] = cli("token", "rotate", "cli-t", "--grace-seconds", "0").ok().lines
    assert api.get("/clusters", headers=headers).status_code == 401
    shown = cli("token", "get", "cli-t", "-o", "json").ok()
    assert fresh not in shown.out
    assert "cli-t" in cli("token", "list", "--kind", "reader").ok().out
    assert cli("token", "delete", "cli-t").ok().out == "Token cli-t revoked.\n"
    assert cli("token", "get", "cli-t").code == 1


def test_revisions(cli: Cli, cluster: str, newest) -> None:
    patch = ("component", "patch", "podinfo", "replicaCount=4", "--cluster", cluster)
    cli(*patch, "--reason", "a test").ok()
    number = str(newest()["number"])
    listed = cli("revision", "list", "--cluster", cluster, "--search", "a test", "-o", "name").ok()
    assert listed.lines == [number]
    shown = cli("revision", "show", number).ok().out
    assert f"Changed what 1 cluster ({cluster}) get." in shown
    assert f"+ clusterpatch {cluster} podinfo replicaCount" in shown
    assert "No cluster" not in cli("revision", "revert", number, "--dry-run").ok().out
    done = cli("revision", "revert", number).ok()
    assert done.out == f"Took back revision {number}, as revision {int(number) + 1}.\n"


def test_a_revert_that_conflicts_tells_why(cli: Cli, cluster: str, newest) -> None:
    cli("cluster", "update", cluster, "--node-count", "5", "--vm-image", "debian-13").ok()
    number = str(newest()["number"])
    cli("cluster", "update", cluster, "--node-count", "6").ok()
    done = cli("revision", "revert", number)
    assert done.code == 1
    assert f"  cluster {cluster}: has another node_count by now: 6" in done.err.splitlines()
    cli("revision", "revert", number, "--skip-conflicts").ok()
    found = cli("cluster", "get", cluster, "-o", "json").ok().json
    assert (found["node_count"], found["vm_image"]) == (6, "")


def test_status(cli: Cli, site) -> None:
    done = cli("status").ok()
    assert done.lines[0] == site.base_url
    assert done.lines[1].split() == ["ENVIRONMENT", "ACTIVE", "FROZEN", "DECOMMISSIONED", "WAITING"]
    found = cli("status", "-o", "json").ok().json
    assert {row["id"] for row in found["environments"]} >= {"dev", "prod"}
    assert found["platform_components"] >= 13


def test_the_demo_commands(cli: Cli, cluster: str) -> None:
    done = cli("demo", "add-namespace", cluster, "cli-demo", "--label", "team=a").ok()
    assert {"id": "cli-demo"} in done.json["namespaces"]
    cli("demo", "add-namespace", cluster, "cli-demo", "--label", "team=b").ok()
    inputs = cli("demo", "flux-namespaces", f"{cluster}.example.com").ok().json["inputs"]
    assert {it["id"]: it["labels"] for it in inputs}["cli-demo"] == {"team": "b"}
    done = cli("demo", "patch-component", cluster, "podinfo", "--set", "replicaCount=3").ok()
    assert (done.json["before"], done.json["after"]) == ({}, {"replicaCount": "3"})
    cli("namespace", "unassign", "cli-demo", "--cluster", cluster, "--yes").ok()
    cli("namespace", "delete", "cli-demo").ok()


def test_a_cluster_that_registered_itself_is_approved(cli: Cli, api: httpx.Client) -> None:
    [secret] = (
        cli(
            *("token", "create", "cli-racks", "--kind", "enrolment", "--environment", "dev"),
            *("--label", "rack=7", "--needs-approval", "--max-uses", "2"),
            *("--expires-at", "2099-12-31T00:00:00Z"),
        )
        .ok()
        .lines
    )
    enrolled = api.post(
        "/enroll",
        json={"cluster_name": "cli-rack", "cluster_dns": "cli-rack.example.com"},
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert enrolled.is_success, enrolled.text
    [waiting] = cli("cluster", "list", "--state", "waiting", "-o", "name").ok().lines
    assert cli("cluster", "delete", waiting, "--yes").code == 1
    assert cli("cluster", "approve", "--label", "rack=7", "--yes").ok().out.startswith("Approved ")
    assert cli("cluster", "get", waiting, "-o", "json").ok().json["state"] == "active"
    assert cli("cluster", "approve", "--label", "rack=7", "--yes").code == 1
    for _ in range(2):
        api.delete(f"/clusters/{waiting}")
    cli("token", "delete", "cli-racks").ok()
