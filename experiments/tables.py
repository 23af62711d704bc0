"""Tables as markdown, and the page that they stand on."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path("docs/reference/figures.md")


@dataclass(frozen=True, slots=True)
class Table:
    """A caption, the head of its columns, and its rows of text."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """As it stands on the page."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"**{self.caption}**\n\n{body}\n"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where numbers come from."""

    command: str
    commit: str

    def __str__(self) -> str:
        day = datetime.now(UTC).date().isoformat()
        machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        return f"`{self.command}` on {machine}; {day}, commit {self.commit}."


def _processor() -> str:
    """The name of it, where the system tells."""
    told = Path("/proc/cpuinfo")
    text = told.read_text(encoding="utf-8") if told.exists() else ""
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.machine()


def share(value: float, digits: int = 2) -> str:
    """A part of one, as percent."""
    return f"{100 * value:.{digits}f} %"


def at_least(value: float, bar: float) -> str:
    """Whether a bar is reached, as text."""
    return f"≥ {bar:g}: {verdict(value >= bar)}"


def at_most(value: float, bar: float) -> str:
    """Whether a bar, a part of one, is kept, as text."""
    return f"≤ {100 * bar:g} %: {verdict(value <= bar)}"


def verdict(good: bool) -> str:
    """A word for it."""
    return "pass" if good else "**fail**"


def put_on_page(page: str, name: str, section: str) -> str:
    """The page with a new section between the marks of this name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"the page has no section between {begin} and {end}")
    return pattern.sub(lambda _: f"{begin}\n{section}\n{end}", page)


def section(origin: Origin, tables: Sequence[Table]) -> str:
    """What stands between the marks."""
    return f"{origin}\n\n" + "\n".join(table.markdown() for table in tables)
