"""Gives every cluster a token and writes down all polls that there can be: `python -m`, FILE.

A line is a path and a token. By `token_issue` it would be a revision for each.
"""

import random
import sys
from pathlib import Path

import django

RESOURCES = ("platform-components", "namespaces", "rolebindings")
SEED = 1
BATCH = 1_000


def write_polls(file: Path) -> None:
    polls = [
        f"{cluster_path(dns)}/{resource} {secret}"
        for dns, secret in issue_tokens()
        for resource in RESOURCES
    ]
    random.Random(SEED).shuffle(polls)
    file.write_text("".join(f"{poll}\n" for poll in polls))


def cluster_path(dns: str) -> str:
    return f"/api/v2/flux/clusters/{dns}"


def issue_tokens() -> list[tuple[str, str]]:
    """The DNS name of each cluster, and its secret."""
    # Not at the top: they need Django to be set up.
    from fleet.history.change import change  # noqa: PLC0415
    from fleet.models import Cluster, Token, TokenKey  # noqa: PLC0415

    clusters = list(Cluster.objects.order_by("pk").values_list("pk", "dns"))
    keys = [TokenKey(token_id=name, name=name) for name, _ in clusters]
    secrets = [TokenKey.objects.assign_key(key) for key in keys]
    with change(reason="Tokens of all clusters"):
        tokens = (Token(id=name, kind=Token.Kind.CLUSTER, cluster_id=name) for name, _ in clusters)
        Token.objects.bulk_create(tokens, batch_size=BATCH)
        TokenKey.objects.bulk_create(keys, batch_size=BATCH)
    return [(dns, secret) for (_, dns), secret in zip(clusters, secrets, strict=True)]


if __name__ == "__main__":
    django.setup()
    write_polls(Path(sys.argv[1]))
