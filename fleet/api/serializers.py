"""The wire shapes as the OpenAPI schema and the browsable API tell them.

Reading and checking is done by fleet/documents, for all doors alike.
"""

from typing import Any

from rest_framework import serializers

from fleet import models


def name() -> serializers.CharField:
    return serializers.CharField(max_length=63, help_text="A DNS-1123 label.")


def texts(**options: Any) -> serializers.DictField:
    return serializers.DictField(child=serializers.CharField(allow_blank=True), **options)


class AnyValue(serializers.JSONField):
    """Any JSON value."""


class Document(serializers.Serializer):
    """Shown as it is: a document is a dictionary of exactly these fields already."""

    def to_representation(self, instance: Any) -> Any:
        return instance


class EnvironmentDocument(Document):
    id = name()
    rank = serializers.IntegerField(required=False, min_value=0, max_value=2_147_483_647)


class NamespaceDocument(Document):
    id = name()
    labels = texts(required=False, allow_null=True)
    annotations = texts(required=False, allow_null=True)


class SubjectDocument(Document):
    kind = serializers.ChoiceField(["User", "Group", "ServiceAccount"])
    name = serializers.CharField(min_length=1)
    apiGroup = serializers.CharField(required=False, allow_blank=True)  # noqa: N815
    namespace = serializers.CharField(required=False, help_text="Of a ServiceAccount.")


class RoleBindingDocument(Document):
    id = name()
    role = serializers.CharField(max_length=255, help_text="Name of a ClusterRole.")
    subjects = SubjectDocument(many=True, required=False, allow_null=True)


class ComponentDocument(Document):
    id = name()
    kind = serializers.ChoiceField(models.Component.Kind.choices, required=False)
    component_path = serializers.CharField(max_length=255)
    component_version = serializers.CharField(max_length=128, required=False)
    cluster_env_enabled = serializers.BooleanField(required=False)
    oci_url = serializers.CharField(max_length=2048)
    oci_tag = serializers.CharField(max_length=128, required=False)
    depends_on = serializers.ListField(child=serializers.CharField(), required=False)
    values_schema = serializers.DictField(required=False, allow_null=True)
    patches = serializers.DictField(
        child=AnyValue(allow_null=True), required=False, help_text="Values by key, as text."
    )
    values = serializers.DictField(
        child=AnyValue(allow_null=True), required=False, help_text="Values, nested and exact."
    )


class AssignedComponentDocument(Document):
    id = serializers.CharField(max_length=63)
    enabled = serializers.BooleanField(required=False, allow_null=True)
    oci_tag = serializers.CharField(max_length=128, required=False, allow_null=True)
    component_path = serializers.CharField(max_length=255, required=False, allow_null=True)
    component_version = serializers.CharField(max_length=128, required=False, allow_null=True)


class ReferenceDocument(Document):
    id = serializers.CharField(max_length=63)


class LayerDocument(Document):
    """What a cluster and a profile assign."""

    platform_components = AssignedComponentDocument(many=True, required=False)
    namespaces = ReferenceDocument(many=True, required=False)
    rolebindings = ReferenceDocument(many=True, required=False)
    patches = serializers.DictField(
        child=serializers.DictField(child=AnyValue(allow_null=True)),
        required=False,
        help_text="Component → key → value as text, typed as Helm's --set types it.",
    )
    values = serializers.DictField(
        child=serializers.DictField(child=AnyValue(allow_null=True)),
        required=False,
        help_text="Component → values, nested and exact.",
    )
    unset = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Component → keys of lower layers to ignore.",
    )


class ProfileDocument(LayerDocument):
    id = name()
    weight = serializers.IntegerField(required=False, min_value=-1_000_000, max_value=1_000_000)
    environments = serializers.ListField(child=serializers.CharField(), required=False)
    labels = texts(required=False)
    clusters = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        allow_null=True,
        help_text="null: no list. An empty list selects no cluster.",
    )


class ClusterDocument(LayerDocument):
    id = name()
    cluster_name = name()
    cluster_dns = serializers.CharField(max_length=253)
    environment = serializers.CharField(max_length=63)
    state = serializers.ChoiceField(models.Cluster.State.choices, read_only=True)
    labels = texts(required=False)
    node_count = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=2_147_483_647
    )
    vm_image = serializers.CharField(max_length=255, required=False, allow_blank=True)
    k0s_version = serializers.CharField(max_length=255, required=False, allow_blank=True)


DOCUMENTS: dict[str, type[Document]] = {
    "environments": EnvironmentDocument,
    "namespaces": NamespaceDocument,
    "rolebindings": RoleBindingDocument,
    "platform_components": ComponentDocument,
    "profiles": ProfileDocument,
    "clusters": ClusterDocument,
}
