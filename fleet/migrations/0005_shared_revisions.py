from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0004_enrolment"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="is_shared",
            field=models.BooleanField(db_default=True, editable=False),
        ),
    ]
