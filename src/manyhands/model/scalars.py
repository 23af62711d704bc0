"""The plain form of what has no parts: numbers, texts, truth values, nothing, and enums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any

from manyhands.model.malformed import Malformed, shown

Convert = Callable[[Any], Any]


@dataclass
class Codec:
    """The two directions of one type: `out` to plain data, `into` a value again."""

    out: Convert
    into: Convert


def text(value: Any) -> str:
    """A text, unless it holds half a character, which no UTF-8 can tell."""
    if type(value) is not str:
        raise Malformed(shown(value), "a text")
    if not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value):
        raise Malformed(ascii(value[:40]), "a text without lone surrogates")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise Malformed(shown(value), "a whole number")
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise Malformed(shown(value), "true or false")
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise Malformed(shown(value), "null")


def _number(value: Any) -> float:
    if type(value) is float and isfinite(value):
        return value
    if type(value) is int and abs(value) <= 1 << 1023 and int(float(value)) == value:
        return float(value)
    raise Malformed(shown(value), "a finite number that a float can hold")


def _same(convert: Convert) -> Codec:
    return Codec(convert, convert)


SCALARS: dict[object, Codec] = {
    int: _same(_whole),
    float: _same(_number),
    str: _same(text),
    bool: _same(_truth),
    type(None): _same(_nothing),
}


def enum_codec(cls: type[Enum]) -> Codec:
    """Members travel by their value, which is a text or a whole number."""
    by_value = {one.value: one for one in cls}
    if not all(type(value) in (str, int) for value in by_value):
        raise TypeError(f"the codec knows no {cls.__name__}: its values are no texts or numbers")
    expected = "one of " + ", ".join(str(value) for value in by_value)

    def out(value: Any) -> Any:
        if type(value) is not cls:
            raise Malformed(shown(value), f"a {cls.__name__}")
        return value._value_  # `value` itself is a slow descriptor

    def into(plain: Any) -> Any:
        member = by_value.get(plain) if type(plain) in (str, int) else None
        if member is None:
            raise Malformed(shown(plain), expected)
        return member

    return Codec(out, into)
