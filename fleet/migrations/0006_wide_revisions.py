from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0005_shared_revisions"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="is_wide",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
