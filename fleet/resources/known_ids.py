from typing import Any

from fleet.models.sections import SECTION_MODELS, TARGETS
from fleet.resources.problems import describe, suggestion

# Finding what is near takes time: enough for what a person mistypes, not for ten thousand ids.
MAX_SUGGESTIONS = 20
MODELS = {TARGETS[section]: model for section, model in SECTION_MODELS.items()}


class KnownIds(dict[str, set[str]]):
    """What may be referred to, by the name of its kind. Each is one query, when it is first asked
    for."""

    def __init__(self) -> None:
        super().__init__()
        self._suggestions = 0

    def __missing__(self, target: str) -> set[str]:
        ids = MODELS[target].objects.order_by().values_list("pk", flat=True)
        self[target] = set(ids)
        return self[target]

    def problem(self, target: str, value: Any) -> str:
        """What is wrong with this as the id of an object; empty where nothing is."""
        if not isinstance(value, str):
            return f"must be the id of {article(target)}, not {describe(value)}"
        if value in self[target]:
            return ""
        self._suggestions += 1
        few = self._suggestions <= MAX_SUGGESTIONS
        return f"there is no {target} {value!r}{suggestion(value, self[target]) if few else ''}"


def article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"
