from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def run(*command: str) -> str:
    """What the command prints."""
    output = StringIO()
    call_command(*command, stdout=output)
    return output.getvalue()


def refuse(*command: str) -> tuple[str, str]:
    """What a command prints that is refused, and why it is."""
    output = StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command(*command, stdout=output)
    return output.getvalue(), str(refusal.value)
