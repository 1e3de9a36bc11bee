import inspect
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

import fleet.services.assignments
import fleet.services.clusters
import fleet.services.objects
import fleet.services.seeds
import fleet.services.undo
from config.environment import BASE_DIR
from fleet import models
from fleet.errors import FleetError
from fleet.revisions import change, head_number
from fleet.services.seeds import seed_import
from fleet.services.undo import revision_revert
from tests.services.fleets import export
from tests.undo.random_acts import SERVICES, RandomActs

pytestmark = pytest.mark.django_db

DEMO = BASE_DIR / "fleet" / "demo" / "fleet.json"
CHANGES = 50
