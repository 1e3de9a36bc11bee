"""JSON Merge Patch (RFC 7396) on documents."""

from collections.abc import Mapping
from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """`null` removes. An object that loses its last key that way goes with it: an empty object in
    `values` would be a value of its own."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, change in patch.items():
        if change is None:
            merged.pop(key, None)
            continue
        before = merged.get(key)
        merged[key] = merge_patch(before, change)
        if merged[key] == {} and before != {} and change != {}:
            del merged[key]
    return merged


def patched_fields(document: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the patch names, as they should be; null for one that is removed."""
    return {
        name: None if change is None else merge_patch(document.get(name), change)
        for name, change in patch.items()
    }
