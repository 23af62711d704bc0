"""How far a campaign is, while it runs: what a live display shows, made from the master's state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from manyhands.analysis.story import the_campaign
from manyhands.analysis.watched import measured
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.records import RATE_BITS, PilotRecord, PilotState
from manyhands.control.state import State
from manyhands.control.stopping import standard_errors
from manyhands.model.commands import Command, ReportIncident
from manyhands.model.events import Event
from manyhands.model.stopping import Budget, Deadline, Precision, leaves
from manyhands.statistics.forecast import FAR, Pace, sentence

GAP_S = 0.1  # between two looks
MEMORY_S = 20.0  # over which the forecasts are compared
US_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class PilotLine:
    """One pilot, as the master sees it."""

    pilot: int
    state: str
    incarnation: int
    tasks: int
    samples: int  # in its tasks now
    rate: float  # samples/s
    heard_s: float  # ago


@dataclass(frozen=True, slots=True)
class Standing:
    """The campaign, at one look."""

    stage: str
    elapsed_s: float
    samples: int  # simulated by the living, and stored
    stored: int
    goal: int | None
    rate: float
    left_s: float | None
    left_spread_s: float  # by so much the forecasts of late differ
    value: float | None  # of the tally that a precision rule watches
    error: float | None  # one standard error; without a value, of the worst cell
    reach: float | None  # the error at which the rule is met
    pilots: tuple[PilotLine, ...]
    incidents: int
    last_incident: str
    relative: bool = True  # without a value: whether the errors are parts of the cell's
    far_off: str | None = None  # how long it takes, if that is much longer than it ran


@dataclass(slots=True)
class Progress:
    """Looks at the state now and then; `now` is the last look, for any thread to read."""

    now: Standing | None = None
    stopping: bool = False  # what is under way is being stored, since the user wants to stop
    when_stopping: Callable[[], None] = lambda: None
    _hands: int = 0
    _looked_s: float = -1.0
    _ends: deque[tuple[float, float]] = field(default_factory=deque)
    _incidents: int = 0
    _last_incident: str = ""

    def decided(self, now_s: float, event: Event, commands: list[Command], state: State) -> None:
        """Something was decided: look again, if the last look is a while ago."""
        for command in commands:
            if isinstance(command, ReportIncident):
                self._incidents += 1
                whose = "" if command.pilot is None else f"pilot {command.pilot}: "
                detail = f" ({command.detail})" if command.detail else ""
                self._last_incident = f"{whose}{command.cause.value.replace('_', ' ')}{detail}"
        record = the_campaign(state)
        if record is not None and not 0 <= now_s - self._looked_s < GAP_S:
            self._looked_s = now_s
            self.now = self._look(now_s, record, state)

    def stop(self) -> None:
        """The user wants to stop."""
        self.stopping = True
        self.when_stopping()

    def _look(self, now_s: float, record: CampaignRecord, state: State) -> Standing:
        scale = record.campaign.block_samples or 1
        rate = _per_s(record.count.slope) * scale
        samples = (record.count.reported + record.count.settled) * scale
        goal = _goal(record)
        left_s = _left_s(record, samples, goal, rate, now_s)
        found = measured(record)
        value, error = (None, None) if found is None else (found.value, found.error)
        precision = record.campaign.precision
        lines = tuple(_line(one, state, scale, now_s) for one in state.pilots.values())
        hands = sum(one.rate > 0 for one in lines)
        if hands != self._hands:
            self._hands = hands
            self._ends.clear()  # forecasts for other hands
        return Standing(
            record.stage.value,
            now_s - record.submitted_us / US_PER_S,
            samples,
            record.stored * scale,
            goal,
            rate,
            left_s,
            self._spread_s(now_s, left_s, (now_s - record.submitted_us / US_PER_S) / 2),
            value,
            error,
            None if precision is None else _reach(precision, value),
            lines,
            self._incidents,
            self._last_incident,
            precision is not None and precision.relative is not None,
            _far_off(record, samples, goal, rate, state.living),
        )

    def _spread_s(self, now_s: float, left_s: float | None, memory_s: float) -> float:
        """Half the range of the ends that were forecast lately, not in the first moments."""
        if left_s is None:
            return 0.0
        ends = self._ends
        ends.append((now_s, now_s + left_s))
        while ends[0][0] < now_s - MEMORY_S:
            ends.popleft()
        late = [end for at_s, end in ends if at_s >= now_s - min(MEMORY_S, left_s, memory_s)]
        return (max(late) - min(late)) / 2 if late else 0.0


def _goal(record: CampaignRecord) -> int | None:
    wanted = record.campaign.samples_wanted
    goals = [one for one in (wanted, record.found.goal) if one is not None]
    campaign = record.campaign
    before = campaign.begins_at * campaign.block_samples
    return min(goals) - before if goals else None


def _far_off(
    record: CampaignRecord, samples: int, goal: int | None, rate: float, hands: int
) -> str | None:
    """What a user should know at once: the precision needs very many more samples."""
    looked = record.campaign.precision is not None and goal is not None
    if not looked or goal is None or rate <= 0 or goal <= FAR * max(samples, 1):
        return None
    return sentence(goal, samples, Pace(rate, max(hands, 1)))


def _left_s(
    record: CampaignRecord, samples: int, goal: int | None, rate: float, now_s: float
) -> float | None:
    times = []
    if goal is not None and rate > 0:
        times.append(max(goal - samples, 0) / rate)
    for rule in leaves(record.campaign.stop):
        if isinstance(rule, Deadline):
            times.append(max(rule.at_s - now_s, 0.0))
        elif isinstance(rule, Budget) and record.count.tasks:
            used_s = record.used_us / US_PER_S
            times.append(max(rule.core_hours * 3600 - used_s, 0.0) / record.count.tasks)
    return min(times, default=None)


def _reach(rule: Precision, value: float | None) -> float | None:
    """The standard error that the rule asks for."""
    if rule.absolute is not None:
        return rule.absolute / standard_errors(rule.confidence)
    if rule.relative is None:
        return None
    return rule.relative * (1.0 if value is None else abs(value)) / standard_errors(rule.confidence)


def _line(pilot: PilotRecord, state: State, scale: int, now_s: float) -> PilotLine:
    tasks = [state.tasks[number] for number in pilot.tasks]
    return PilotLine(
        pilot.pilot,
        pilot.state.value if tasks or pilot.state is not PilotState.LIVE else "waiting",
        pilot.incarnation,
        len(tasks),
        sum(one.position for one in tasks) * scale,
        sum(_per_s(one.rate) for one in tasks) * scale,
        max(now_s - pilot.heard_us / US_PER_S, 0.0),
    )


def _per_s(rate: int) -> float:
    """A rate in 2**-40 positions per microsecond, in positions per second."""
    return rate * US_PER_S / (1 << RATE_BITS)
