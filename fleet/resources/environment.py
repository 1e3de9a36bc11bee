from fleet.models import Environment
from fleet.resources.base import FleetSerializer


class EnvironmentSerializer(FleetSerializer):
    class Meta:
        model = Environment
        fields = ("id", "description", "rank")
