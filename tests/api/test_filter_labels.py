"""The form of the browsable API says what each filter is about."""

import pytest

from fleet.api import filters

FILTERSETS = (
    filters.EnvironmentFilters,
    filters.ClusterFilters,
    filters.ComponentFilters,
    filters.NamespaceFilters,
    filters.RoleBindingFilters,
    filters.ProfileFilters,
    filters.TokenFilters,
    filters.RevisionFilters,
)


@pytest.mark.django_db
@pytest.mark.parametrize("filterset", FILTERSETS)
def test_every_filter_has_a_label_of_its_own(filterset: type[filters.FleetFilterSet]) -> None:
    labels = [str(field.label) for field in filterset().form.fields.values()]
    assert "[invalid name]" not in labels
    assert len(set(labels)) == len(labels)
