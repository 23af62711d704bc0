"""Validation at birth: the few checks that every value of the model uses.

A value that makes no sense is refused with the field, what was given, and what would be valid.
"""

from __future__ import annotations

import math
from typing import Optional


def require(valid: bool, field: str, value: object, expected: str) -> None:
    """Refuse a field of a value that is being made."""
    if not valid:
        raise ValueError(f"{field} is {value!r}, but must be {expected}")


def is_count(value: object, least: int = 0) -> bool:
    """Whether a value is a whole number, not smaller than `least` (True is no number)."""
    return type(value) is int and value >= least


def is_span(value: object) -> bool:
    """Whether a value is a finite time above zero."""
    return type(value) in (int, float) and math.isfinite(value) and value > 0  # type: ignore[arg-type, operator]


def require_count(field: str, value: object, least: int = 0) -> None:
    """Refuse anything but a whole number that is not smaller than `least`."""
    require(is_count(value, least), field, value, f"a whole number, {least} or more")


def require_seconds(field: str, value: object) -> None:
    """Refuse anything but a finite time above zero."""
    require(is_span(value), field, value, "a finite number of seconds above 0")


def require_seconds_or_none(field: str, value: Optional[float]) -> None:
    """Refuse anything but None and a finite time above zero."""
    require(value is None or is_span(value), field, value, "None, or seconds above 0")


def require_text(field: str, value: object, longest: int = 1024) -> None:
    """Refuse anything but a text of sensible length."""
    valid = isinstance(value, str) and 0 < len(value) <= longest
    require(valid, field, value, f"a text of 1 to {longest} characters")
