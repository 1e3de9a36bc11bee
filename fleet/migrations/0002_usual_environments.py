from django.db import migrations

from fleet.history.change import migration_change

USUAL = ("dev", "qa", "uat", "prod")


def create_usual_environments(apps, schema_editor):
    environments = apps.get_model("fleet", "Environment").objects
    with migration_change(apps, "The usual environments"):
        for rank, name in enumerate(USUAL, start=1):
            environments.create(id=name, rank=rank * 10)


class Migration(migrations.Migration):
    dependencies = [("fleet", "0001_initial")]

    operations = [
        migrations.RunPython(create_usual_environments, migrations.RunPython.noop),
    ]
