"""An empty cluster registers itself, by the very script of the Job; there is no node to run it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from config.environment import BASE_DIR
from tests.e2e.cluster import Cluster, running_cluster
from tests.e2e.control_plane import Programs
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import state_of

JOB = BASE_DIR / "deploy" / "flux" / "enroll-job.yaml"
IDENTITY = {
    "CLUSTER_NAME": "oslo",
    "CLUSTER_DNS": "oslo.k8s.example.com",
    "ENVIRONMENT": "dev",
}


@pytest.fixture(scope="module")
def oslo(programs: Programs, etcd_url: str, logs: Path) -> Iterator[Cluster]:
    with running_cluster("oslo", programs, etcd_url, logs) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def token(fleet: Fleet) -> Iterator[str]:
    """In the end, nothing of it is left for the tests that follow."""
    body = {
        "id": "join-dev",
        "kind": "enrolment",
        "environments": ["dev"],
        "labels": {"joined": "by-itself"},
        "needs_approval": True,
        "max_uses": 1,
    }
    yield fleet.call("POST", "/tokens", body)["token"]
    for path in ("/tokens/join-dev", "/clusters/oslo", "/clusters/oslo"):
        fleet.send("DELETE", path)


def script() -> list[str]:
    """The Job's own command."""
    [job] = [item for item in yaml.safe_load_all(JOB.read_text()) if item["kind"] == "Job"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    named = {variable["name"] for variable in container["env"]}
    assert named == {*IDENTITY, "ENROLMENT_URL", "ENROLMENT_TOKEN", "HOME"}
    return [*container["command"], *container["args"]]


def run_job(cluster: Cluster, fleet: Fleet, token: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **IDENTITY,
        "ENROLMENT_URL": fleet.server.base_url,
        "ENROLMENT_TOKEN": token,
        "KUBECONFIG": str(cluster.kubectl.config),
        # kubectl keeps what it found out; without a home, in the current folder.
        "HOME": str(cluster.kubectl.config.parent),
        "PATH": f"{cluster.kubectl.program.parent}:{os.environ['PATH']}",
    }
    return subprocess.run(
        script(), env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_new_cluster_registers_itself_waits_and_gets_its_components(
    oslo: Cluster, fleet: Fleet, token: str
) -> None:
    refused = run_job(oslo, fleet, "nonsense")
    assert refused.returncode == 1
    assert "Flux Fleet refused (401)" in refused.stdout
    assert "flux-fleet" not in oslo.kubectl.run("get", "namespaces")

    joined = run_job(oslo, fleet, token)
    assert joined.returncode == 0, joined.stdout + joined.stderr
    assert token not in joined.stdout + joined.stderr
    known = fleet.call("GET", "/clusters/oslo")
    assert (known["state"], known["labels"]) == ("waiting", {"joined": "by-itself"})

    oslo.poll(applied=False)
    assert set(oslo.ready().values()) == {"False"}
    assert state_of(oslo) == {}

    fleet.send("POST", "/clusters/oslo/approve")
    follows(oslo, fleet)
    assert set(oslo.ready().values()) == {"True"}
    assert "HelmRelease/ingress" in state_of(oslo)

    again = run_job(oslo, fleet, token)
    assert (again.returncode, "nothing to do" in again.stdout) == (0, True)
    assert fleet.call("GET", "/tokens/join-dev")["uses"] == 1
