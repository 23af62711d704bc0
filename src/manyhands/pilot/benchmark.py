"""How fast this host is, beside others: a short loop, the same everywhere.

It says how to compare times of different hosts, not how fast an application will be on them.
"""

from __future__ import annotations

import time

LOOPS = 5000
TRIES = 5  # the fastest counts: whatever else the host does makes it slower
REFERENCE_S = 0.00035  # what one try takes on the reference host


def host_speed() -> float:
    """How many times as fast as the reference host this one is."""
    return REFERENCE_S / min(_try_s() for _ in range(TRIES))


def _try_s() -> float:
    begun_s = time.perf_counter()
    number = 1
    for loop in range(LOOPS):
        number = (number * 6364136223846793005 + loop) & 0xFFFFFFFFFFFFFFFF
    return max(time.perf_counter() - begun_s, 1e-9)
