"""Connect a cluster: a token of its own, in the file that it is to be given."""

from dataclasses import dataclass, field
from itertools import count

from fleet.bootstrap import bootstrap_manifest, require_connectable
from fleet.history.change import change
from fleet.models import Token
from fleet.services.clusters import cluster_get
from fleet.services.tokens import token_issue

NAME_LENGTH = 63


@dataclass(frozen=True, slots=True)
class Bootstrap:
    token: Token
    # Not in a log, should this ever be printed: the manifest has the secret too.
    secret: str = field(repr=False)
    manifest: str = field(repr=False)


def cluster_bootstrap(*, cluster: str, api_url: str) -> Bootstrap:
    """Tokens that the cluster has already stay valid."""
    with change():
        found = cluster_get(cluster)
        require_connectable(found)
        issued = token_issue(id=_free_name(found.pk), kind=Token.Kind.CLUSTER, cluster=found.pk)
        manifest = bootstrap_manifest(found, api_url=api_url, token=issued.secret)
        return Bootstrap(issued.token, issued.secret, manifest)


def _free_name(cluster_id: str) -> str:
    """The cluster's own; with a number, where there is such a token already."""
    for number in count(1):
        ending = f"-{number}" if number > 1 else ""
        name = cluster_id[: NAME_LENGTH - len(ending)].rstrip("-") + ending
        if not Token.objects.filter(pk=name).exists():
            return name
    raise AssertionError
