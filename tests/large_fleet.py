"""A real server with so many clusters that a plan takes a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from fleet.admin_site.site import MANY_CLUSTERS
from tests.processes import Server, own_place, running


@contextmanager
def large_fleet(folder: Path) -> Iterator[Server]:
    with own_place(folder) as place, running(place) as server:
        operations = [
            {"method": "POST", "path": "/clusters", "body": cluster(f"large-{number:04}")}
            for number in range(MANY_CLUSTERS + 100)
        ]
        with api(server) as client:
            client.post("/batch", json=operations).raise_for_status()
        yield server


def cluster(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "cluster_name": name,
        "cluster_dns": f"{name}.example.com",
        "environment": "dev",
        "namespaces": [{"id": "podinfo"}],
    }


def api(server: Server) -> httpx.Client:
    headers = {"Authorization": f"Bearer {server.write_token}"}
    return httpx.Client(base_url=server.base_url, headers=headers, timeout=60)
