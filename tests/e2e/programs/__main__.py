"""Builds or finds all programs, and says where they are."""

import sys

from tests.e2e.programs.crds import find_crds
from tests.e2e.programs.found import find_programs
from tests.e2e.programs.go import GoError

if __name__ == "__main__":
    try:
        for name, path in find_programs().items():
            print(f"{name:24}{path}")
        for folder in find_crds():
            print(f"{'crds':24}{folder}")
    except GoError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
