"""docs/connect-a-cluster.md speaks of files, addresses and names: they are there."""

import re

import yaml

from config.environment import BASE_DIR
from fleet.bootstrap import manifests
from tests.docs.blocks import blocks_of

PAGE = "connect-a-cluster.md"
DOCUMENT = (BASE_DIR / "docs" / PAGE).read_text(encoding="utf-8")


def test_what_it_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", DOCUMENT)
    assert len(links) >= 4
    assert [link for link in links if not (BASE_DIR / "docs" / link).exists()] == []


def test_the_identity_for_git_has_what_the_folder_asks_for():
    [identity] = [
        item
        for block in blocks_of(PAGE, "yaml")
        for item in yaml.safe_load_all(block)
        if item.get("kind") == "ConfigMap"
    ]
    asked = set(re.findall(r"\$\{([A-Z_]+)\}", manifests())) - {"CLUSTER_TOKEN"}
    assert set(identity["data"]) == asked


def test_namespaces_that_stay_are_those_of_the_template():
    [listed] = re.findall(r"has inputs\.id \(list ([^)]+)\)", manifests())
    [sentence] = re.findall(r"^.*have it by themselves.*$", DOCUMENT, re.MULTILINE)
    kept = set(re.findall(r'"([a-z-]+)"', listed))
    assert kept <= set(re.findall(r"`([a-z-]+)`", sentence))
    assert len(kept) == 6
