import pytest

from fleet.plans import Plan


@pytest.fixture
def only_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plans, which cost time; nor the guard against frozen answers of an active cluster."""
    monkeypatch.setattr("fleet.plans.make_plan", lambda changes: Plan())
    monkeypatch.setattr("fleet.guards.check_frozen", lambda changes: None)
