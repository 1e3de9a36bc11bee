"""How many cores this process may use, which in a container is fewer than the machine has."""

import math
import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(allowed or 1, _quota(CGROUPS)))


def _quota(cgroups: Path) -> int:
    """The CPU limit of the container, rounded up; very many where there is none."""
    for files in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            quota, period = " ".join((cgroups / name).read_text() for name in files).split()
            if int(quota) > 0:
                return math.ceil(int(quota) / int(period))
        except (OSError, ValueError):  # No such file, or `max`.
            continue
    return 2**16
