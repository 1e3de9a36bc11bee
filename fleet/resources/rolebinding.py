from fleet.models import RoleBinding
from fleet.resources.base import FleetSerializer


class RoleBindingSerializer(FleetSerializer):
    class Meta:
        model = RoleBinding
        fields = ("id", "description", "role", "subjects")
