"""The kinds of objects that people edit, by the first part of their addresses."""

from typing import Any

from fleet.models.cluster import Cluster
from fleet.models.component import Component
from fleet.models.environment import Environment
from fleet.models.namespace import Namespace
from fleet.models.profile import Profile
from fleet.models.rolebinding import RoleBinding

# In an order in which each refers only to those before it.
SECTION_MODELS: dict[str, Any] = {
    "environments": Environment,
    "namespaces": Namespace,
    "rolebindings": RoleBinding,
    "platform_components": Component,
    "profiles": Profile,
    "clusters": Cluster,
}
SECTIONS = tuple(SECTION_MODELS)
# What one object of a section is called.
TARGETS: dict[str, str] = {
    section: model._meta.model_name for section, model in SECTION_MODELS.items()
}
SECTION_OF = {model: section for section, model in SECTION_MODELS.items()}
