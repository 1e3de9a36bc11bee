"""The fleet, changed by the REST API as a pipeline would."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.processes import Server

RESOURCES = ("platform-components", "namespaces", "rolebindings")


class Refused(Exception):
    pass


@dataclass(frozen=True)
class Fleet:
    server: Server
    changes: list[int] = field(default_factory=list)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.send(method, path, body).json()

    def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        response = httpx.request(
            method,
            f"{self.server.base_url}{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.server.write_token}"},
            timeout=30,
        )
        if not response.is_success:
            raise Refused(f"{method} {path}: {response.status_code} {response.text}")
        return response

    def change(self, method: str, path: str, body: Any = None) -> int:
        """The number of the revision."""
        number = int(self.send(method, path, body).headers["X-Fleet-Revision"])
        self.changes.append(number)
        return number

    def take_everything_back(self) -> None:
        while self.changes:
            self.send("POST", f"/revisions/{self.changes.pop()}/revert")

    def inputs(self, dns: str) -> dict[str, list[dict[str, Any]]]:
        """What that cluster is told."""
        base = f"/api/v2/flux/clusters/{dns}"
        return {
            resource: self.call("GET", f"{base}/{resource}")["inputs"] for resource in RESOURCES
        }
