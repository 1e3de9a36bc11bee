"""What can go wrong, each with the exit code that scripts can rely on."""

from collections.abc import Sequence


class CliError(Exception):
    """One clear line, what to do about it, and where needed a line for each problem."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "", problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message, self.hint, self.problems = message, hint, problems


class Refused(CliError):
    exit_code = 1


class WrongUsage(CliError):
    exit_code = 2


class Unreachable(CliError):
    exit_code = 3


class NotAllowed(CliError):
    exit_code = 4


class DifferencesFound(CliError):
    """Not an error for people, but a signal for scripts: nothing is printed."""

    exit_code = 5

    def __init__(self) -> None:
        super().__init__("")
