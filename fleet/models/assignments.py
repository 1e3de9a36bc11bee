"""What clusters and profiles assign. Each kind exists twice, once for either owner."""

from django.db import models

from fleet.models.cluster import Cluster
from fleet.models.component import Component
from fleet.models.fields import PlainTextField, unique_constraint
from fleet.models.namespace import Namespace
from fleet.models.patch import PatchRow
from fleet.models.profile import Profile
from fleet.models.rolebinding import RoleBinding
from fleet.models.tracked import TrackedModel


class ComponentAssignment(TrackedModel):
    """Blank and null inherit from the layer below."""

    component = models.ForeignKey(Component, on_delete=models.PROTECT, related_name="%(class)s_set")
    enabled = models.BooleanField(null=True, blank=True, help_text="Unknown inherits.")
    oci_tag = PlainTextField("OCI tag", max_length=128, blank=True)
    component_path = PlainTextField(blank=True)
    component_version = PlainTextField(max_length=128, blank=True)

    class Meta(TrackedModel.Meta):
        abstract = True


class LayerPatch(PatchRow):
    component = models.ForeignKey(Component, on_delete=models.PROTECT, related_name="%(class)s_set")

    class Meta(PatchRow.Meta):
        abstract = True


class NamespaceAssignment(TrackedModel):
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="%(class)s_set")

    class Meta(TrackedModel.Meta):
        abstract = True


class RoleBindingAssignment(TrackedModel):
    rolebinding = models.ForeignKey(
        RoleBinding, on_delete=models.PROTECT, related_name="%(class)s_set"
    )

    class Meta(TrackedModel.Meta):
        abstract = True


class ClusterComponent(ComponentAssignment):
    identity = ("cluster_id", "component_id")

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="components")

    class Meta(ComponentAssignment.Meta):
        ordering = ["cluster_id", "component_id"]
        constraints = [unique_constraint("cluster", "component")]

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.component_id}"


class ProfileComponent(ComponentAssignment):
    identity = ("profile_id", "component_id")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="components")

    class Meta(ComponentAssignment.Meta):
        ordering = ["profile_id", "component_id"]
        constraints = [unique_constraint("profile", "component")]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.component_id}"


class ClusterPatch(LayerPatch):
    identity = ("cluster_id", "component_id", "key")

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="patches")

    class Meta(LayerPatch.Meta):
        ordering = ["cluster_id", "component_id", "key"]
        verbose_name_plural = "cluster patches"
        constraints = [
            *LayerPatch.Meta.constraints,
            unique_constraint("cluster", "component", "key"),
        ]

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.component_id}: {self.key}"


class ProfilePatch(LayerPatch):
    identity = ("profile_id", "component_id", "key")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="patches")

    class Meta(LayerPatch.Meta):
        ordering = ["profile_id", "component_id", "key"]
        verbose_name_plural = "profile patches"
        constraints = [
            *LayerPatch.Meta.constraints,
            unique_constraint("profile", "component", "key"),
        ]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.component_id}: {self.key}"


class ClusterNamespace(NamespaceAssignment):
    identity = ("cluster_id", "namespace_id")

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="namespaces")

    class Meta(NamespaceAssignment.Meta):
        ordering = ["cluster_id", "namespace_id"]
        constraints = [unique_constraint("cluster", "namespace")]

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.namespace_id}"


class ProfileNamespace(NamespaceAssignment):
    identity = ("profile_id", "namespace_id")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="namespaces")

    class Meta(NamespaceAssignment.Meta):
        ordering = ["profile_id", "namespace_id"]
        constraints = [unique_constraint("profile", "namespace")]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.namespace_id}"


class ClusterRoleBinding(RoleBindingAssignment):
    identity = ("cluster_id", "rolebinding_id")

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="rolebindings")

    class Meta(RoleBindingAssignment.Meta):
        ordering = ["cluster_id", "rolebinding_id"]
        constraints = [unique_constraint("cluster", "rolebinding")]

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.rolebinding_id}"


class ProfileRoleBinding(RoleBindingAssignment):
    identity = ("profile_id", "rolebinding_id")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="rolebindings")

    class Meta(RoleBindingAssignment.Meta):
        ordering = ["profile_id", "rolebinding_id"]
        constraints = [unique_constraint("profile", "rolebinding")]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.rolebinding_id}"
