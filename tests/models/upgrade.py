"""Run in a shell of Django's: a fleet older than descriptions, brought to the newest tables."""

import json

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from fleet.history.change import migration_change

BEFORE = [("fleet", "0006_wide_revisions")]
MODELS = ("Environment", "Namespace", "RoleBinding", "Component", "Profile", "Cluster")


def main() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    with migration_change(old, "A fleet of then"):
        for name in MODELS:
            fields = {"id": "old"}
            if name == "Cluster":
                fields |= {"name": "old", "dns": "old.example.com", "environment_id": "old"}
            old.get_model("fleet", name).objects.create(**fields)
    call_command("migrate", verbosity=0)
    call_command("verify_history", verbosity=0)
    print(json.dumps({name: descriptions(name) for name in MODELS}))


def descriptions(name: str) -> list[str]:
    """Of the object, and of its row in the history."""
    model = apps.get_model("fleet", name)
    then = model.history.get(id="old")
    return [model.objects.get(id="old").description, then.description]
