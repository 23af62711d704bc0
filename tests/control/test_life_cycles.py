"""The tables: complete where anything may happen, every state reached, and drawn as they are."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import pytest

from manyhands.control.life_cycles import (
    CAMPAIGN,
    CLAIM,
    PILOT,
    TABLES,
    TASK,
    Row,
    Trail,
    all_rows,
)
from manyhands.control.records import ClaimState, PartialState, PilotState, TaskState
from manyhands.model.campaign import Stage
from tools.draw_life_cycles import PAGE, page

Table = Mapping[tuple[Enum, str], Enum]

STARTS: dict[str, Enum] = {
    "pilot": PilotState.LIVE,
    "task": TaskState.RUNNING,
    "partial": PartialState.OPEN,
    "claim": ClaimState.ACTIVE,
    "campaign": Stage.OPEN,
}
ENDS: dict[str, list[Enum]] = {
    "pilot": [PilotState.REMOVED],
    "task": [TaskState.ENDED, TaskState.FAILED],
    "partial": [
        PartialState.MERGED,
        PartialState.SUPERSEDED,
        PartialState.DROPPED,
        PartialState.QUARANTINED,
    ],
    "claim": [ClaimState.DONE, ClaimState.EXPIRED],
    "campaign": [Stage.DONE, Stage.FAILED, Stage.CANCELLED],
}


@pytest.mark.parametrize("name", TABLES)
def test_every_state_can_be_reached_and_only_the_last_are_for_ever(name: str) -> None:
    table, start = TABLES[name], STARTS[name]
    reached = {start: None}
    for _ in table:
        reached |= {after: None for (before, _), after in table.items() if before in reached}
    assert list(reached) != []
    assert all(state in reached for state in type(start))
    left = [before for before, _ in table]
    assert [state for state in type(start) if state not in left] == ENDS[name]


@pytest.mark.parametrize(
    ("table", "happening", "states"),
    [
        (PILOT, "removed", [one for one in PilotState if one is not PilotState.REMOVED]),
        (PILOT, "gone", [PilotState.LIVE, PilotState.OVERDUE, PilotState.LOST]),
        (TASK, "ended", [TaskState.RUNNING, TaskState.ENDING, TaskState.LOST]),
        (TASK, "failed", [TaskState.RUNNING, TaskState.ENDING, TaskState.LOST]),
        (TASK, "lost", [TaskState.RUNNING, TaskState.ENDING]),
        (CLAIM, "ended", [ClaimState.ACTIVE]),
        (CAMPAIGN, "cancelled", [Stage.OPEN, Stage.DRAINING, Stage.CLOSED]),
        (CAMPAIGN, "failed", [Stage.OPEN, Stage.DRAINING, Stage.CLOSED]),
    ],
)
def test_what_may_happen_at_any_time_is_in_every_state(
    table: Table, happening: str, states: list[Enum]
) -> None:
    assert [before for before, what in table if what == happening] == states


def test_sealed_is_never_undone() -> None:
    table = TABLES["partial"]
    assert PartialState.OPEN not in table.values()


def test_a_step_that_no_table_has_is_a_bug_that_says_which() -> None:
    with pytest.raises(AssertionError, match="claim in state 'done' cannot be 'ended'"):
        Trail().step("claim", ClaimState.DONE, "ended")


def test_the_trail_counts_rows_and_steps_by_names_that_are_known() -> None:
    trail = Trail()
    trail.row(Row.STALE)
    trail.row(Row.STALE)
    assert trail.step("claim", ClaimState.ACTIVE, "ended") is ClaimState.EXPIRED
    assert trail.rows == {"STALE": 2, "claim: active, ended": 1}
    assert all(name in all_rows() for name in trail.rows)
    assert len(all_rows()) == len(dict.fromkeys(all_rows()))


def test_the_drawing_is_that_of_the_tables() -> None:
    assert PAGE.read_text("utf-8") == page(), "draw it again: make docs"


def test_every_row_and_transition_is_drawn() -> None:
    drawn = page()
    assert all(row.value in drawn for row in Row)
    for table in TABLES.values():
        for (before, happening), after in table.items():
            lines = [
                one for one in drawn.splitlines() if f"{before.value} --> {after.value}" in one
            ]
            assert any(happening in one for one in lines)
