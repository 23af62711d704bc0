"""`manyhands run`: a campaign on this machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyhands.api import quantities, rules
from manyhands.api.places import place_of
from manyhands.api.running import Wish, begin, go_on, hired
from manyhands.cli.options import (
    App,
    BlockSamples,
    Budget,
    Confidence,
    Deadline,
    Disk,
    Exact,
    Json,
    KeepPartials,
    Memory,
    Options,
    Out,
    Pilots,
    Portable,
    Precise,
    Resume,
    Samples,
    Seed,
    Silence,
    SkipPoisoned,
    Where,
)
from manyhands.cli.usage import UsageError
from manyhands.model.stopping import StopRule

if TYPE_CHECKING:
    from manyhands.api.result import Result

PICTURES_NAMED = 4
DONE, FAILED, PARTIAL, INTERRUPTED = 0, 1, 3, 130

EXAMPLE = "manyhands run slab --precision absorbed=0.1% --deadline 10m --set thickness=3 --out slab"


@dataclass(frozen=True, slots=True)
class Ends:
    """When to stop, as it was typed."""

    samples: str | None
    precision: list[str]
    confidence: float | None
    deadline: str | None
    budget: float | None
    where: str | None = None

    def rule(self) -> StopRule | None:
        """All of it as one rule: whichever comes first, but every precision has to be met."""
        found: list[StopRule] = [self._precision(one) for one in self.precision]
        if len(found) > 1:
            raise UsageError("--precision can be given once: the others may be read in the result")
        if self.confidence is not None and not found:
            raise UsageError("--confidence says something about --precision, which is not given")
        if self.where is not None and not found:
            raise UsageError("--where says something about --precision, which is not given")
        if self.samples is not None:
            found.append(rules.samples(self.samples))
        if self.deadline is not None:
            found.append(rules.deadline(self.deadline))
        if self.budget is not None:
            found.append(rules.budget(self.budget))
        if not found:
            return None
        return found[0] if len(found) == 1 else rules.any_of(*found)

    def _precision(self, text: str) -> StopRule:
        tally, equals, reach = text.partition("=")
        if not (tally and equals and reach):
            raise UsageError(f"--precision {text!r} is not TALLY=PART, as dose=0.5%")
        place = None if self.where is None else place_of(self.where)
        return rules.precision(tally, relative=reach, confidence=self.confidence, where=place)


def run(
    app: App = None,
    samples: Samples = None,
    precision: Precise = None,
    confidence: Confidence = None,
    where: Where = None,
    deadline: Deadline = None,
    budget: Budget = None,
    options: Options = None,
    pilots: Pilots = None,
    exact: Exact = False,
    portable: Portable = False,
    seed: Seed = None,
    block_samples: BlockSamples = None,
    skip_poisoned: SkipPoisoned = 0,
    silence: Silence = "15m",
    memory: Memory = None,
    disk: Disk = None,
    keep_partials: KeepPartials = False,
    out: Out = None,
    resume: Resume = None,
    as_json: Json = False,
) -> int:
    """Run a Monte-Carlo computation on this machine until the answer is good enough."""
    rule = Ends(samples, precision or [], confidence, deadline, budget, where).rule()
    chosen = options_of(options or [])
    if resume is not None:
        if rule is not None or out is not None:
            raise UsageError("--resume goes on as the campaign was begun: name no end and no --out")
        return _show(Again(resume, pilots, app, chosen), as_json)
    if app is None:
        raise UsageError("no application is named: try manyhands run pi --samples 1e8")
    if rule is None:
        raise UsageError(
            "no end is given: say --samples 1e8, --precision NAME=0.1% or --deadline 1m"
        )
    wish = Wish(
        app,
        rule,
        chosen,
        pilots,
        "portable" if portable else exact,
        seed,
        block_samples,
        skip_poisoned,
        out,
        quantities.seconds("--silence", silence),
        None if memory is None else quantities.size_bytes("--memory", memory),
        None if disk is None else quantities.size_bytes("--disk", disk),
        keep_partials,
    )
    return _show(wish, as_json)


@dataclass(frozen=True, slots=True)
class Again:
    """A campaign to go on with."""

    folder: Path
    pilots: int | None
    app: str | None
    options: dict[str, Any]


def options_of(given: list[str]) -> dict[str, Any]:
    """NAME=VALUE, each value as JSON if it is some, else as text."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name.isidentifier() and equals):
            raise UsageError(f"--set {text!r} is not NAME=VALUE, as thickness=3")
        if name in found:
            raise UsageError(f"--set {name} is given twice: give it once")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _show(wanted: Wish | Again, as_json: bool) -> int:
    """Run it under the eyes of the user, and say what came of it."""
    if isinstance(wanted, Again):
        return shown_status(_resumed(wanted), as_json)
    with hired(wanted) as hands:
        # The hands import what they need; so do we.
        from manyhands.analysis.progress import Progress
        from manyhands.cli.live import shown

        progress = Progress()
        with shown(progress, str(wanted.application)):
            result = begin(wanted, hands, [progress])
    return shown_status(result, as_json)


def _resumed(wanted: Again) -> Result:
    from manyhands.analysis.progress import Progress
    from manyhands.cli.live import shown

    progress = Progress()
    with shown(progress, str(wanted.folder)):
        return go_on(wanted.folder, wanted.pilots, wanted.app, wanted.options, [progress])


def shown_status(result: Result, as_json: bool) -> int:
    """Print the result; the exit status."""
    print(json.dumps(result.to_plain()) if as_json else said(result))
    return status_of(result)


def said(result: Result) -> str:
    """What is printed in the end: the answer, then where the rest is."""
    lines = [str(result)]
    if result.ended == "failed":
        lines[0] = f"{result.campaign} failed: {result.reason}"
    if result.again:
        lines.append(f"go on with: {result.again}")
    if result.unwritten:
        lines.append(f"{result.unwritten}; when that is mended: manyhands report {result.folder}")
    lines.append(f"in {result.folder}: {', '.join(left(result.folder))}")
    return "\n".join(lines)


def left(folder: Path) -> list[str]:
    """What there is to look at in a folder."""
    pictures = sorted(one.name for one in folder.glob("*.png"))
    names = ("report.html", "result.json", "result.npz", *pictures[:PICTURES_NAMED])
    more = len(pictures) - PICTURES_NAMED
    there = [name for name in names if (folder / name).is_file()]
    return [*there, f"and {more} more"] if more > 0 else there


def status_of(result: Result) -> int:
    """The exit status."""
    if result.unwritten:
        return FAILED  # the answer was printed, but who looks for its files finds none
    found = {"done": DONE, "partial": PARTIAL, "interrupted": INTERRUPTED}
    return found.get(result.ended, FAILED)
