"""The whole fleet as files that people would keep in Git: one object each, and no noise."""

from pathlib import Path
from typing import Any

from fleet_cli.api import Api, Progress, path_of
from fleet_cli.errors import Refused
from fleet_cli.output import short_entry, yaml_text
from fleet_cli.tree import SECTIONS, Tree, read_tree

Document = dict[str, Any]
Fleet = dict[str, list[Document]]

ATTEMPTS = 3
EMPTY: tuple[Any, ...] = (None, "", [], {})
# What a field has where nobody says anything; POST /apply gives it that again.
DEFAULTS: dict[str, dict[str, Any]] = {
    "environments": {"rank": 0},
    "components": {"kind": "helm", "oci_tag": "latest", "cluster_env_enabled": False},
    # An empty list of clusters selects none, and no list selects all.
    "profiles": {"clusters": None},
    "clusters": {"state": "active"},
}
USUAL_GROUP = ("apiGroup", "rbac.authorization.k8s.io")
# What rendering adds to every answer, of a frozen cluster too; kept, it would be there twice.
RENDERED = ("cluster", "values_json", "waits_for")
FLUX_RESOURCES = ("platform-components", "namespaces", "rolebindings")


def read_fleet(api: Api, progress: Progress) -> Fleet:
    """As it was at one moment: read again where somebody changed it meanwhile."""
    for _ in range(ATTEMPTS):
        before = _newest(api)
        fleet = {
            kind: [tidy(kind, document) for document in api.pages(f"/{section}", progress=progress)]
            for kind, section in SECTIONS.items()
        }
        for cluster in fleet["clusters"]:
            if cluster.get("state") == "frozen":
                cluster["frozen_answers"] = frozen_answers(api, cluster)
        if _newest(api) == before:
            return fleet
    raise Refused("The fleet changes faster than it can be read.", "Try again later.")


def _newest(api: Api) -> Any:
    return api.get("/revisions", [("limit", "1")]).data


def frozen_answers(api: Api, cluster: Document) -> Document:
    """What a frozen cluster gets is not what its layers say: it is kept as it is."""
    answers = {
        resource: api.get(f"/api/v2/flux{path_of('clusters', cluster['cluster_dns'], resource)}")
        for resource in FLUX_RESOURCES
    }
    found: Document = {
        "cluster": {
            "name": cluster["cluster_name"],
            "dns": cluster["cluster_dns"],
            "environment": cluster["environment"],
        }
    }
    for resource, answer in answers.items():
        found[resource] = [
            {name: value for name, value in item.items() if name not in RENDERED}
            for item in answer.data["inputs"]
        ]
        for item in answer.data["inputs"]:
            found["cluster"] = item["cluster"]
    return found


def tidy(kind: str, document: Document) -> Document:
    """Without what is empty or as it is by itself. `patches` says the same as `values`, as text."""
    defaults = DEFAULTS.get(kind, {})
    kept: Document = {}
    for name, value in document.items():
        if name == "patches" or (name in defaults and value == defaults[name]):
            continue
        if value in EMPTY and not (name in defaults and value != defaults[name]):
            continue
        kept[name] = value
        if name in SECTIONS.values():
            kept[name] = [short_entry(item) for item in value]
        elif name == "subjects":
            kept[name] = [_subject(item) for item in value]
    return kept


def _subject(item: Document) -> Document:
    """Without the group that goes without saying."""
    return {key: value for key, value in item.items() if (key, value) != USUAL_GROUP}


def write_tree(fleet: Fleet, folder: Path, *, replace: bool) -> list[Path]:
    """Returns the files that changed. A file that says the same already keeps its comments."""
    present = read_tree(folder) if folder.exists() else Tree(folder)
    present.raise_if_wrong()
    files = present.files()
    wanted = {(kind, item["id"]): item for kind, items in fleet.items() for item in items}
    stale = [document.file for key, document in files.items() if key not in wanted]
    if stale and not replace:
        raise Refused(
            f"Nothing was written: {folder} has files of what the server does not have.",
            "With --replace, they are removed.",
            problems=[str(file) for file in stale],
        )
    for file in stale:
        file.unlink()
    changed = stale
    for (kind, item_id), document in wanted.items():
        known = files.get((kind, item_id))
        if known is not None and known.data == document:
            continue
        file = known.file if known else folder / kind / f"{item_id}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml_text(document), encoding="utf-8")
        changed.append(file)
    return changed
