"""Numbers as people write them: 1e8 samples, 0.5 %, 10m, 2G."""

from __future__ import annotations

import math
import re
from typing import cast

from manyhands.model.checks import COUNT_MAX, Mistake, is_span

SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
PIECE = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)", re.IGNORECASE)


class BadQuantity(Mistake):
    """A text is not the number that was asked for: one line says what would be."""


def count(what: str, value: str | int | float) -> int:
    """A whole number above 0, also as 1e8 or 450_000."""
    number = _number(value)
    whole = number is not None and number == math.floor(number)
    if number is None or not whole or not 1 <= number <= COUNT_MAX:
        raise BadQuantity(
            f"{what} {value!r} is not a number of samples: a whole number from 1 to "
            f"{COUNT_MAX:.0e} is wanted, as 1000000 or 1e6"
        )
    return int(value) if isinstance(value, int) else int(number)


def part(what: str, value: str | float) -> float:
    """A part, as 0.005 or 0.5%."""
    text = str(value).strip()
    percent = text.endswith("%")
    number = _number(text.rstrip("% ")) if percent else _number(value)
    if number is None or not 0 < number < math.inf:
        raise BadQuantity(f"{what} {value!r} is not a precision: 0.005 or 0.5% is")
    found = number / 100 if percent else number
    if found > 1:
        raise BadQuantity(f"{what} {value!r} is more than 100 %: 0.005 or 0.5% is a precision")
    return found


def above_zero(what: str, value: object) -> float:
    """A finite number above 0."""
    if not is_span(value):
        raise BadQuantity(f"{what} {value!r} is not a number above 0")
    return float(cast(float, value))


def seconds(what: str, value: str | float) -> float:
    """A length of time, as 90, 90s, 10m, 1h30m or 2d."""
    number = _number(value)
    if number is None:
        number = _pieces(str(value), SECONDS)
    if number is None or not 0 < number <= 1e9:
        raise BadQuantity(f"{what} {value!r} is not a time: 90s, 10m, 1h30m or 2d are")
    return number


def size_bytes(what: str, value: str | int) -> int:
    """A size, as 500M or 2G."""
    number = _pieces(str(value).lower().removesuffix("b").removesuffix("i"), BYTES)
    if number is None or not 1 <= number <= COUNT_MAX:
        raise BadQuantity(f"{what} {value!r} is not a size: 500M or 2G are")
    return int(number)


def _number(value: str | float) -> float | None:
    try:
        number = float(str(value).replace("_", "") if isinstance(value, str) else value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _pieces(text: str, units: dict[str, float] | dict[str, int]) -> float | None:
    """The sum of numbers with units behind them."""
    found, end = 0.0, 0
    for piece in PIECE.finditer(text.strip()):
        unit = piece.group(2).lower()
        number = _number(piece.group(1))
        if piece.start() != end or unit not in units or number is None:
            return None
        found += number * units[unit]
        end = piece.end()
    return found if end and end == len(text.strip()) else None
