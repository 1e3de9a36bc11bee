from typing import Any

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
from fleet.models.sections import SECTION_MODELS, SECTION_OF, SECTIONS, TARGETS
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


def children_of(model: Any) -> tuple[Any, ...]:
    """The tables whose rows belong to an object of this model. Their identity begins with it."""
    owner = f"{model._meta.model_name}_id"
    return tuple(child for child in TRACKED_MODELS if child.identity[0] == owner)


__all__ = [
    "SECTIONS",
    "SECTION_MODELS",
    "SECTION_OF",
    "TARGETS",
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
    "children_of",
]
