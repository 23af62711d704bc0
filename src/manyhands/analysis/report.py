"""`report.html`: one page that says what was asked, what came out, and how it came about.

It holds everything it shows, and needs no network and no script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from typing import Any

from manyhands import __version__
from manyhands.analysis.accounting import Account, Books
from manyhands.analysis.curves import error_by_samples, samples_in_time
from manyhands.analysis.digits import in_digits, lasting, percent, shortly
from manyhands.analysis.job_flow import job_flow
from manyhands.analysis.merits import merits
from manyhands.analysis.story import Story
from manyhands.analysis.tables import code, facts, image, note, section, table
from manyhands.statistics.forms import Kind
from manyhands.statistics.results import TallyResult

STYLE = "report.css"
INCIDENTS_SHOWN = 60
FAILURES_SHOWN = 10
PILOTS_SHOWN = 200
TRACEBACK_LINES = 30


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture as it lies in the folder."""

    name: str  # of its tally
    file: str
    what: str  # a caption
    png: bytes
    is_narrow: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above all else."""

    name: str
    ended: str
    reason: str
    requested: str
    samples: int
    folder: str
    facts: dict[str, object]  # what it is called: what it is
    again: str = ""  # the command that goes on
    not_drawn: int = 0  # array tallies without a picture
    doubts: tuple[str, ...] = ()  # where an error bar is not worth what it says


@dataclass(frozen=True, slots=True)
class Course:
    """How it came about."""

    story: Story
    books: Books
    scale: int  # samples per position
    exact: bool
    goal: int | None = None  # samples asked for
    reach: float | None = None  # the relative standard error asked for
    failures: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """All that is shown."""

    head: Head
    tallies: dict[str, TallyResult]
    pictures: Sequence[Drawn] = ()
    course: Course | None = None  # None: merged from other folders
    methods: dict[str, Any] = field(default_factory=dict)


def page(told: Page) -> str:
    """The whole page."""
    style = resources.files("manyhands.analysis").joinpath(STYLE).read_text(encoding="utf-8")
    head, course = told.head, told.course
    body = [
        _title(head),
        section(
            "Answer",
            _answer(told.tallies),
            _warning(head),
            _poisoned(course),
            *(
                f'<p class="warning">{escape(one[0].upper() + one[1:])}.</p>\n'
                for one in head.doubts
            ),
            *(_picture(one) for one in told.pictures),
        ),
        section("Question and end" if course else "Parts", facts(head.facts.items()), _go_on(head)),
    ]
    if course is not None:
        body += [
            section("Job flow", job_flow(course.story)),
            section("How the answer came about", *_curves(course)),
            section("Who did what", *_who(course)),
            section("What went wrong", *_trouble(course, head.folder)),
            section("Where the samples went", *_account(course, told.tallies)),
        ]
    if told.methods:
        body.append(section("Methods", *_methods(told.methods)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(head.name)}: {head.samples:,} samples</title>\n<style>\n{style}</style>\n"
        f"</head>\n<body>\n<main>\n{''.join(body)}</main>\n{_foot(told)}</body>\n</html>\n"
    )


def _title(head: Head) -> str:
    return (
        f'<header>\n<h1>{escape(head.name)} <span class="chip {escape(head.ended)}">'
        f"{escape(head.ended)}</span></h1>\n"
        f'<p class="sub">{head.samples:,} samples · {escape(head.reason)}</p>\n</header>\n'
    )


# ---- the answer --------------------------------------------------------------------------------


def _answer(tallies: dict[str, TallyResult]) -> str:
    """All tallies; numbers with their errors, arrays by their shapes."""
    if not tallies:
        return "<p>Nothing is stored yet: there is no answer.</p>"
    rows = [
        (name, in_digits(one).removesuffix(" (k=1)"), _relative(one), _kind(one))
        for name, one in tallies.items()
    ]
    heads = ("tally", "value ± 1 standard error (k=1)", "relative error", "kind")
    return table(heads, rows, "--n-")


def _warning(head: Head) -> str:
    """What must not be overlooked where the answer is not the one that was asked for."""
    said = {
        "failed": "The campaign failed. These are the samples that were stored.",
        "interrupted": "The campaign was interrupted. These are the samples that were stored.",
        "running": "The campaign is still running. These are the samples stored so far.",
        "partial": "A limit came before the goal: the answer is less than what was asked for.",
    }
    return f'<p class="warning">{said[head.ended]}</p>' if head.ended in said else ""


def _poisoned(course: Course | None) -> str:
    """Blocks are never left out silently."""
    account = None if course is None else course.books.account
    if account is None or not account.skipped:
        return ""
    share = percent(account.skipped / (account.merged + account.skipped))
    return (
        f'<p class="warning">{account.skipped:,} samples ({share}) of blocks on which the '
        "application fails everywhere are not in the answer.</p>"
    )


def _relative(tally: TallyResult) -> str:
    return percent(tally.relative_error) if isinstance(tally.relative_error, float) else "–"


def _kind(tally: TallyResult) -> str:
    said = tally.kind.value
    if tally.kind is Kind.BATCH and tally.batches is not None:
        said += f" means, {tally.batches:,} of them"
    if tally.outside is not None and any(tally.outside):
        said += f"; {tally.outside[0]:,} samples below and {tally.outside[1]:,} above all bins"
    return said


def _picture(one: Drawn) -> str:
    said = f"<b>{escape(one.name)}</b>: {escape(one.what)} ({escape(one.file)})"
    shown = image(one.png, one.name, "narrow" if one.is_narrow else "")
    return f"<figure>{shown}<figcaption>{said}</figcaption></figure>"


def _go_on(head: Head) -> str:
    said = ""
    if head.not_drawn:
        said += note(
            f"{head.not_drawn} more arrays have no picture here: Result.plot(name) draws one."
        )
    return said + (note("Go on with:") + code(head.again) if head.again else "")


# ---- how it came about -------------------------------------------------------------------------


def _curves(course: Course) -> list[str]:
    story = course.story
    drawn = samples_in_time(story, course.scale, course.goal)
    error = error_by_samples(story, course.reach)
    stages = [
        (lasting(max(story.at(at_s), 0.0)), stage, reason) for at_s, stage, reason in story.stages
    ]
    return [
        f"<h3>Samples against time</h3>{drawn}" if drawn else "",
        f"<h3>Error against samples</h3>{error}" if error else "",
        "<h3>Stages</h3>",
        table(("after", "stage", "why"), stages, "n--"),
    ]


def _who(course: Course) -> list[str]:
    pilots = course.books.pilots
    if not pilots:
        return ["<p>No pilot ever spoke.</p>"]
    rows = [
        (
            one.pilot,
            one.incarnations,
            one.tasks,
            one.samples,
            lasting(one.busy_s),
            percent(one.busy_s / one.there_s) if one.there_s > 0 else "–",
            f"{shortly(one.rate)}/s",
            one.ended,
        )
        for one in pilots[:PILOTS_SHOWN]
    ]
    heads = ("pilot", "lives", "tasks", "samples accepted", "busy", "of its time", "rate", "end")
    left = len(pilots) - len(rows)
    return [
        table(heads, rows, "nnnnnnn-"),
        note("Rates are samples per second of busy time; lives are starts of a pilot's process."),
        note(f"{left:,} more pilots are not shown.") if left else "",
    ]


def _trouble(course: Course, folder: str) -> list[str]:
    story = course.story
    parts = [_broken(story)] if story.broken_lives else []
    if story.causes:
        parts.append(_incidents(story))
    if course.failures:
        parts += _failures(course, folder)
    if story.refused:
        said = ", ".join(f"{count:,} × {cause}" for cause, count in story.refused.items())
        parts.append(note(f"Stored results that were not counted: {said}."))
    return parts or ["<p>Nothing.</p>"]


def _broken(story: Story) -> str:
    """Pilots that ended without a goodbye; others simulated what they had not stored."""
    lives = story.broken_lives
    rows = [
        (
            lasting(story.at(one.seen_s)),
            one.pilot,
            one.incarnation + 1,
            sum(story.tasks[number].ended == "lost" for number in one.tasks),
            one.ended,
        )
        for one in lives[:INCIDENTS_SHOWN]
    ]
    heads = ("last heard of after", "pilot", "life", "tasks lost", "how")
    more = f" The first {len(rows)} are shown." if len(lives) > len(rows) else ""
    return note(f"Pilots that broke off: {len(lives):,}.{more}") + table(heads, rows, "nnnn-")


def _incidents(story: Story) -> str:
    shown = story.incidents[:INCIDENTS_SHOWN]
    rows = [
        (lasting(max(story.at(one.time_s), 0.0)), one.cause, one.pilot, one.task, one.detail)
        for one in shown
    ]
    total = sum(story.causes.values())
    counts = ", ".join(f"{count:,} × {cause}" for cause, count in story.causes.items())
    said = f"{total:,} incidents: {counts}."
    if total > len(shown):
        said += f" The first {len(shown)} are shown; the journal has them all."
    return note(said) + table(("after", "cause", "pilot", "task", "detail"), rows, "n-nn-")


def _failures(course: Course, folder: str) -> list[str]:
    """What the application said when it failed, and how to see it again."""
    kinds: dict[tuple[object, object], list[dict[str, Any]]] = {}
    for one in course.failures:
        kinds.setdefault((one.get("block"), one.get("message")), []).append(one)
    parts = ["<h3>Failures of the application</h3>"]
    for (block, message), same in list(kinds.items())[:FAILURES_SHOWN]:
        where = f" on block {block}" if block is not None else ""
        times = f", {len(same):,} times" if len(same) > 1 else ""
        cause = str(same[0].get("cause", "")).replace("_", " ")
        said = f"{cause}{where} (seed {same[0].get('seed')}){times}:"
        parts.append(f"<p>{escape(said)} <b>{escape(str(message))}</b></p>")
        lines = str(same[0].get("traceback", "")).rstrip().splitlines()[-TRACEBACK_LINES:]
        if lines:
            shown = code("\n".join(lines))
            parts.append(f"<details><summary>traceback</summary>{shown}</details>")
        if course.exact and block is not None:
            parts.append(note("See it again in one process:"))
            parts.append(code(f"manyhands rerun {folder} --block {block}"))
    left = len(kinds) - FAILURES_SHOWN
    if left > 0:
        parts.append(note(f"{left:,} more kinds are in failures.jsonl."))
    return parts


def _account(course: Course, tallies: dict[str, TallyResult]) -> list[str]:
    account, use = course.books.account, course.books.use
    rows = [
        (what, count, percent(_of(count, account)), why) for what, count, why in _lines(account)
    ]
    figures = [
        ("wall time", lasting(use.working_s)),
        ("computing time (busy slots)", lasting(use.busy_s)),
        ("busy part of the pilots' time", percent(use.busy_part)),
        ("answer's samples per second of wall time", shortly(use.samples_per_s)),
        ("answer's part of what was simulated", percent(_of(account.merged, account))),
        ("messages, facts in the journal", f"{course.story.messages:,}, {course.story.events:,}"),
    ]
    figures += [
        (f"figure of merit of {name}", f"{merit:.3g} per core second of the reference host")
        for name, merit in merits(tallies, use.reference_s).items()
    ]
    heads = ("samples", "count", "of simulated", "meaning")
    return [table(heads, rows, "-nn-"), "<h3>Efficiency</h3>", facts(figures)]


def _lines(account: Account) -> list[tuple[str, int, str]]:
    return [
        ("simulated", account.simulated, "as the tasks said, those that broke off included"),
        ("stored", account.stored, "accepted, each sample once"),
        ("merged", account.merged, "in the answer"),
        ("refused after the close", account.refused, "came when the answer was complete"),
        ("poisoned", account.skipped, "blocks that failed everywhere and were left out"),
        ("lost", account.lost, "said by tasks that broke off, and not stored"),
        ("not needed", account.spare, "spares, copies, and what nobody waited for"),
    ]


def _of(count: int, account: Account) -> float | None:
    return count / account.simulated if account.simulated else None


# ---- methods -----------------------------------------------------------------------------------


def _methods(methods: dict[str, Any]) -> list[str]:
    plain = {name: one for name, one in methods.items() if name != "text"}
    text = "".join(f"<p>{escape(one)}</p>" for one in str(methods.get("text", "")).split("\n\n"))
    items = "".join(
        f"<li>{escape(one)}</li>" for one in methods.get("to_be_filled_in_by_the_author", ())
    )
    return [
        text,
        "<h3>To be filled in by the author</h3>" if items else "",
        note(f"After the checklist of {methods.get('checklist')}:") if items else "",
        f"<ul>{items}</ul>" if items else "",
        "<details><summary>the same as JSON (methods.json)</summary>",
        code(json.dumps(plain, indent=1, ensure_ascii=False)) + "</details>",
    ]


def _foot(told: Page) -> str:
    where = f"from its journal; again with <code>manyhands report {escape(told.head.folder)}</code>"
    if told.course is None:
        where = "from the folders that were merged"
    return f"<footer>Made by manyhands {escape(__version__)} {where}</footer>\n"
