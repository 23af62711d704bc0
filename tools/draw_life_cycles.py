"""Draw docs/reference/life-cycles.md from the tables in manyhands/control/life_cycles.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

from manyhands.control.life_cycles import TABLES, Row

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "life-cycles.md"

HEAD = """# Life cycles

Drawn by `make docs` from `src/manyhands/control/life_cycles.py`; do not edit it here.

An arrow is named after what happens. A happening that a state has no arrow for is absorbed before
it reaches the table, or is a bug that stops the master."""

ROWS_HEAD = """## The message table

Every way in which a message or an event can be judged.

| row | condition and effect |
|---|---|"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, *(_diagram(name, table) for name, table in TABLES.items()), _message_table()]
    return "\n\n".join(parts) + "\n"


def _diagram(name: str, table: Mapping[tuple[Enum, str], Enum]) -> str:
    return "\n".join([f"## {name.capitalize()}", "", "```mermaid", *_arrows(table), "```"])


def _arrows(table: Mapping[tuple[Enum, str], Enum]) -> Iterator[str]:
    yield "stateDiagram-v2"
    states = {state.value: None for (old, _), new in table.items() for state in (old, new)}
    yield f"    [*] --> {next(iter(states))}"
    merged: dict[tuple[str, str], list[str]] = {}
    for (old, happening), new in table.items():
        merged.setdefault((old.value, new.value), []).append(happening)
    for (before, after), happenings in merged.items():
        yield f"    {before} --> {after}: {', '.join(happenings)}"
    left = {old.value for old, _ in table}
    yield from (f"    {state} --> [*]" for state in states if state not in left)


def _message_table() -> str:
    rows = [f"| {row.name.lower().replace('_', ' ')} | {row.value} |" for row in Row]
    return "\n".join([ROWS_HEAD, *rows])


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), "utf-8")
