"""A machine that is saved and restored is the machine it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from heapq import heappush
from math import inf
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.control.snapshot import digest, restore, save
from manyhands.model.codec import Malformed, dump, parse
from manyhands.model.coverage import Coverage, Span
from manyhands.model.orders import Order, SetQuota, StopTask


class Place(Enum):
    LIVE = "live"
    LOST = "lost"


@dataclass(slots=True)
class Waiting:
    since_s: float


@dataclass(slots=True)
class Working:
    task: int
    held: Coverage


@dataclass(slots=True)
class Pilot:
    number: int
    place: Place = Place.LIVE
    doing: Waiting | Working | None = None
    orders: tuple[Order, ...] = ()
    rates: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Pool:
    NOT_SAVED: ClassVar[tuple[str, ...]] = ("period_s",)
    period_s: float = 60.0
    pilots: dict[int, Pilot] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)
    leases: list[tuple[float, int]] = field(default_factory=list)
    double_period_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.double_period_s = 2 * self.period_s


def _pool(numbers: list[int]) -> Pool:
    pool = Pool()
    for number in numbers:
        working = Working(number, Coverage((Span(number, 0, 7),)))
        pool.pilots[number] = Pilot(
            number,
            Place.LOST if number % 2 else Place.LIVE,
            working if number % 3 else Waiting(number / 7),
            (SetQuota(number, 5), StopTask(number, True)),
            [0.1 * number, -0.0],
        )
        pool.by_name[f"pilot {number}"] = number
        heappush(pool.leases, (1 / (number + 1), number))
    return pool


@given(st.lists(st.integers(0, 1 << 40), unique=True))
def test_a_restored_machine_is_equal_in_everything_but_identity(numbers: list[int]) -> None:
    pool = _pool(numbers)
    again = restore(save(pool), Pool)
    assert again == pool
    assert save(again) == save(pool)
    assert digest(again) == digest(pool)
    assert list(again.pilots) == list(again.by_name.values()) == numbers
    assert all(type(lease) is tuple for lease in again.leases)


def test_a_restored_machine_shares_nothing_with_the_first() -> None:
    pool = _pool([1, 2])
    again = restore(save(pool), Pool)
    again.pilots[1].rates.append(5.0)
    assert len(pool.pilots[1].rates) == 2
    assert digest(again) != digest(pool)


def test_what_is_made_at_birth_is_not_saved() -> None:
    pool = Pool(period_s=5.0)
    assert b"period" not in save(pool)
    assert restore(save(pool), Pool).double_period_s == 120.0


def test_the_order_of_a_dictionary_is_part_of_the_state() -> None:
    assert digest(_pool([1, 2])) != digest(_pool([2, 1]))


def test_a_state_that_cannot_be_written_is_refused_with_its_place() -> None:
    pool = _pool([1])
    pool.pilots[1].rates.append(inf)
    with pytest.raises(Malformed, match=r"pilots\[0\]\[1\].rates\[2\] is inf"):
        save(pool)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, "schema is 2, but must be 1"),
        ({"kind": "journal"}, "kind is 'journal'"),
        ({"type": "Pond"}, "type is 'Pond', but must be 'Pool'"),
        ({"state": {}}, "pilots is missing"),
    ],
)
def test_other_snapshots_are_refused(change: dict[str, object], said: str) -> None:
    changed = dump({**parse(save(_pool([]))), **change})
    with pytest.raises(Malformed, match=said):
        restore(changed, Pool)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"\xff"])
def test_what_is_no_snapshot_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        restore(data, Pool)


def test_a_name_that_is_not_a_field_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="names no field: polices"):
        save(Mistaken())


@dataclass(slots=True)
class Mistaken:
    NOT_SAVED: ClassVar[tuple[str, ...]] = ("polices",)
    policies: int = 0


def test_a_field_that_is_neither_saved_nor_made_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="cannot be made without policy"):
        save(Unmakeable(1))


@dataclass(slots=True)
class Unmakeable:
    NOT_SAVED: ClassVar[tuple[str, ...]] = ("policy",)
    policy: int


def test_a_value_deep_in_the_tree_is_named() -> None:
    damaged = save(_pool([1])).replace(b'"live"', b'"dead"').replace(b'"lost"', b'"dead"')
    with pytest.raises(Malformed, match=r"pilots\[0\]\[1\].place is 'dead', but must be one of"):
        restore(damaged, Pool)
