from fleet.models.sections import SECTIONS
from fleet.resources.base import FleetSerializer
from fleet.resources.cluster import ClusterSerializer
from fleet.resources.component import ComponentSerializer
from fleet.resources.environment import EnvironmentSerializer
from fleet.resources.namespace import NamespaceSerializer
from fleet.resources.profile import ProfileSerializer
from fleet.resources.rolebinding import RoleBindingSerializer

SERIALIZERS: dict[str, type[FleetSerializer]] = {
    "environments": EnvironmentSerializer,
    "namespaces": NamespaceSerializer,
    "rolebindings": RoleBindingSerializer,
    "platform_components": ComponentSerializer,
    "profiles": ProfileSerializer,
    "clusters": ClusterSerializer,
}
assert tuple(SERIALIZERS) == SECTIONS  # noqa: S101  (a section without a serializer is a bug)
