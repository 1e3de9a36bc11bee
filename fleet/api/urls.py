"""The REST API. A trailing slash is accepted everywhere."""

from typing import Any

from django.urls import URLPattern, re_path

from fleet.api import bootstrap, catalog, clusters, revisions, tokens
from fleet.api.apply import Apply
from fleet.api.batch import Batch
from fleet.api.enrolment import Enrol

# No database takes a NUL character.
ITEM = r"(?P<item_id>[^/\x00]+)"
NUMBER = r"(?P<number>[0-9]{1,18})"


def route(pattern: str, view: Any, name: str) -> URLPattern:
    return re_path(rf"^{pattern}/?$", view.as_view(), name=name)


urlpatterns = [
    route("environments", catalog.EnvironmentList, "environments"),
    route(f"environments/{ITEM}", catalog.EnvironmentDetail, "environment"),
    route("namespaces", catalog.NamespaceList, "namespaces"),
    route(f"namespaces/{ITEM}", catalog.NamespaceDetail, "namespace"),
    route("rolebindings", catalog.RoleBindingList, "rolebindings"),
    route(f"rolebindings/{ITEM}", catalog.RoleBindingDetail, "rolebinding"),
    route("platform_components", catalog.ComponentList, "components"),
    route(f"platform_components/{ITEM}", catalog.ComponentDetail, "component"),
    route(f"platform_components/{ITEM}/usage", catalog.ComponentUsage, "component-usage"),
    route("profiles", catalog.ProfileList, "profiles"),
    route(f"profiles/{ITEM}", catalog.ProfileDetail, "profile"),
    route("clusters", clusters.ClusterList, "clusters"),
    route(f"clusters/{ITEM}", clusters.ClusterDetail, "cluster"),
    route(f"clusters/{ITEM}/approve", clusters.ClusterApprove, "cluster-approve"),
    route(f"clusters/{ITEM}/freeze", clusters.ClusterFreeze, "cluster-freeze"),
    route(f"clusters/{ITEM}/unfreeze", clusters.ClusterUnfreeze, "cluster-unfreeze"),
    route(f"clusters/{ITEM}/recommission", clusters.ClusterRecommission, "cluster-recommission"),
    route(f"clusters/{ITEM}/restore", clusters.ClusterRestore, "cluster-restore"),
    route(f"clusters/{ITEM}/effective", clusters.ClusterEffective, "cluster-effective"),
    route(f"clusters/{ITEM}/diff", clusters.ClusterDifference, "cluster-diff"),
    route(f"clusters/{ITEM}/revisions", clusters.ClusterRevisions, "cluster-revisions"),
    route(rf"clusters/{ITEM}/bootstrap\.yaml", bootstrap.ClusterManifest, "cluster-manifest"),
    route(f"clusters/{ITEM}/bootstrap", bootstrap.ClusterBootstrap, "cluster-bootstrap"),
    route("revisions", revisions.RevisionList, "revisions"),
    route(f"revisions/{NUMBER}", revisions.RevisionDetail, "revision"),
    route(f"revisions/{NUMBER}/revert", revisions.RevisionRevert, "revision-revert"),
    route("tokens", tokens.TokenList, "tokens"),
    route(f"tokens/{ITEM}", tokens.TokenDetail, "token"),
    route(f"tokens/{ITEM}/rotate", tokens.TokenRotate, "token-rotate"),
    route("batch", Batch, "batch"),
    route("apply", Apply, "apply"),
    route("enroll", Enrol, "enroll"),
]
