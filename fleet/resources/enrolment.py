from typing import Any

from rest_framework.exceptions import ValidationError

from fleet.models import Cluster
from fleet.resources.base import ExactSerializer
from fleet.resources.fields import ExactField


class EnvironmentOfTokenField(ExactField):
    def to_internal_value(self, data: Any) -> str:
        [environment] = self.context["token"].environments
        if data != environment:
            raise ValidationError(f"must be that of the token, {environment!r}, or left out")
        return environment


class EnrolmentSerializer(ExactSerializer):
    """What a cluster says of itself when it registers. The context has its `token`."""

    environment = EnvironmentOfTokenField()

    class Meta:
        model = Cluster
        fields = (
            "cluster_name",
            "cluster_dns",
            "environment",
            "labels",
            "node_count",
            "vm_image",
            "k0s_version",
        )
        extra_kwargs = {"cluster_name": {"source": "name"}, "cluster_dns": {"source": "dns"}}
