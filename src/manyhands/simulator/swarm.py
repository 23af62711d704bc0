"""One seed of the swarm: a random world under all checks, then its journal replayed.

Safety is checked after every event (`invariants`), liveness and the answers at the end. The replay
must give the same commands from the start and from a snapshot, and end in the same state; for one
seed in a hundred also in another process, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import process_time

from manyhands.model.commands import Command
from manyhands.simulator.deciders import REAL, Deciders, Master
from manyhands.simulator.draw import draw
from manyhands.simulator.elsewhere import commands_elsewhere, encoded_lines
from manyhands.simulator.invariants import Invariants
from manyhands.simulator.liveness import check_liveness
from manyhands.simulator.master_shell import Journal
from manyhands.simulator.shadow import Violation, require
from manyhands.simulator.world import World

ELSEWHERE_EVERY = 100  # seeds
SAME = "a replay gives the same commands"


@dataclass(frozen=True, slots=True)
class Failure:
    """A seed that broke a promise: the rule, what broke it, and behind how many events."""

    seed: int
    rule: str
    detail: str
    events: int


@dataclass(slots=True)
class SeedResult:
    """What one seed showed."""

    seed: int
    failure: Failure | None = None
    campaigns: int = 0
    samples: int = 0
    events: int = 0
    seconds: float = 0.0
    faults: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


def run_seed(seed: int, deciders: Deciders = REAL) -> SeedResult:
    """Run one world and its replays; what goes wrong in them is in the result."""
    begun_s = process_time()
    scenario = draw(seed)
    result = SeedResult(seed, campaigns=len(scenario.campaigns))
    invariants = Invariants(scenario)
    world = World(scenario, invariants, deciders)
    try:
        outcome = world.run()
        result.samples = sum(one.samples for one in outcome.campaigns)
        check_liveness(world, invariants)
        check_replay(world, invariants.commands, deciders)
        if seed % ELSEWHERE_EVERY == 0 and deciders is REAL:
            check_elsewhere(world, invariants.commands)
    except Violation as broken:
        result.failure = Failure(seed, broken.rule, broken.detail, invariants.events)
    except (AssertionError, ArithmeticError, LookupError, ValueError, TypeError) as broken:
        detail = f"{type(broken).__name__}: {broken}{_place(broken)}"
        result.failure = Failure(seed, "nothing breaks", detail, invariants.events)
    result.events = len(world.master.journal)
    result.faults = dict(world.physics.faults_met)
    result.rows = dict(invariants.rows())
    result.seconds = process_time() - begun_s
    return result


def check_replay(world: World, commands: Sequence[list[Command]], deciders: Deciders) -> None:
    """The journal leads to the same commands again, from the start and from a snapshot."""
    journal, middle = world.master.journal, len(commands) // 2
    machine = deciders.master(world.scenario.limits)
    _replay(machine, journal, commands, range(middle))
    again = deciders.restore(deciders.save(machine))
    _replay(machine, journal, commands, range(middle, len(commands)))
    _replay(again, journal, commands, range(middle, len(commands)))
    end = deciders.save(machine)
    require(deciders.save(again) == end, "a snapshot is whole", f"taken at event {middle}")
    if len(commands) == len(journal) and not world.master.away:
        live = deciders.save(world.master.controller)
        require(live == end, "a replay ends in the same state", len(journal))


def check_elsewhere(world: World, commands: Iterable[list[Command]]) -> None:
    """Another process, with other hashes, decides the same, byte for byte."""
    found = commands_elsewhere(world.scenario.limits, world.master.journal)
    for number, expected in enumerate(encoded_lines(commands)):
        require(found[number] == expected, "the same in another process", number, found[number])


def _replay(
    machine: Master, journal: Journal, commands: Sequence[list[Command]], places: range
) -> None:
    handle = machine.handle
    for number, (now_s, event) in enumerate(
        islice(journal, places.start, places.stop), start=places.start
    ):
        found = handle(now_s, event)
        if found != commands[number]:
            require(False, SAME, f"event {number}: {found} instead of {commands[number]}")


def _place(broken: BaseException) -> str:
    trace, place = broken.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" (in {code.co_name}, line {trace.tb_lineno} of {code.co_filename[-40:]})"
        trace = trace.tb_next
    return place
