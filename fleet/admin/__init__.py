"""The web admin. Each resource repeats one shape: columns, search, filters, fields, inlines."""

from fleet.admin.accounts import GroupAdmin, UserAdmin
from fleet.admin.cluster import ClusterAdmin
from fleet.admin.component import ComponentAdmin
from fleet.admin.environment import EnvironmentAdmin
from fleet.admin.namespace import NamespaceAdmin
from fleet.admin.profile import ProfileAdmin
from fleet.admin.revision import RevisionAdmin
from fleet.admin.rolebinding import RoleBindingAdmin
from fleet.admin.token import TokenAdmin

__all__ = [
    "ClusterAdmin",
    "ComponentAdmin",
    "EnvironmentAdmin",
    "GroupAdmin",
    "NamespaceAdmin",
    "ProfileAdmin",
    "RevisionAdmin",
    "RoleBindingAdmin",
    "TokenAdmin",
    "UserAdmin",
]
