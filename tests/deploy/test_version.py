"""The version stands in fleet_cli/__init__.py; where it has to be repeated, it is the same."""

import yaml

from config.environment import BASE_DIR
from fleet_cli import __version__


def test_the_manifests_ask_for_the_image_of_this_version() -> None:
    text = (BASE_DIR / "deploy" / "kubernetes" / "kustomization.yaml").read_text()
    [image] = yaml.safe_load(text)["images"]
    assert image["newTag"] == __version__


def test_the_changelog_tells_what_is_in_it() -> None:
    assert f"\n## {__version__}\n" in (BASE_DIR / "CHANGELOG.md").read_text()
