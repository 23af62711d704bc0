"""Run a campaign on this machine: what `mh.run` and `manyhands run` do.

Hands are started first, before it is known whether they will be needed, and while they import what
they need, so do we: hence imports inside functions.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyhands.api.quantities import BadQuantity
from manyhands.api.rules import UNIT, rule_of
from manyhands.applications.executing import require_not_being_loaded
from manyhands.model.campaign import Campaign, Mode, Pace
from manyhands.model.checks import is_count, is_time
from manyhands.model.stopping import AllOf, AnyOf, Precision, StopRule
from manyhands.runtime.brief import Brief
from manyhands.runtime.folder import Folder, room_in, undamaged
from manyhands.runtime.local_pilots import Hands, LocalPilots

if TYPE_CHECKING:
    from manyhands.api.result import Result
    from manyhands.applications.description import Description
    from manyhands.runtime.master import Watches

OTHER = {  # what has to be the same wherever samples are counted together
    "name": "another application",
    "version": "another version of its application",
    "options_json": "other options",
}
RUNS = "manyhands-runs"  # where campaigns live that were given no folder
SEED_BITS = 63
CHECKPOINT_S = 1.0
PILOTS_MAX = 1000  # on one machine; each is two processes
PORTABLY = "portable"
PORTABLE = {  # the arithmetic that every x86-64 processor of the last decade has
    # As numpy calls them from 2.4 on, and before; it passes over names that it does not know.
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR "
    "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL",
    "OPENBLAS_CORETYPE": "Prescott",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """All that can be asked of a run; only the application and `until` have no default."""

    application: str | Callable[..., Any]
    until: StopRule | int | float | str
    options: Mapping[str, Any] = field(default_factory=dict)
    pilots: int | None = None
    exact: bool | str = False  # or "portable"
    seed: int | None = None
    block_samples: int | None = None
    skip_poisoned: int = 0
    out: Path | None = None
    silence_s: float = 900.0
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    keep_partials: bool = False


@dataclass(frozen=True, slots=True)
class Hired:
    """Hands that have been started, and the folder in which they are."""

    folder: Folder
    hands: Hands
    pilots: LocalPilots
    lock: int  # of the folder


@contextmanager
def hired(wish: Wish) -> Iterator[Hired]:
    """Hands for a wish; if it turns out that it cannot be had, nothing is left of them."""
    require_not_being_loaded()
    _require_sensible(wish)
    folder = Folder(wish.out if wish.out is not None else _new_folder(_name_of(wish.application)))
    environment = PORTABLE if wish.exact == PORTABLY else {}
    hands = Hands(pilots_or_cores(wish.pilots), 1, wish.silence_s, wish.disk_bytes, environment)
    lock = folder.claim()
    pilots = LocalPilots(folder.path, hands)
    try:
        pilots.start({})
        yield Hired(folder, hands, pilots, lock)
    except BaseException:
        if not pilots.heard:
            pilots.end()
            folder.give_up(lock)
        raise


def start(wish: Wish, watchers: Sequence[Watches] = ()) -> Result:
    """Run a new campaign to its end."""
    with hired(wish) as hands:
        return begin(wish, hands, watchers)


def begin(wish: Wish, hired: Hired, watchers: Sequence[Watches] = ()) -> Result:
    """Run a new campaign to its end with these hands."""
    from manyhands.api import outcome
    from manyhands.api.finishing import finish
    from manyhands.applications.describing import describe
    from manyhands.runtime.local_run import run_locally

    description = describe(wish.application, wish.options)
    campaign = _campaign(wish, description)
    precision = campaign.precision
    brief = Brief(
        description,
        campaign.campaign,
        campaign.seed,
        campaign.mode is Mode.EXACT,
        campaign.block_samples,
        campaign.samples_wanted,
        None if precision is None else (precision.tally, precision.unit),
        silence_s=wish.silence_s,
        memory_bytes=wish.memory_bytes,
        disk_bytes=wish.disk_bytes,
        keep_partials=wish.keep_partials,
        environment=hired.hands.environment,
    )
    with room_in(hired.folder.path):
        ran = run_locally(hired.folder, brief, campaign, hired.pilots, hired.lock, watchers)
    if mistake := outcome.mistake(ran, hired.folder.path):
        hired.folder.give_up()
        raise BadQuantity(mistake)
    return finish(hired.folder, hired.hands.pilots, ran)


def go_on(
    path: Path,
    pilots: int | None = None,
    application: str | Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
    watchers: Sequence[Watches] = (),
) -> Result:
    """Go on with a campaign that was interrupted; one that has ended says its result again."""
    from manyhands.api.finishing import finish
    from manyhands.applications.describing import describe
    from manyhands.runtime.local_run import resume_locally

    folder = Folder(path)
    brief = folder.brief()
    if application is not None:
        _require_same(describe(application, options or {}), brief.description, path)
    hands = hands_of(brief, pilots)
    with undamaged(path), room_in(path):
        ran = resume_locally(folder, hands, watchers)
    return finish(folder, hands.pilots, ran)


def _campaign(wish: Wish, description: Description) -> Campaign:
    rule = _with_unit(rule_of(wish.until))
    exact = bool(wish.exact)
    block_samples = wish.block_samples or description.block_samples or 0
    return Campaign(
        0,
        description.name,
        secrets.randbits(SEED_BITS) if wish.seed is None else wish.seed,
        rule,
        Mode.EXACT if exact else Mode.FREE,
        block_samples if exact else 0,
        pace=Pace(checkpoint_s=CHECKPOINT_S),
        skip_poisoned=wish.skip_poisoned,
    )


def _with_unit(rule: StopRule) -> StopRule:
    """Precision rules are judged in a unit far below any value that matters."""
    if isinstance(rule, Precision):
        return replace(rule, unit=UNIT)
    if isinstance(rule, AnyOf | AllOf):
        return replace(rule, rules=tuple(_with_unit(one) for one in rule.rules))
    return rule


def hands_of(brief: Brief, pilots: int | None) -> Hands:
    """So many pilots, whose children may take what was said when the campaign was begun."""
    count = pilots_or_cores(pilots)
    return Hands(count, 1, brief.silence_s, brief.disk_bytes, brief.environment)


def pilots_or_cores(wished: int | None) -> int:
    if wished is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not is_count(wished, 1) or wished > PILOTS_MAX:
        raise BadQuantity(f"pilots {wished!r} is not a number of pilots: 1 to {PILOTS_MAX} are")
    return wished


def _require_sensible(wish: Wish) -> None:
    """What would be ignored, or be noticed too late, is refused."""
    if wish.exact not in (True, False, PORTABLY):
        raise BadQuantity(f"exact is {wish.exact!r}, but must be True, False or {PORTABLY!r}")
    if wish.block_samples is not None:
        if not is_count(wish.block_samples, 1):
            raise BadQuantity(f"block_samples {wish.block_samples!r} is not a whole number above 0")
        if not wish.exact:
            raise BadQuantity("block_samples is given, but free mode has no blocks: ask for exact")
    if not is_time(wish.silence_s):
        raise BadQuantity(f"silence_s {wish.silence_s!r} is not a number of seconds above 0")
    pilots_or_cores(wish.pilots)


def _name_of(application: str | Callable[..., Any]) -> str:
    """What to call a folder after, before the application was looked at."""
    if isinstance(application, str):
        return application.rpartition(os.sep)[2]
    return str(getattr(application, "__name__", "run"))


def _new_folder(name: str) -> Path:
    """A folder that nobody has yet, named after the application and the time."""
    short = "".join(one if one.isalnum() or one in "-_" else "-" for one in name)[:40]
    stem = Path(RUNS) / f"{short}-{time.strftime('%Y%m%d-%H%M%S')}"
    path, number = stem, 1
    while path.exists():
        number += 1
        path = stem.with_name(f"{stem.name}-{number}")
    return path


def _require_same(wanted: Description, begun: Description, path: Path) -> None:
    for what in OTHER:
        if getattr(wanted, what) != getattr(begun, what):
            raise BadQuantity(
                f"{path} was begun with {OTHER[what]} ({getattr(begun, what)}, not "
                f"{getattr(wanted, what)}): its samples cannot be mixed with others; choose a new "
                "folder"
            )
