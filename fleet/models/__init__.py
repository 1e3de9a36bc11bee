from fleet.models.assignments import (
    ClusterComponent,
    ClusterNamespace,
    ClusterPatch,
    ClusterRoleBinding,
    ProfileComponent,
    ProfileNamespace,
    ProfilePatch,
    ProfileRoleBinding,
)
from fleet.models.cluster import Cluster, FrozenAnswers
from fleet.models.component import Component, ComponentDependency, ComponentPatch
from fleet.models.enrolment import Enrolment
from fleet.models.environment import Environment
from fleet.models.limit import OperatorLimit
from fleet.models.namespace import Namespace
from fleet.models.profile import Profile, ProfileCluster, ProfileEnvironment
from fleet.models.revision import Effect, Head, Revision
from fleet.models.rolebinding import RoleBinding
from fleet.models.token import Token, TokenKey

# In an order in which each refers only to those before it.
TRACKED_MODELS = (
    Environment,
    Namespace,
    RoleBinding,
    Component,
    ComponentDependency,
    ComponentPatch,
    Cluster,
    FrozenAnswers,
    ClusterComponent,
    ClusterPatch,
    ClusterNamespace,
    ClusterRoleBinding,
    Profile,
    ProfileEnvironment,
    ProfileCluster,
    ProfileComponent,
    ProfilePatch,
    ProfileNamespace,
    ProfileRoleBinding,
    Token,
)

__all__ = [
    "TRACKED_MODELS",
    "Cluster",
    "ClusterComponent",
    "ClusterNamespace",
    "ClusterPatch",
    "ClusterRoleBinding",
    "Component",
    "ComponentDependency",
    "ComponentPatch",
    "Effect",
    "Enrolment",
    "Environment",
    "FrozenAnswers",
    "Head",
    "Namespace",
    "OperatorLimit",
    "Profile",
    "ProfileCluster",
    "ProfileComponent",
    "ProfileEnvironment",
    "ProfileNamespace",
    "ProfilePatch",
    "ProfileRoleBinding",
    "Revision",
    "RoleBinding",
    "Token",
    "TokenKey",
]
