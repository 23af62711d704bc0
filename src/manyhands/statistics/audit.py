"""Whether what came back can be counted: a count is a claim, and the tallies are its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from manyhands.statistics.chunks import chunks
from manyhands.statistics.forms import Form
from manyhands.statistics.returned import (
    SQUARE_SLACK,
    BadReturn,
    Batch,
    Binned,
    Floats,
    Mean,
    Moments,
    Returned,
    ShortReturn,
    Total,
)

NAME_LENGTH_MAX = 100
NAMES_MAX = 10_000
ROOT_OF_LEAST = 1e-150  # squares of smaller numbers vanish
KINDS = (Mean, Moments, Batch, Binned, Total)
WRAP = "wrap it in mh.mean(...), mh.moments(...), mh.histogram(...), mh.counts(...) or mh.sum(...)"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A return that can be counted, and how many samples it holds."""

    tallies: dict[str, Returned]
    samples: int

    @property
    def forms(self) -> dict[str, Form]:
        """What has to stay the same in every further return."""
        return {name: one.form for name, one in self.tallies.items()}


def checked(returned: object, samples_ordered: int) -> Checked:
    """Check a whole return; it may hold fewer samples than ordered, but one at least."""
    if not isinstance(returned, Mapping) or not returned:
        raise BadReturn(
            f"advance() returned {_kind_of(returned)}, but must return a dict of tallies:"
            ' {"name": mh.mean(values)}'
        )
    if len(returned) > NAMES_MAX:
        raise BadReturn(f"advance() returned {len(returned)} tallies, at most {NAMES_MAX}")
    tallies: dict[str, Returned] = {}
    for name, one in returned.items():
        tallies[require_name(name)] = _checked(name, one)
    return Checked(tallies, _samples(tallies, samples_ordered))


def require_whole(samples: int, samples_ordered: int) -> None:
    """Refuse a return with too few samples, where a block is a whole or nothing."""
    if samples < samples_ordered:
        raise ShortReturn(
            f"advance() returned {samples} of {samples_ordered} samples: in exact mode it must"
            " return them all"
        )


def require_same(was: Mapping[str, Form], now: Mapping[str, Form]) -> None:
    """Refuse tallies that are others than before."""
    if found := difference(was, now):
        raise BadReturn(f"advance() returned other tallies than before: {found}")


def difference(
    one: Mapping[str, Form], other: Mapping[str, Form], here: str = "before", there: str = "now"
) -> str:
    """What differs between two sets of tallies, in words; empty if nothing does."""
    if one.keys() != other.keys():
        return f"{listed(one)} {here} and {listed(other)} {there}"
    for name, form in one.items():
        if form != other[name]:
            if str(form) == str(other[name]):
                return f"tally {name!r} is {form} {here}, with other inner edges {there}"
            return f"tally {name!r} is {form} {here} and {other[name]} {there}"
    return ""


def listed(names: Mapping[str, object]) -> str:
    """Names in one line, cut short if there are many."""
    shown = sorted(names)[:10]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more


def require_name(name: object) -> str:
    """Refuse a name that no table, file or address could show."""
    valid = isinstance(name, str) and 0 < len(name) <= NAME_LENGTH_MAX
    if not (valid and isinstance(name, str) and name.isprintable() and "/" not in name):
        raise BadReturn(
            f"{str(name)[:NAME_LENGTH_MAX]!r} is no name for a tally: it must be a text of 1 to"
            f" {NAME_LENGTH_MAX} printable characters without '/'"
        )
    return name if name == name.strip() else require_name("")


def _checked(name: str, one: object) -> Returned:
    if not isinstance(one, KINDS):
        raise BadReturn(f"tally {name!r} is {_kind_of(one)}: {WRAP}")
    cells = bad = 0
    for numbers in one.numbers:
        cells += numbers.size
        bad += _not_finite(numbers)
    if bad:
        raise BadReturn(f"tally {name!r} has {bad} of {cells} numbers that are NaN or infinite")
    if isinstance(one, Moments):
        _require_possible(name, one)
    return one


def _not_finite(numbers: Floats) -> int:
    # A finite sum proves that all are finite, and costs half; overflow only leads to the slow way.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(numbers)):
            return 0
    return int(numbers.size - np.count_nonzero(np.isfinite(numbers)))


def _require_possible(name: str, one: Moments) -> None:
    """Refuse sums that no samples have: (Σx)² is never above n·Σx²."""
    s1, s2 = (sums.reshape(-1) for sums in one.numbers[:2])
    wrong = sum(_impossible(s1[part], s2[part], one.samples) for part in chunks(s1.size))
    if wrong:
        raise BadReturn(
            f"tally {name!r} has {wrong} of {s1.size} cells where s1² > n·s2: sums of squares"
            " must be of the same samples"
        )


def _impossible(s1: Floats, s2: Floats, samples: int) -> int:
    """In how many cells; roots are compared, since squares may overflow or vanish."""
    most = np.sqrt(np.maximum(s2, 0.0)) * (np.sqrt(float(samples)) * (1 + SQUARE_SLACK))
    vanished = (s2 == 0) & (np.abs(s1) < ROOT_OF_LEAST)
    return int(np.count_nonzero((s2 < 0) | ((np.abs(s1) > most) & ~vanished)))


def _samples(tallies: Mapping[str, Returned], ordered: int) -> int:
    known = {name: one.samples for name, one in tallies.items() if one.samples is not None}
    if not known:
        return ordered
    first, samples = next(iter(known.items()))
    for name, found in known.items():
        if found != samples:
            raise BadReturn(
                f"tally {name!r} holds {found} samples but {first!r} holds {samples}: all tallies"
                " of a return must hold the same"
            )
    if samples > ordered:
        raise BadReturn(f"tally {first!r} holds {samples} samples, but {ordered} were ordered")
    if samples == 0:
        raise BadReturn(f"tally {first!r} holds no samples, but {ordered} were ordered")
    return samples


def _kind_of(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if value is None:
        return "None"
    empty = isinstance(value, Mapping | list | tuple | str) and not value
    return f"a {type(value).__name__}" + (" that is empty" if empty else "")
