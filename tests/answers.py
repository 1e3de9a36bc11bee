"""What a cluster gets, now and at a revision."""

from fleet.desired_state.answers import answers_now, answers_of, renderer_of, rows_for_dns
from fleet.desired_state.inputs import Answers
from fleet.history.time_travel import cluster_rows_at, shared_rows_at


def answers_for_dns(dns: str) -> Answers:
    """As the views of flux_api read it."""
    return answers_now(rows_for_dns(dns))


def answers_at(cluster_id: str, number: int) -> Answers:
    """By its state at that time."""
    rows = cluster_rows_at(cluster_id, number)
    return answers_of(rows, renderer_of(shared_rows_at(number)))
