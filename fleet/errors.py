"""What can go wrong in a change to the fleet, each with a code that every door shows alike."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fleet.plans.plan import Plan


class FleetError(Exception):
    """A change that was refused; nothing was changed."""

    code = "conflict"

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}


class Invalid(FleetError):
    """What was given cannot be right. `details` has the problems by the path of the field."""

    code = "validation_error"


class NotFound(FleetError):
    code = "not_found"


class Forbidden(FleetError):
    """Whoever asks may not make this change, though somebody else may."""

    code = "forbidden"


class Conflict(FleetError):
    """What was given is fine in itself, but does not fit the present state of the fleet."""

    code = "conflict"


class ConfirmationRequired(FleetError):
    """The removal guard: the plan must be seen, and confirmed by its digest."""

    code = "confirmation_required"

    def __init__(self, message: str, plan: "Plan") -> None:
        super().__init__(message)
        self.plan = plan


class PlanChanged(FleetError):
    """The plan is no longer the one that was looked at."""

    code = "plan_changed"

    def __init__(self, message: str, plan: "Plan") -> None:
        super().__init__(message)
        self.plan = plan


class UnrecordedWrite(FleetError):
    """A write to tracked data that would slip past the history: a mistake in the code."""

    code = "internal_error"
