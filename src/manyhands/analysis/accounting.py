"""Where every sample went, what every pilot did, and how well the hands were used."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.analysis.story import CLOSED, Engagement, Life, Story
from manyhands.control.state import State
from manyhands.model.campaign import Mode

US_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class Answered:
    """What the result says of its samples."""

    samples: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Account:
    """Samples, from the first simulated to the last in the answer."""

    simulated: int  # as the tasks said
    stored: int  # accepted at any time; some of it may lie behind the end of the answer
    merged: int  # in the answer
    refused: int  # came after the close, and had not been stored before
    skipped: int  # of poisoned blocks
    lost: int  # simulated by tasks that were lost or failed, and never stored

    @property
    def spare(self) -> int:
        """Simulated and not needed: spares, copies, and what nobody waited for."""
        return max(self.simulated - self.merged - self.lost - self.refused, 0)


@dataclass(slots=True)
class PilotWork:
    """What one pilot did, in all its incarnations."""

    pilot: int
    incarnations: int = 0
    tasks: int = 0
    samples: int = 0  # accepted from it
    simulated: int = 0
    busy_s: float = 0.0  # of its slots
    reference_s: float = 0.0  # what that would have been on the reference host
    there_s: float = 0.0  # from its first word to its last, over all slots
    ended: str = ""

    @property
    def rate(self) -> float:
        """Samples per second of busy time."""
        return self.simulated / self.busy_s if self.busy_s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Use:
    """How well the hands were used."""

    working_s: float  # wall time, pauses not counted
    busy_s: float  # slot time within the application, as the tasks said
    reference_s: float  # what that would have been on the reference host
    there_s: float  # slot time of the pilots, from their first word to their last
    samples_per_s: float  # of the answer, per second of wall time

    @property
    def busy_part(self) -> float | None:
        """Which part of their time the slots worked."""
        return self.busy_s / self.there_s if self.there_s > 0 else None


@dataclass(slots=True)
class Books:
    """All of it."""

    account: Account
    use: Use
    pilots: list[PilotWork] = field(default_factory=list)


def books_of(story: Story, state: State, answered: Answered) -> Books:
    """The books of a pool that works for one campaign and those that extend it."""
    scale = _scale(state)
    tasks = story.tasks.values()
    stored = sum(one.stored for one in state.campaigns.values()) * scale
    account = Account(
        sum(one.position for one in tasks) * scale,
        max(min(stored, _at_most(state, stored)), answered.samples),
        answered.samples,
        story.too_late * scale,
        answered.skipped,
        sum(max(one.position - one.accepted, 0) for one in tasks if is_broken(one)) * scale,
    )
    pilots = _pilots(story, scale)
    busy_s = sum(one.busy_s for one in pilots)
    reference_s = sum(one.reference_s for one in pilots)
    there_s = sum(one.there_s for one in pilots)
    working_s = story.working_s
    rate = answered.samples / working_s if working_s > 0 else 0.0
    return Books(account, Use(working_s, busy_s, reference_s, there_s, rate), pilots)


def is_broken(task: Engagement) -> bool:
    """Whether a task came to a bad end, with what it had not stored."""
    return task.ended == "lost" or task.ended.startswith("failed")


def _scale(state: State) -> int:
    return next((one.campaign.block_samples for one in state.campaigns.values()), 0) or 1


def _at_most(state: State, otherwise: int) -> int:
    """No more samples are there than the last block holds, which may be a short one."""
    last = next(reversed(state.campaigns.values()), None)
    if last is None or last.campaign.mode is Mode.FREE:
        return otherwise
    return last.campaign.samples_wanted or otherwise


def _pilots(story: Story, scale: int) -> list[PilotWork]:
    found: dict[int, PilotWork] = {}
    for life in story.lives.values():
        one = found.setdefault(life.pilot, PilotWork(life.pilot))
        one.incarnations += 1
        one.there_s += (story.at(_end_s(story, life)) - story.at(life.born_s)) * life.slots
        one.ended = life.ended or "still there"
        for number in life.tasks:
            task = story.tasks[number]
            one.tasks += 1
            one.samples += task.accepted * scale
            one.simulated += task.position * scale
            one.busy_s += task.busy_us / US_PER_S
            one.reference_s += task.busy_us / US_PER_S * life.speed
    return sorted(found.values(), key=lambda one: one.pilot)


def _end_s(story: Story, life: Life) -> float:
    """When an incarnation was last there."""
    return story.over_s(life.seen_s) if life.ended == CLOSED else life.seen_s
