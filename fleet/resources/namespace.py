from fleet.models import Namespace
from fleet.resources.base import FleetSerializer


class NamespaceSerializer(FleetSerializer):
    class Meta:
        model = Namespace
        fields = ("id", "description", "labels", "annotations")
