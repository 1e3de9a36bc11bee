import pytest

from fleet.plans.plan import Plan


@pytest.fixture
def only_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plans, which cost time; nor the guard against frozen answers of an active cluster."""
    monkeypatch.setattr("fleet.plans.planning.make_plan", lambda changes: Plan())
    monkeypatch.setattr("fleet.plans.guards.check_frozen", lambda changes: None)
