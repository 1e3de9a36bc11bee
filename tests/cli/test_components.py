import httpx

from tests.cli.conftest import Cli


def patches(api: httpx.Client, path: str) -> dict:
    return api.get(path).json()["patches"]


def test_create_with_a_cluster_is_one_revision(cli: Cli, api: httpx.Client, cluster: str, newest):
    before = newest()["number"]
    cli(
        *("component", "create", "cli-a", "--component-path", "a", "--component-version", "1.0.0"),
        *("--oci-url", "oci://registry.example.com/a", "--depends-on", "traefik"),
        *("--cluster", cluster),
    ).ok()
    assert newest()["number"] == before + 1
    ids = [item["id"] for item in api.get(f"/clusters/{cluster}").json()["platform_components"]]
    assert ids == ["cli-a", "podinfo"]
    cli("component", "update", "cli-a", "--component-version", "1.1.0").ok()
    assert api.get("/platform_components/cli-a").json()["component_version"] == "1.1.0"
    cli("component", "unassign", "cli-a", "--cluster", cluster, "--yes").ok()
    assert cli("component", "delete", "cli-a").ok().out.startswith("Component cli-a deleted")


def test_assign_keeps_what_is_there_and_changes_only_what_is_said(
    cli: Cli, api: httpx.Client, cluster: str
) -> None:
    assign = ("component", "assign", "kyverno", "--label", f"test={cluster}")
    cli(*assign, "--component-version", "3.4.2").ok()
    cli(*assign, "--no-enabled", "--yes").ok()
    entries = {it["id"]: it for it in api.get(f"/clusters/{cluster}").json()["platform_components"]}
    assert entries.keys() == {"kyverno", "podinfo"}
    assert entries["kyverno"]["component_version"] == "3.4.2"
    assert entries["kyverno"]["enabled"] is False


def test_what_is_said_is_not_inherited_though_it_is_the_same(
    cli: Cli, api: httpx.Client, cluster: str
) -> None:
    assign = ("component", "assign", "kyverno", "--cluster", cluster)
    for option, expected in (
        ((), {"enabled": True, "enabled_inherited": True}),
        (
            ("--enabled",),
            {"enabled": True},
        ),
    ):
        cli(*assign, *option, "--yes").ok()
        [entry] = [
            it
            for it in api.get(f"/clusters/{cluster}").json()["platform_components"]
            if it["id"] == "kyverno"
        ]
        assert {name: entry[name] for name in entry if name.startswith("enabled")} == expected


def test_assign_to_several_is_one_revision(cli: Cli, newest) -> None:
    before = newest()["number"]
    cli(
        "component", "assign", "spegel", "--cluster", "qa-eu-01", "--cluster", "qa-us-01", "-y"
    ).ok()
    assert newest()["number"] == before + 1
    cli("revision", "revert", str(newest()["number"]), "--yes").ok()


def test_values_are_typed_as_helm_types_them(cli: Cli, api: httpx.Client, cluster: str) -> None:
    cli(
        *("component", "patch", "podinfo", "replicaCount=3", "--set", "ui.message=a=b, c"),
        *("--string", "podAnnotations.prometheus\\.io/scrape=true"),
        *("--json", 'backends=["http://x"]', "--json", "affinity=null"),
        *("--cluster", cluster),
    ).ok()
    assert api.get(f"/clusters/{cluster}").json()["values"]["podinfo"] == {
        "affinity": None,
        "backends": ["http://x"],
        "podAnnotations": {"prometheus.io/scrape": "true"},
        "replicaCount": 3,
        "ui": {"message": "a=b, c"},
    }


def test_unpatch_drops_the_layers_own_value(cli: Cli, api: httpx.Client, cluster: str) -> None:
    where = ("--cluster", cluster)
    cli("component", "patch", "podinfo", "replicaCount=3", "ui.message=x", *where).ok()
    cli("component", "unpatch", "podinfo", "ui.message", *where).ok()
    assert patches(api, f"/clusters/{cluster}") == {"podinfo": {"replicaCount": "3"}}


def test_profiles_and_the_catalog_are_layers_too(cli: Cli, api: httpx.Client) -> None:
    change = ("component", "patch", "podinfo", "ui.logo=x.png", "--yes")
    cli(*change, "--profile", "canary").ok()
    assert patches(api, "/profiles/canary")["podinfo"]["ui.logo"] == "x.png"
    cli(*change, "--catalog").ok()
    assert patches(api, "/platform_components/podinfo")["ui.logo"] == "x.png"
    back = ("component", "unpatch", "podinfo", "ui.logo", "--yes")
    cli(*back, "--profile", "canary").ok()
    cli(*back, "--catalog").ok()
    assert "ui.logo" not in patches(api, "/platform_components/podinfo")


def test_layers_do_not_mix(cli: Cli, unchanged: None) -> None:
    change = ("component", "patch", "podinfo", "x=1")
    assert cli(*change, "--profile", "canary", "--all").code == 2
    assert cli(*change, "--catalog", "--all").code == 2
    assert cli(*change, "--catalog", "--profile", "canary").code == 2


def test_a_value_that_the_schema_forbids_is_refused(cli: Cli, cluster: str, newest) -> None:
    before = newest()
    done = cli("component", "patch", "podinfo", "replicaCount=99", "--cluster", cluster)
    assert done.code == 1
    assert "replicaCount" in done.err
    assert newest() == before


def test_usage(cli: Cli) -> None:
    found = cli("component", "usage", "spegel", "-o", "json").ok().json
    assert found["profiles"] == ["edge"]
