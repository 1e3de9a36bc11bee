"""docs/operations.md speaks of metrics by their names: each is there, and none is left out."""

import re

from prometheus_client.parser import text_string_to_metric_families

from config.environment import BASE_DIR
from fleet.web.metrics import exposition

DOCUMENT = (BASE_DIR / "docs" / "operations.md").read_text(encoding="utf-8")


def test_metrics_are_those_of_the_document(db):
    named = {
        re.sub("_(bucket|count|sum|total)$", "", name)
        for name in re.findall(r"flux_fleet_\w+", DOCUMENT)
    }
    families = text_string_to_metric_families(exposition().decode())
    # Some tell by themselves when they were made; that is not for alerts.
    assert named == {family.name for family in families if not family.name.endswith("_created")}
