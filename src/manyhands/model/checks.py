"""Validation at birth: the few checks that every value of the model uses.

A value that makes no sense is refused with the field, what was given, and what would be valid.
"""

from __future__ import annotations

from math import inf
from typing import Optional

SECONDS_MAX = 1e12
COUNT_MAX = 1 << 62  # of samples, blocks and microseconds: what is made of it fits everywhere


class Mistake(ValueError):
    """A user's mistake: one line that says what is wrong, where, and what would be right."""


class Broken(Exception):
    """The world has failed in a way that no retry mends: one line, what, where and what to do."""


def require(valid: bool, field: str, value: object, expected: str) -> None:
    """Refuse a field of a value that is being made."""
    if not valid:
        raise Mistake(f"{field} is {value!r}, but must be {expected}")


def is_count(value: object, least: int = 0) -> bool:
    """Whether a value is a whole number, not smaller than `least` (True is no number)."""
    return type(value) is int and value >= least


def is_span(value: object) -> bool:
    """Whether a value is a finite time above zero."""
    if not isinstance(value, (int, float)) or type(value) not in (int, float):
        return False
    return 0 < value < inf


def is_time(value: object) -> bool:
    """Whether a value is a time that can be counted in microseconds: 30,000 years are enough."""
    return isinstance(value, (int, float)) and is_span(value) and value <= SECONDS_MAX


def require_count(field: str, value: object, least: int = 0) -> None:
    """Refuse anything but a whole number that is not smaller than `least`."""
    require(is_count(value, least), field, value, f"a whole number, {least} or more")


def require_at_most(most: int, **fields: int) -> None:
    """Refuse fields that hold more than anything real."""
    for field, value in fields.items():
        require(value <= most, field, value, f"at most {most}")


def require_seconds(field: str, value: object) -> None:
    """Refuse anything but a finite time above zero."""
    require(is_time(value), field, value, "a finite number of seconds above 0, at most 1e12")


def require_seconds_or_none(field: str, value: Optional[float]) -> None:
    """Refuse anything but None and a finite time above zero."""
    valid = value is None or is_time(value)
    require(valid, field, value, "None, or seconds above 0, at most 1e12")


def require_text(field: str, value: object, longest: int = 1024) -> None:
    """Refuse anything but a text of sensible length."""
    valid = isinstance(value, str) and 0 < len(value) <= longest
    require(valid, field, value, f"a text of 1 to {longest} characters")
