"""How much time and memory a run may take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

GIGABYTE = 10**9
SECONDS = 900.0
LEAST_BYTES, MOST_BYTES = GIGABYTE, 8 * GIGABYTE
STATM = Path("/proc/self/statm")
CONTAINER = Path("/sys/fs/cgroup/memory.max")


class Limits(NamedTuple):
    """What one run may take; memory counts beyond what its process has at its start."""

    seconds: float = SECONDS
    bytes: int = MOST_BYTES


def usual_limits(at_once: int) -> Limits:
    """Return limits under which as many runs at once leave room for the rest of the machine."""
    share = _memory() // (at_once + 1)
    return Limits(SECONDS, min(max(share, LEAST_BYTES), MOST_BYTES))


def limit_memory(allowed: int) -> None:
    """Let allocations of this process fail beyond so many bytes more than it has now.

    Only Linux counts them; elsewhere nothing is limited.
    """
    if not STATM.exists():
        return
    import resource

    most = data_bytes() + allowed
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def data_bytes() -> int:
    """Return what this process has allocated by now; known on Linux only, else 0."""
    if not STATM.exists():
        return 0
    return int(STATM.read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")


def _memory() -> int:
    """Return the bytes of the machine, or of the container that this process lives in."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return LEAST_BYTES
    text = CONTAINER.read_text().strip() if CONTAINER.exists() else "max"
    return min(machine, int(text)) if text.isdecimal() else machine
