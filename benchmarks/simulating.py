"""What a simulated message costs in all: pilot, network, master, store."""

from __future__ import annotations

import time

from manyhands.simulator.scenarios import r1
from manyhands.simulator.world import World

SEEDS = 5


def main() -> dict[str, float]:
    """The reference scenario, without and with the search for broken rules."""
    begun_s, messages = time.process_time(), 0
    for seed in range(SEEDS):
        messages += World(r1(seed)).run().messages
    spent_s = time.process_time() - begun_s
    return {
        "messages": messages,
        "us_per_message": round(1e6 * spent_s / messages, 1),
        "s_per_reference_campaign": round(spent_s / SEEDS, 3),
    }
