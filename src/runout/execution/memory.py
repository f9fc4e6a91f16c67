"""How much memory this machine, or the container that we run in, can still give."""

import math
import os
from pathlib import Path

_MEMORY_FACTS = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")
_AVAILABLE = "MemAvailable:"
_BYTES_PER_KIB = 1024

#: What Python, numba and the kernels of a solve take before its tables; measured.
PROGRAM_BYTES = 220_000_000


def available_memory_bytes() -> float:
    """Returns what can be allocated without swapping, infinity where the system does not say."""
    return min(_machine_bytes(), _container_bytes())


def _machine_bytes() -> float:
    try:
        for line in _MEMORY_FACTS.read_text().splitlines():
            if line.startswith(_AVAILABLE):
                return float(line.split()[1]) * _BYTES_PER_KIB
    except (OSError, ValueError, IndexError):
        pass  # not Linux
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return math.inf


def _container_bytes() -> float:
    """Returns what the limit of a container leaves, infinity if there is none."""
    try:
        limit = (_CONTAINER / "memory.max").read_text().strip()
        used = (_CONTAINER / "memory.current").read_text()
        return math.inf if limit == "max" else max(float(limit) - float(used), 0.0)
    except (OSError, ValueError):
        return math.inf
