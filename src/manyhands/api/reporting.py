"""Pictures, methods.json and report.html of a campaign, from its journal and its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from manyhands.analysis import methods as paper
from manyhands.analysis.accounting import Answered, Books, books_of
from manyhands.analysis.digits import lasting
from manyhands.analysis.files import write_whole
from manyhands.analysis.methods import meaning
from manyhands.analysis.names import names_of
from manyhands.analysis.report import Course, Drawn, Head, Page, page
from manyhands.analysis.story import Story
from manyhands.api.outcome import failures
from manyhands.api.result import Result
from manyhands.applications.showing import pictures_of
from manyhands.control.controller import Controller
from manyhands.control.state import State
from manyhands.control.stopping import standard_errors
from manyhands.model.campaign import Campaign, Mode
from manyhands.runtime import database_journal
from manyhands.runtime.brief import Brief
from manyhands.runtime.folder import Folder, limits_of
from manyhands.runtime.machine import machine_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPORT, METHODS = "report.html", "methods.json"
PICTURES_MAX = 24  # of the arrays of one campaign; each takes a few tenths of a second
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Read:
    """What a journal told, up to some record."""

    story: Story
    state: State
    about: dict[str, str]

    @property
    def campaigns(self) -> list[Campaign]:
        """The first, and those that extended it."""
        return [one.campaign for one in self.state.campaigns.values()]


def read_journal(folder: Folder) -> Read:
    """The story of a folder; nothing is written, and somebody may be writing to the journal."""
    about = database_journal.header_of(folder.journal).about
    controller, story = Controller(limits_of(about)), Story()
    for now_s, event in database_journal.read(folder.journal):
        story.decided(now_s, event, controller.handle(now_s, event), controller.state)
    return Read(story, controller.state, about)


def leave_report(folder: Folder, result: Result, read: Read | None = None) -> None:
    """Draw the pictures and write what people read; the result's own files are there already."""
    read = read_journal(folder) if read is None else read
    brief = folder.brief()
    scale = brief.block_samples or 1
    answered = Answered(result.samples, result.skipped)
    books = books_of(read.story, read.state, answered)
    methods = _methods(brief, result, read, books)
    write_whole(folder.path / METHODS, json.dumps(methods, indent=1) + "\n")
    course = Course(
        read.story,
        books,
        scale,
        brief.exact,
        _asked(read),
        _reach(read, result),
        failures(folder.path),
    )
    own = pictures_of(brief.description, result.tallies)
    _write(result, _facts(result, read, brief), course, methods, own)


def leave_joined(result: Result, parts: list[dict[str, Any]]) -> None:
    """The same for a result that was merged from other folders: it has no journal of its own."""
    facts: dict[str, object] = {"result digest": result.digest}
    for number, part in enumerate(parts, start=1):
        facts[f"part {number}"] = (
            f"{part['folder']}: {part['samples']:,} samples, seed {part['seed']}, "
            f"result digest {part['digest']}"
        )
    _write(result, facts, None, {}, {})


def draw(result: Result, own: Mapping[str, Figure]) -> list[Drawn]:
    """The pictures of a result, the first ones if there are very many.

    Where the application has a picture of a tally, it is taken; others of its own come behind.
    """
    from manyhands.analysis.pictures import has_picture, kind_of, picture, png

    names = names_of(result.tallies)
    arrays = [name for name, one in result.tallies.items() if has_picture(one)]
    return [
        Drawn(
            name,
            f"{names[name].file}.png",
            kind_of(result.tallies[name]),
            png(own[name] if name in own else picture(name, result.tallies[name])),
            np.ndim(result.tallies[name].value) == 1 or result.tallies[name].error is None,
        )
        for name in arrays[:PICTURES_MAX]
    ] + [
        Drawn(name, f"{name}.png", "drawn by the application", png(figure))
        for name, figure in own.items()
        if name not in result.tallies
    ]


def _write(
    result: Result,
    facts: dict[str, object],
    course: Course | None,
    methods: dict[str, Any],
    own: Mapping[str, Figure],
) -> None:
    pictures = draw(result, own)
    for one in pictures:
        write_whole(result.folder / one.file, one.png)
    drawn = sum(one.name in result.tallies for one in pictures)
    arrays = sum(np.ndim(one.value) > 0 for one in result.tallies.values())
    head = Head(
        result.campaign,
        result.ended,
        result.reason,
        result.requested,
        result.samples,
        str(result.folder),
        facts,
        result.again,
        arrays - drawn,
        result.doubts,
    )
    told = Page(head, result.tallies, pictures, course, methods)
    write_whole(result.folder / REPORT, page(told))


def _facts(result: Result, read: Read, brief: Brief) -> dict[str, object]:
    begun = datetime.fromtimestamp(read.story.begun_s, UTC)
    description = brief.description
    mode = "free: every task has a stream of its own"
    if brief.exact:
        mode = f"exact: blocks of {brief.block_samples:,} samples, block i from stream i"
    return {
        "asked for": result.requested,
        "ended": f"{result.ended}: {result.reason}",
        "what that means": "; ".join(dict.fromkeys(meaning(one.stop) for one in read.campaigns)),
        "application": f"{description.name} (source digest {description.version})",
        "options": ", ".join(f"{name} = {one}" for name, one in description.options.items())
        or "those by default",
        "mode": mode,
        "seed": str(result.seed),
        "pilots": len({one.pilot for one in read.story.lives.values()}),
        "submitted": f"{begun:%Y-%m-%d %H:%M:%S} UTC",
        "wall time": lasting(read.story.working_s),
        "result digest": result.digest,
    }


def _methods(brief: Brief, result: Result, read: Read, books: Books) -> dict[str, Any]:
    description, first = brief.description, next(iter(read.state.campaigns.values()))
    options = description.options_json.encode()
    asked = paper.Asked(
        description.name,
        description.version,
        description.options,
        blake2b(options, digest_size=DIGEST_BYTES).hexdigest(),
        result.seed,
        result.mode,
        brief.block_samples,
        first.numeric_class,
        tuple(one.stop for one in read.campaigns),
        result.requested,
        _asked(read),
    )
    course = paper.Course(
        result.ended,
        result.reason,
        result.digest,
        result.tallies,
        read.story,
        books,
        machine_of(read.about),
    )
    return paper.methods(asked, course)


def _asked(read: Read) -> int | None:
    """How many samples were asked for in all, if a number was."""
    wanted = [one.samples_wanted for one in read.campaigns]
    if read.campaigns[0].mode is Mode.EXACT:
        return wanted[-1]
    return sum(one for one in wanted if one is not None) if None not in wanted else None


def _reach(read: Read, result: Result) -> float | None:
    """The relative standard error that a precision rule asks for."""
    rule = read.campaigns[-1].precision
    if rule is None:
        return None
    if rule.relative is not None:
        return rule.relative / standard_errors(rule.confidence)
    value = result.tallies[rule.tally].value if rule.tally in result.tallies else 0.0
    if rule.absolute is None or not isinstance(value, float) or value == 0:
        return None
    return rule.absolute / standard_errors(rule.confidence) / abs(value)
