"""Hypothesis strategies for every fact, order, event and command, made from their type hints.

A class whose fields depend on each other has a strategy by hand in `BY_HAND`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from manyhands.model.campaign import Campaign, Ending, Merging, Mode, Pace, Split, Splitting
from manyhands.model.commands import Command
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import Event, PrecisionUnjudged
from manyhands.model.facts import Fact, LeaseCut, PartialStored
from manyhands.model.orders import Lease, Order
from manyhands.model.stopping import AllOf, AnyOf, Budget, Deadline, Precision, Samples
from manyhands.model.where import MAX, TOP, Above, AllCells, Cell, Fraction, Mask

Values = st.SearchStrategy[Any]

COUNTS = st.integers(1, 1 << 62)
SECONDS = st.floats(1e-6, 1e9)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
# Of one length, so that a partial can have coverage of its size.
LENGTH = 1000


def members_of(union: object) -> tuple[type, ...]:
    """The classes of a union."""
    return get_args(union)


@cache
def values_of(hint: Any) -> Values:
    """Values of a type, valid at birth."""
    if hint in BY_HAND:
        return BY_HAND[hint]()
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{one.name: values_of(hints[one.name]) for one in fields(hint)})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return _compound(get_origin(hint), get_args(hint))


def _compound(origin: Any, arguments: tuple[Any, ...]) -> Values:
    if origin in (Union, UnionType):
        return st.one_of([values_of(one) for one in arguments])
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values_of(arguments[0]), max_size=4).map(tuple)
    if origin is tuple:
        return st.tuples(*(values_of(one) for one in arguments))
    raise TypeError(f"no strategy for {origin} of {arguments}")


def _spans() -> Values:
    parts = (st.integers(-1, 1 << 40), st.integers(0, 1 << 40), st.integers(1, 1 << 40))
    return st.builds(lambda line, start, size: Span(line, start, start + size), *parts)


def _coverages() -> Values:
    lines = st.lists(st.integers(-1, 50), max_size=4, unique=True)
    return lines.map(lambda lines: Coverage.of(Span(line, 5, 9 + line) for line in lines))


def _partials() -> Values:
    return st.builds(
        lambda task, start, line, place, rest: PartialStored(
            task, start, start + LENGTH, rest[0], rest[1], _covered(line, place), *rest[2:]
        ),
        st.integers(0, 1 << 40),
        st.integers(0, 1 << 40),
        st.integers(-1, 1 << 40),
        st.integers(0, 1 << 40),
        st.tuples(TEXTS, st.text(), st.booleans(), _sums(), st.integers(0, 1 << 40)),
    )


def _covered(line: int, place: int) -> Coverage:
    half = LENGTH // 2
    apart = place + half + 1
    return Coverage((Span(line, place, place + half), Span(line, apart, apart + half)))


def _sums() -> Values:
    return st.lists(st.integers(-(1 << 62), 1 << 62), max_size=5).map(tuple)


def _intervals() -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(0, 1 << 40), st.integers(1, 1 << 40)).map(
        lambda pair: (pair[0], pair[0] + pair[1])
    )


def _leases() -> Values:
    return _intervals().map(lambda pair: Lease(*pair))


def _cuts() -> Values:
    blocks = st.lists(_intervals(), max_size=4).map(tuple)
    return st.builds(LeaseCut, st.integers(0, 1 << 40), blocks)


def _precisions() -> Values:
    samples = st.integers(2, 1 << 40)
    share = st.floats(0.01, 0.99)
    relative = st.builds(
        Precision, TEXTS, relative=SECONDS, confidence=share, unit=SECONDS, samples_min=samples
    )
    where = st.builds(Precision, TEXTS, relative=SECONDS, where=_places())
    return relative | where | st.builds(Precision, TEXTS, absolute=SECONDS, vov_max=share)


def _unjudged() -> Values:
    what = st.tuples(TEXTS, st.just("")) | st.tuples(st.just(""), TEXTS)
    return st.builds(lambda number, said: PrecisionUnjudged(number, number, *said), COUNTS, what)


def _places() -> Values:
    runs = _intervals().map(lambda run: Mask((1 << 42,), (run,)))
    cells = st.lists(st.integers(0, 1 << 40), max_size=3).map(tuple)
    share = st.floats(0.01, 0.99)
    return (
        runs
        | st.builds(Cell, cells)
        | st.just(AllCells())
        | st.builds(Above, share, st.sampled_from([TOP, MAX]))
        | st.builds(Fraction, share)
    )


def _plain_rules() -> Values:
    return st.builds(Samples, COUNTS) | st.builds(Deadline, SECONDS) | st.builds(Budget, SECONDS)


def _combined(rules: Values) -> Values:
    return st.builds(
        lambda kind, rules: kind(tuple(rules)),
        st.sampled_from([AnyOf, AllOf]),
        st.lists(rules, min_size=1, max_size=3),
    )


def _campaigns() -> Values:
    common: dict[str, Values] = {
        "campaign": st.integers(0, 1 << 40),
        "name": TEXTS,
        "seed": st.integers(0, (1 << 64) - 1),
        "pace": st.builds(Pace, st.none() | SECONDS, st.none() | SECONDS, st.booleans()),
        "merging": st.builds(Merging, st.integers(0, 99), st.integers(2, 99), SECONDS),
        "growing": st.booleans(),
    }
    flat = _plain_rules() | _precisions() | _combined(_plain_rules())
    rules = flat | st.recursive(_plain_rules(), _combined, max_leaves=5)
    exact = st.builds(Campaign, stop=flat, mode=st.just(Mode.EXACT), **common)
    shares = st.just(Splitting(Split.STATIC, tasks=7)) | st.just(Splitting(Split.CHUNKS, samples=9))
    baseline = st.builds(
        Campaign,
        stop=st.builds(Samples, COUNTS),
        splitting=shares,
        ending=st.sampled_from(Ending),
        **common,
    )
    return exact | st.builds(Campaign, stop=rules, **common) | baseline


BY_HAND: dict[Any, Callable[[], Values]] = {
    int: lambda: COUNTS,
    float: lambda: SECONDS,
    str: lambda: TEXTS,
    bool: st.booleans,
    type(None): st.none,
    Span: _spans,
    Coverage: _coverages,
    PartialStored: _partials,
    Lease: _leases,
    LeaseCut: _cuts,
    Campaign: _campaigns,
    Precision: _precisions,
    PrecisionUnjudged: _unjudged,
}

FACTS, ORDERS = members_of(Fact), members_of(Order)
EVENTS, COMMANDS = members_of(Event), members_of(Command)
TRAVELLING = (*FACTS, *ORDERS, *EVENTS, *COMMANDS)
