"""Clients of people with the roles of the product."""

from django.contrib.auth.models import Group, User
from django.test import Client


def logged_in(group: str = "") -> Client:
    """A person of this group; without, one who may log in and nothing else."""
    person = User.objects.create_user(f"{group or 'nobody'}-person", is_staff=True)
    if group:
        person.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(person)
    return client
