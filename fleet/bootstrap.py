"""What a cluster needs to follow the fleet, as one file to `kubectl apply`.

The manifests are those of deploy/flux, which can as well be kept in Git: what stands there as
`${NAME}` is filled in here. Each stands inside of double quotes, and is written as JSON, which is
YAML: whatever the value is, it stays a value.
"""

import json
import re
from functools import cache
from importlib.resources import files

from fleet.errors import Conflict
from fleet.models import Cluster

FILES = (
    "namespace.yaml",
    "cluster-identity.yaml",
    "token.yaml",
    "access.yaml",
    "namespaces.yaml",
    "rolebindings.yaml",
    "platform-components.yaml",
)
NO_TOKEN = "PUT THE SECRET OF A CLUSTER TOKEN HERE"  # noqa: S105
PLACEHOLDER = re.compile(r"\$\{([A-Z_]+)\}")
SECURE, INSECURE = "  insecure: false\n", "  insecure: true\n"


def bootstrap_manifest(cluster: Cluster, *, api_url: str, token: str = NO_TOKEN) -> str:
    """`api_url` is where the cluster reaches the Flux endpoints, without a slash at its end."""
    require_connectable(cluster)
    text = manifests()
    if api_url.startswith("http://"):
        text = text.replace(SECURE, INSECURE)
    identity = {
        "CLUSTER_NAME": cluster.name,
        "CLUSTER_DNS": cluster.dns,
        "ENVIRONMENT": cluster.environment_id,
        "INTERNAL_API_URL": api_url,
        "CLUSTER_TOKEN": token,
    }
    return f"# Connects {cluster.pk} to Flux Fleet.\n" + PLACEHOLDER.sub(
        lambda found: json.dumps(identity[found[1]])[1:-1], text
    )


def require_connectable(cluster: Cluster) -> None:
    """Connected now, it would be cleaned up: whatever it runs is not what the fleet wants."""
    if cluster.state == Cluster.State.DECOMMISSIONED:
        raise Conflict(f"{cluster} is decommissioned; recommission it to connect it.")


@cache
def manifests() -> str:
    folder = files("fleet") / "manifests"
    return "---\n".join((folder / name).read_text(encoding="utf-8") for name in FILES)
