"""Who may become what: every life cycle as a table, from which the diagrams are drawn.

The message table of the protocol is `Row`: each way in which a message or an event can be judged,
with its condition and effect. The simulated worlds must take every row and every transition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from manyhands.control.records import ClaimState, PartialState, PilotState, TaskState
from manyhands.model.campaign import Stage

State = TypeVar("State", bound=Enum)

PILOT: Mapping[tuple[PilotState, str], PilotState] = {
    (PilotState.LIVE, "overdue"): PilotState.OVERDUE,
    (PilotState.OVERDUE, "heard"): PilotState.LIVE,
    (PilotState.OVERDUE, "silent"): PilotState.LOST,
    (PilotState.LOST, "heard"): PilotState.LIVE,
    (PilotState.LIVE, "gone"): PilotState.GONE,
    (PilotState.OVERDUE, "gone"): PilotState.GONE,
    (PilotState.LOST, "gone"): PilotState.GONE,
    (PilotState.GONE, "heard"): PilotState.LIVE,
    (PilotState.LIVE, "removed"): PilotState.REMOVED,
    (PilotState.OVERDUE, "removed"): PilotState.REMOVED,
    (PilotState.LOST, "removed"): PilotState.REMOVED,
    (PilotState.GONE, "removed"): PilotState.REMOVED,
}

TASK: Mapping[tuple[TaskState, str], TaskState] = {
    (TaskState.RUNNING, "stop"): TaskState.ENDING,
    (TaskState.RUNNING, "ended"): TaskState.ENDED,
    (TaskState.ENDING, "ended"): TaskState.ENDED,
    (TaskState.RUNNING, "failed"): TaskState.FAILED,
    (TaskState.ENDING, "failed"): TaskState.FAILED,
    (TaskState.RUNNING, "lost"): TaskState.LOST,
    (TaskState.ENDING, "lost"): TaskState.LOST,
    (TaskState.LOST, "resumed"): TaskState.RUNNING,
    (TaskState.LOST, "stop"): TaskState.ENDING,
    (TaskState.LOST, "ended"): TaskState.ENDED,
    (TaskState.LOST, "failed"): TaskState.FAILED,
}

PARTIAL: Mapping[tuple[PartialState, str], PartialState] = {
    (PartialState.OPEN, "replaced"): PartialState.SUPERSEDED,
    (PartialState.OPEN, "sealed"): PartialState.SEALED,
    (PartialState.SEALED, "claimed"): PartialState.CLAIMED,
    (PartialState.CLAIMED, "returned"): PartialState.SEALED,
    (PartialState.CLAIMED, "merged"): PartialState.MERGED,
    (PartialState.OPEN, "dropped"): PartialState.DROPPED,
    (PartialState.SEALED, "dropped"): PartialState.DROPPED,
    (PartialState.SEALED, "quarantined"): PartialState.QUARANTINED,
}

CLAIM: Mapping[tuple[ClaimState, str], ClaimState] = {
    (ClaimState.ACTIVE, "stored"): ClaimState.DONE,
    (ClaimState.ACTIVE, "ended"): ClaimState.EXPIRED,
}

CAMPAIGN: Mapping[tuple[Stage, str], Stage] = {
    (Stage.OPEN, "end in sight"): Stage.DRAINING,
    (Stage.DRAINING, "end out of sight"): Stage.OPEN,
    (Stage.OPEN, "enough"): Stage.CLOSED,
    (Stage.DRAINING, "enough"): Stage.CLOSED,
    (Stage.CLOSED, "merged"): Stage.DONE,
    (Stage.OPEN, "failed"): Stage.FAILED,
    (Stage.DRAINING, "failed"): Stage.FAILED,
    (Stage.CLOSED, "failed"): Stage.FAILED,
    (Stage.OPEN, "cancelled"): Stage.CANCELLED,
    (Stage.DRAINING, "cancelled"): Stage.CANCELLED,
    (Stage.CLOSED, "cancelled"): Stage.CANCELLED,
}

TABLES: Mapping[str, Mapping[tuple[Enum, str], Enum]] = {
    "pilot": PILOT,  # type: ignore[dict-item]
    "task": TASK,  # type: ignore[dict-item]
    "partial": PARTIAL,  # type: ignore[dict-item]
    "claim": CLAIM,  # type: ignore[dict-item]
    "campaign": CAMPAIGN,  # type: ignore[dict-item]
}


# The same by plain texts, whose hashes are at hand, with the name of the transition.
_STEPS: Mapping[tuple[str, str, str], tuple[Enum, str]] = {
    (name, old.value, happening): (after, f"{name}: {old.value}, {happening}")
    for name, table in TABLES.items()
    for (old, happening), after in table.items()
}


class Row(Enum):
    """A row of the message table: its condition and its effect."""

    REPEAT = "last number again: the stored reply"
    STALE = "lower number or older incarnation: no orders; partials are still judged"
    UNKNOWN_PILOT = "unknown incarnation without its registration: register again"
    REPLACED = "a later incarnation registers: orders go to it only"
    FROM_REMOVED = "the pilot was removed: nothing counts; leave"
    PARTIAL_AGAIN = "name already accepted: accepted again, nothing changes"
    PARTIAL_COLLECTED = "name already given up: upload again under a new name"
    PARTIAL_CLOSED = "campaign closed: refused, counted as refused, deletable"
    PARTIAL_OPENED = "starts at the seal, nothing open: open"
    PARTIAL_SUPERSEDED = "starts at the seal, ends beyond the open one: replaces it"
    PARTIAL_FINAL = "the increment is over: sealed at once"
    PARTIAL_IMPOSTOR = "same coverage, other digest: refused, incident"
    PARTIAL_ELSEWHERE = "does not start at the seal, or nothing new: refused, deletable"
    PARTIAL_HAVE = "holds a block accepted from elsewhere: refused whole, its other blocks free"
    PARTIAL_UNKNOWN = "nobody was told to make it: refused, incident"
    MERGE_GIVEN = "partials claimed for a merge, open ones sealed"
    MERGE_STORED = "active claim: output sealed, inputs merged and deletable"
    MERGE_AGAIN = "claim done by this name: accepted again, nothing changes"
    MERGE_EXPIRED = "claim ended or unknown: output deletable"
    MERGE_IMPOSTOR = "another object has the output's name: refused, incident, inputs return"
    MERGE_FAILED = "inputs return to sealed"
    MERGE_QUARANTINED = "two mergers could not read an input: put aside"
    CLAIM_ENDED = "lease over or merger gone: inputs return to sealed, never to open"
    OBJECT_COLLECTED = "nothing refers to it: name given up for ever, then deleted"
    OBJECT_NEEDED = "proposed for collection, but referred to: nothing happens"
    RESTARTED = "all leases and claims anew; deletions ordered again"
    STAYED = "returned before it was lost: nothing was taken from it"
    BLOCKS_COPIED = "idle hand: copies of blocks whose holder is overdue"
    BLOCKS_CUT = "idle hands wait: the holder is asked to give blocks back"
    BLOCKS_RETURNED = "confirmed by the holder: the blocks are free"
    BLOCK_POISONED = "a block failed on too many hosts: left out and named"
    JUDGE_ASKED = "a look is due that needs the merged result: it is asked for"
    JUDGED = "the look that is under way was taken: the rule is met, or there is a forecast"
    JUDGED_LATE = "of another look, or nobody waits for it: nothing changes"
    UNJUDGED = "the look could not be taken: asked for again"
    CLASS_DIFFERS = "block 0 has another digest: the pilot is put aside for this campaign"


@dataclass(slots=True)
class Trail:
    """How often each row and transition was taken; for tests and reports, never for decisions."""

    rows: dict[str, int] = field(default_factory=dict)

    def row(self, row: Row) -> None:
        """Remember that a row was taken."""
        name = row._name_
        self.rows[name] = self.rows.get(name, 0) + 1

    def step(self, table: str, state: State, happening: str) -> State:
        """The state after a happening; one that the table does not have is a bug of ours."""
        found = _STEPS.get((table, state._value_, happening))
        assert found is not None, f"{table} in state {state.value!r} cannot be {happening!r}"
        after, key = found
        self.rows[key] = self.rows.get(key, 0) + 1
        return after  # type: ignore[return-value]


def all_rows() -> list[str]:
    """The name of every row and transition that there is."""
    steps = [
        f"{name}: {old.value}, {happening}"
        for name, table in TABLES.items()
        for old, happening in table
    ]
    return [row.name for row in Row] + steps
