"""`?environment=dev&environment=qa`, of the list of clusters."""

from rest_framework.request import Request

from fleet.errors import Invalid
from fleet.models import Environment
from fleet.resources.problems import suggestion

NAME = "environment"


def environments_asked_for(request: Request) -> set[str] | None:
    """None where none is named: all. A mistake is an error: a list of nothing would be obeyed."""
    query = request.query_params
    unknown = [name for name in query if name != NAME]
    if unknown:
        raise _invalid(unknown[0], "is not a parameter here" + suggestion(unknown[0], [NAME]))
    if NAME not in query:
        return None
    known = set(Environment.objects.order_by().values_list("pk", flat=True))
    for given in query.getlist(NAME):
        if given not in known:
            raise _invalid(NAME, f"there is no environment {given!r}{suggestion(given, known)}")
    return set(query.getlist(NAME))


def _invalid(name: str, problem: str) -> Invalid:
    return Invalid(f"{name}: {problem}.", {name: [problem]})
