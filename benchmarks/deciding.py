"""How many events a second the deciding code handles, and what more pilots cost.

Every pilot has one task and reports in turn; one message in ten says that a partial was stored
besides. The construction and the validation of each event count. Processor time is measured, on
one core; the best of some runs, since whatever else the machine does only ever slows one down.
"""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass

from manyhands.control.controller import Controller
from manyhands.model.campaign import Campaign
from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import CampaignSubmitted, MessageReceived
from manyhands.model.facts import (
    Fact,
    PartialStored,
    PilotRegistered,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.orders import StartTask
from manyhands.model.stopping import Samples

PERIOD_S = 60.0
PERIOD_US = 60_000_000
GAIN = 1000  # samples per report
STORED_ONE_IN = 10


@dataclass
class Pool:
    """A controller with pilots at work, and what each of them says next."""

    controller: Controller
    tasks: list[int]
    numbers: list[int]
    now_s: float


def pool(pilots: int) -> Pool:
    """So many pilots, registered over one report period, each with a task."""
    controller = Controller()
    controller.handle(0.0, CampaignSubmitted(Campaign(0, "bench", 1, Samples(10**15))))
    tasks = []
    for pilot in range(pilots):
        facts = (PilotRegistered(1), WorkRequested(1))
        message = MessageReceived(pilot, 0, 1, facts)
        commands = controller.handle(PERIOD_S * pilot / pilots, message)
        replies = [one for one in commands if isinstance(one, Reply)]
        orders = [one for one in replies[0].orders if isinstance(one, StartTask)]
        tasks.append(orders[0].task)
    return Pool(controller, tasks, [1] * pilots, PERIOD_S)


def run(world: Pool, events: int) -> float:
    """Processor seconds per event."""
    handle, tasks, numbers = world.controller.handle, world.tasks, world.numbers
    pilots = len(tasks)
    step_s = PERIOD_S / pilots
    begun_s = time.process_time()
    for i in range(events):
        pilot = i % pilots
        number = numbers[pilot] = numbers[pilot] + 1
        world.now_s += step_s
        said: tuple[Fact, ...]
        task, position = tasks[pilot], number * GAIN
        said = (TaskProgressed(task, position, number * PERIOD_US),)
        if (pilot + number) % STORED_ONE_IN == 0:
            name = f"{task}/{number}/digest"
            held = Coverage((Span(task, 0, position),))
            said = (PartialStored(task, 0, position, name, "digest", held, False, (), 1), *said)
        handle(world.now_s, MessageReceived(pilot, 0, number, said))
    return (time.process_time() - begun_s) / events


def measure(pilots: int, events: int, runs: int = 5) -> float:
    """Events per second, the best of some runs."""
    world = pool(pilots)
    gc.collect()
    gc.freeze()  # as the master does once it has its pool: what stays need not be searched again
    best_s = min(run(world, events) for _ in range(runs))
    gc.unfreeze()
    return 1.0 / best_s


def main() -> dict[str, float]:
    """The budget: 100,000 events/s at 1,000 pilots; at 100,000 pilots at most twice the cost."""
    small = measure(1_000, 200_000)
    large = measure(100_000, 300_000, 3)
    return {
        "events_per_s_1000_pilots": round(small),
        "events_per_s_100000_pilots": round(large),
        "cost_ratio": round(small / large, 2),
    }
