"""A new cluster registers itself, and gets its own token and what to apply."""

from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.access.authentication import EnrolsClusters
from fleet.api.bootstrap import ManifestRenderer, ManifestView, api_url
from fleet.api.throttling import ByAddress, ByToken
from fleet.api.views import body_of
from fleet.api.writes import Outcome, perform
from fleet.resources.showing import documents_of
from fleet.services.enrolment import Enrolled, cluster_enrol


class Enrol(ManifestView):
    """Where YAML is asked for, the answer is the manifest alone: to be piped to kubectl."""

    renderer_classes = [JSONRenderer, ManifestRenderer]
    permission_classes = [EnrolsClusters]
    throttle_classes = [ByToken, ByAddress]
    in_batch = False

    def post(self, request: Request) -> Response:
        self.allow_parameters()
        document = body_of(request)
        as_manifest = request.accepted_renderer.format == ManifestRenderer.format

        def act() -> Outcome:
            enrolled = cluster_enrol(
                token=request.user.get_username(), document=document, api_url=api_url(request)
            )
            address = request.build_absolute_uri(f"/clusters/{enrolled.cluster.pk}")
            return Outcome(
                enrolled.bootstrap.manifest if as_manifest else enrolled_document(enrolled),
                201 if enrolled.is_new else 200,
                {"Location": address, "Cache-Control": "no-store"},
            )

        return perform(request, act, f"Enrol {str(document.get('cluster_name', ''))[:63]}")


def enrolled_document(enrolled: Enrolled) -> dict[str, Any]:
    [cluster] = documents_of("clusters", [enrolled.cluster.pk])
    made = enrolled.bootstrap
    return {
        "cluster": cluster,
        "token_id": made.token.pk,
        "token": made.secret,
        "manifest": made.manifest,
    }
