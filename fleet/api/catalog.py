"""Environments, namespaces, rolebindings, components and profiles: each the same small shape."""

from rest_framework.request import Request
from rest_framework.response import Response

from fleet.api import filters, serializers
from fleet.api.views import FleetView, SectionDetail, SectionList
from fleet.services.objects import object_get, usage


class EnvironmentList(SectionList):
    section = "environments"
    filterset = filters.EnvironmentFilters
    serializer_class = serializers.EnvironmentDocument


class EnvironmentDetail(SectionDetail):
    section = "environments"
    serializer_class = serializers.EnvironmentDocument


class NamespaceList(SectionList):
    section = "namespaces"
    filterset = filters.NamespaceFilters
    serializer_class = serializers.NamespaceDocument


class NamespaceDetail(SectionDetail):
    section = "namespaces"
    serializer_class = serializers.NamespaceDocument


class RoleBindingList(SectionList):
    section = "rolebindings"
    filterset = filters.RoleBindingFilters
    serializer_class = serializers.RoleBindingDocument


class RoleBindingDetail(SectionDetail):
    section = "rolebindings"
    serializer_class = serializers.RoleBindingDocument


class ComponentList(SectionList):
    section = "platform_components"
    filterset = filters.ComponentFilters
    serializer_class = serializers.ComponentDocument


class ComponentDetail(SectionDetail):
    section = "platform_components"
    serializer_class = serializers.ComponentDocument


class ComponentUsage(FleetView):
    """Where a component is used."""

    def get(self, request: Request, item_id: str) -> Response:
        self.allow_parameters()
        used = usage(object_get(section="platform_components", id=item_id))
        kinds = ("clusters", "profiles", "platform_components")
        return Response({kind: used.get(kind, []) for kind in kinds})


class ProfileList(SectionList):
    section = "profiles"
    filterset = filters.ProfileFilters
    serializer_class = serializers.ProfileDocument


class ProfileDetail(SectionDetail):
    section = "profiles"
    serializer_class = serializers.ProfileDocument
