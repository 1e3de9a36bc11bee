from collections.abc import Iterable
from typing import Any

from fleet.models import Token, TokenKey
from fleet.resources.base import ExactFields, ExactSerializer
from fleet.resources.fields import (
    ExactField,
    MomentField,
    PlainTextField,
    StoredObject,
    TextsField,
    WholeNumberField,
)


class KeysField(ExactField):
    """The secrets of a token: when each was made, and used; never the secret."""

    def get_attribute(self, instance: StoredObject) -> Any:
        return instance.row.keys.all()

    def to_representation(self, value: Iterable[TokenKey]) -> list[dict[str, Any]]:
        spell = MomentField().to_representation
        return [
            {
                "prefix": key.prefix,
                "created_at": spell(key.created),
                "expires_at": spell(key.expiry_date),
                "last_used": spell(key.last_used),
            }
            for key in value
        ]


class TokenSerializer(ExactSerializer):
    cluster = PlainTextField(source="cluster_id")
    environments = TextsField()
    profiles = TextsField()
    expires_at = MomentField()
    rotated_at = MomentField(read_only=True)
    keys = KeysField(read_only=True)

    class Meta:
        model = Token
        fields = (
            "id",
            "kind",
            "cluster",
            "environments",
            "labels",
            "profiles",
            "needs_approval",
            "max_uses",
            "uses",
            "expires_at",
            "rotated_at",
            "keys",
        )
        read_only_fields = ("uses",)


class SecondsField(WholeNumberField):
    empty = None


class RotationSerializer(ExactFields):
    grace_seconds = SecondsField()
    expires_at = MomentField()
