"""Environments, namespaces, rolebindings, components and profiles: each the same small shape."""

from rest_framework.request import Request
from rest_framework.response import Response

from fleet.api import filters
from fleet.api.views import FleetView, SectionDetail, SectionList
from fleet.services.objects import object_get, usage


class EnvironmentList(SectionList):
    section = "environments"
    filterset_class = filters.EnvironmentFilters


class EnvironmentDetail(SectionDetail):
    section = "environments"


class NamespaceList(SectionList):
    section = "namespaces"
    filterset_class = filters.NamespaceFilters


class NamespaceDetail(SectionDetail):
    section = "namespaces"


class RoleBindingList(SectionList):
    section = "rolebindings"
    filterset_class = filters.RoleBindingFilters


class RoleBindingDetail(SectionDetail):
    section = "rolebindings"


class ComponentList(SectionList):
    section = "platform_components"
    filterset_class = filters.ComponentFilters


class ComponentDetail(SectionDetail):
    section = "platform_components"


class ComponentUsage(FleetView):
    """Where a component is used."""

    def get(self, request: Request, item_id: str) -> Response:
        self.allow_parameters()
        used = usage(object_get(section="platform_components", id=item_id))
        kinds = ("clusters", "profiles", "platform_components")
        return Response({kind: used.get(kind, []) for kind in kinds})


class ProfileList(SectionList):
    section = "profiles"
    filterset_class = filters.ProfileFilters


class ProfileDetail(SectionDetail):
    section = "profiles"
