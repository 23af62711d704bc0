"""A random campaign: every mode, stop rule, splitting and ending that may be combined."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import sqrt

from manyhands.model.campaign import Campaign, Ending, Merging, Mode, Pace, Split, Splitting
from manyhands.model.stopping import (
    AllOf,
    AnyOf,
    Budget,
    Deadline,
    Precision,
    Samples,
    StopRule,
    leaves,
)
from manyhands.model.where import AllCells

SECONDS_PER_HOUR = 3600
BLOCKS_LEAST = 70  # of a precise campaign: the first look comes at 64
VOV_SAMPLES = 160  # with so many, exponential values are steady enough for the rule


@dataclass(frozen=True, slots=True)
class Wish:
    """What the campaigns of one seed have in common."""

    mode: Mode
    periods: float
    period_s: float
    pilots: int
    classes: int  # how many numeric classes its hosts have
    crashes: bool
    poisoned: bool
    slots_max: int

    @property
    def ideal_s(self) -> float:
        """How long the pool should take."""
        return self.periods * self.period_s


def draw_campaign(draws: random.Random, number: int, samples: int, wish: Wish) -> Campaign:
    """A campaign that takes this pool about as long as it should."""
    exact = wish.mode is Mode.EXACT
    stop = _stop(draws, samples, wish)
    plain = isinstance(stop, Samples)
    splitting, ending = Splitting(), Ending.FORECAST
    if plain and not exact:
        splitting = _splitting(draws, samples, wish)
        # The published endings stop tasks that have no share.
        if splitting.kind is Split.DYNAMIC:
            ending = draws.choice((*Ending, Ending.FORECAST, Ending.FORECAST))
    growing = draws.random() < 0.15
    return Campaign(
        campaign=number,
        name=f"campaign {number}",
        seed=draws.getrandbits(63),
        stop=stop,
        mode=wish.mode,
        block_samples=_block_samples(draws, samples, stop, wish) if exact else 0,
        splitting=splitting,
        ending=ending,
        over_commit=draws.choice((0.002, 0.002, 0.0, 0.05)),
        pace=_pace(draws, stop, wish),
        merging=_merging(draws, wish, growing),
        growing=growing,
        skip_poisoned=draws.choice((0, 2)) if exact and wish.poisoned else 0,
        classes=exact and (wish.classes > 1 or draws.random() < 0.7),
    )


def judged_at_times(draws: random.Random, campaign: Campaign) -> Campaign:
    """The same; but now and then its precision is one that only the merged result can tell."""
    stop = campaign.stop
    if campaign.precision is None or draws.random() < 0.4:
        return campaign
    if isinstance(stop, AnyOf | AllOf):
        return replace(campaign, stop=replace(stop, rules=tuple(map(_judged, stop.rules))))
    return replace(campaign, stop=_judged(stop))


def _judged(rule: StopRule) -> StopRule:
    return replace(rule, where=AllCells()) if isinstance(rule, Precision) else rule


def _stop(draws: random.Random, samples: int, wish: Wish) -> StopRule:
    count = Samples(samples)
    precise = Precision(
        "toy",
        relative=1 / sqrt(max(samples, 2)),
        samples_min=max(min(1000, samples // 3), 2),
    )
    deadline = Deadline(wish.ideal_s * draws.uniform(0.3, 1.2))
    slots = wish.pilots * (1 + wish.slots_max) / 2
    budget = Budget(slots * wish.ideal_s * draws.uniform(0.2, 0.9) / SECONDS_PER_HOUR)
    rules: list[StopRule] = [
        precise,
        precise,
        deadline,
        budget,
        AnyOf((count, deadline)),
        AnyOf((precise, budget)),
        AllOf((count, precise)),
        AllOf((Samples(max(samples // 2, 1)), deadline)),
    ]
    return count if draws.random() < 0.6 else draws.choice(rules)


def _splitting(draws: random.Random, samples: int, wish: Wish) -> Splitting:
    # Idle hands ask again and again, so that long shares would cost many messages.
    tasks = draws.randint(-(-2 * wish.pilots // 3), 3 * wish.pilots)
    least = max(samples // (4 * wish.pilots * int(wish.periods)), 1)
    most = max(samples // (2 * wish.pilots), least)
    kinds = [Splitting()] * 5
    kinds += [
        Splitting(Split.STATIC, tasks),
        Splitting(Split.CHUNKS, samples=draws.randint(least, most)),
        Splitting(Split.EARLY_BINDING, draws.randint(1, wish.pilots)),
    ]
    return draws.choice(kinds)


def _block_samples(draws: random.Random, samples: int, stop: StopRule, wish: Wish) -> int:
    """From some blocks for each period of a pilot to some periods for each block."""
    periods = wish.pilots * wish.periods
    if any(isinstance(one, Precision) for one in leaves(stop)):
        blocks = max(periods * draws.uniform(0.3, 1.0), BLOCKS_LEAST)
        return max(int(samples / blocks), 1)
    blocks = max(periods * draws.choice((0.5, 1.0, 3.0, 10.0)), wish.pilots)
    return max(int(samples / blocks), 1)


def _pace(draws: random.Random, stop: StopRule, wish: Wish) -> Pace:
    fixed = draws.random() < 0.7
    # Nobody can look at a precision, or forecast from it, before something is stored.
    # In exact mode nothing is stored either before the last lease, if there is one.
    looks = any(isinstance(one, Precision) for one in leaves(stop))
    needed = looks or (wish.mode is Mode.EXACT and not isinstance(stop, Samples))
    return Pace(
        report_s=wish.period_s if fixed else None,
        checkpoint_s=wish.period_s * draws.uniform(0.5, 4) if draws.random() < 0.4 else None,
        checkpoints=needed or draws.random() < 0.9,
    )


def _merging(draws: random.Random, wish: Wish, growing: bool) -> Merging:
    if draws.random() < 0.4:
        return Merging()
    lease_s = wish.period_s * draws.uniform(1.0, 4.0)
    if growing:  # many small partials: one pair at a time would take for ever
        return Merging(draws.randint(3, 4), draws.randint(4, 6), lease_s)
    return Merging(draws.randint(1, 4), draws.randint(2, 6), lease_s)
