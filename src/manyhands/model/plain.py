"""The values of the model as plain data (what JSON knows) and back, by their type hints.

The hints of a dataclass say all there is to know: they are compiled once into a pair of functions,
closures over those of the fields, which a dictionary keeps. How each type travels:

- An enum by value, a tuple as a list, None as null; a float keeps every bit, infinities and NaN
  are refused; a whole number is taken where a float is due and becomes one in both directions, so
  that equal values have equal bytes; True is no number.
- A dataclass as the object of its fields, or as their list if it says `__compact__ = True`. Left
  out, and made anew at its birth: fields with `init=False` and those that `NOT_SAVED` names.
- A member of a union of dataclasses as the envelope {"type": its class, "body": its fields}.
- A dictionary with keys of type str as an object, any other one as a list of pairs [key, value]:
  so keys keep their type, and all keep their order.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from manyhands.model.malformed import Malformed, sentence, shown
from manyhands.model.scalars import SCALARS, Codec, Convert, enum_codec, text

Compile = Callable[[object], Codec]

_codecs: dict[object, Codec] = {}
_unions = (Union, getattr(types, "UnionType", Union))  # `X | Y` is a type since Python 3.10


def codec_of(hint: object) -> Codec:
    """The codec of a type, compiled at its first use."""
    done = _codecs.get(hint)
    if done is None:
        # Published only when whole: another thread may look for any part of it meanwhile.
        begun: dict[object, Codec] = {}
        done = _compiled(hint, begun)
        _codecs.update(begun)
        _codecs[hint] = done
    return done


def _compiled(hint: object, begun: dict[object, Codec]) -> Codec:
    known = _codecs.get(hint) or begun.get(hint) or SCALARS.get(hint)
    if known is not None:
        return known

    def inner(part: object) -> Codec:
        return _compiled(part, begun)

    if isinstance(hint, type) and is_dataclass(hint):
        # A type may hold itself: whoever asks while it is being compiled goes through these two.
        late = begun[hint] = Codec(lambda one: done.out(one), lambda one: done.into(one))
        done = _record(hint, inner)
        late.out, late.into = done.out, done.into
        return done
    if isinstance(hint, type) and issubclass(hint, Enum):
        return enum_codec(hint)
    return _compound(hint, inner)


def _compound(hint: object, inner: Compile) -> Codec:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in _unions:
        return _union(arguments, inner)
    if origin is list and len(arguments) == 1:
        return _sequence(list, inner(arguments[0]))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _sequence(tuple, inner(arguments[0]))
    if origin is tuple:
        # Tuple[()] says its emptiness differently in different versions of Python.
        return _row(tuple, [inner(one) for one in arguments if one != ()])
    if origin is dict and arguments[0] is str:
        return _mapping(inner(arguments[1]))
    if origin is dict:
        return _pairs(inner(arguments[0]), inner(arguments[1]))
    raise TypeError(f"the codec knows no type {hint!r}")


# ---- dataclasses ---------------------------------------------------------------------------


def _record(cls: type, inner: Compile) -> Codec:
    saved = _saved_fields(cls)
    names = tuple(one.name for one in saved)
    hints = get_type_hints(cls)
    codecs = [inner(hints[name]) for name in names]
    outs, intos = [one.out for one in codecs], [one.into for one in codecs]
    values_of = _getter(attrgetter, names)
    make = _maker(cls, names)
    if getattr(cls, "__compact__", False):
        return _compact(cls, names, codecs)

    def out(value: Any) -> dict[str, Any]:
        if type(value) is not cls:
            raise Malformed(shown(value), f"a {cls.__name__}")
        plain: dict[str, Any] = {}
        try:
            for name, convert, one in zip(names, outs, values_of(value)):
                plain[name] = convert(one)
        except Malformed as error:
            raise error.within("." + names[len(plain)]) from None
        return plain

    items_of = _getter(itemgetter, names)
    count = len(names)

    def into(plain: Any) -> Any:
        if type(plain) is not dict or len(plain) != count:
            _refuse_fields(plain, cls, names)
        values: list[Any] = []
        try:
            for convert, one in zip(intos, items_of(plain)):
                values.append(convert(one))
        except Malformed as error:
            raise error.within("." + names[len(values)]) from None
        except KeyError:
            _refuse_fields(plain, cls, names)
        try:
            return make(*values)
        except (ValueError, ArithmeticError) as error:
            raise _refused(cls, error) from None

    return Codec(out, into)


def _compact(cls: type, names: tuple[str, ...], codecs: list[Codec]) -> Codec:
    row = _row(tuple, codecs)
    values_of = _getter(attrgetter, names)
    make = _maker(cls, names)

    def out(value: Any) -> Any:
        if type(value) is not cls:
            raise Malformed(shown(value), f"a {cls.__name__}")
        return row.out(tuple(values_of(value)))

    def into(plain: Any) -> Any:
        values = row.into(plain)
        try:
            return make(*values)
        except (ValueError, ArithmeticError) as error:
            raise _refused(cls, error) from None

    return Codec(out, into)


def _saved_fields(cls: Any) -> list[Field[Any]]:
    skipped: tuple[str, ...] = getattr(cls, "NOT_SAVED", ())
    unknown = [name for name in skipped if name not in [one.name for one in fields(cls)]]
    if unknown:
        raise TypeError(f"{cls.__name__}.NOT_SAVED names no field: {', '.join(unknown)}")
    return [one for one in fields(cls) if one.init and one.name not in skipped]


def _maker(cls: Any, names: tuple[str, ...]) -> Callable[..., Any]:
    """What makes an object, in the ordinary way, from the values of its saved fields."""
    wanted = [one for one in fields(cls) if one.init]
    lacking = [one.name for one in wanted if one.name not in names and not _has_default(one)]
    if lacking:
        raise TypeError(f"{cls.__name__} cannot be made without {', '.join(lacking)}")
    in_order = all(not getattr(one, "kw_only", False) for one in wanted)
    in_order = in_order and tuple(one.name for one in wanted)[: len(names)] == names

    return cls if in_order else lambda *values: cls(**dict(zip(names, values)))


def _refused(cls: type, error: Exception) -> Malformed:
    return Malformed(f"no {cls.__name__}: {sentence(error)}")


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _getter(kind: Any, names: tuple[str, ...]) -> Convert:
    """attrgetter or itemgetter, which give a tuple only for two names or more."""
    if not names:
        return lambda source: ()
    get = kind(*names)
    return (lambda source: (get(source),)) if len(names) == 1 else get


def _refuse_fields(plain: Any, cls: type, names: tuple[str, ...]) -> NoReturn:
    if type(plain) is not dict:
        raise Malformed(shown(plain), f"the fields of a {cls.__name__}")
    for name in names:
        if name not in plain:
            raise Malformed("missing", f"a field of {cls.__name__}").within("." + name)
    surplus = next(name for name in plain if name not in names)
    raise Malformed(f"an object with {shown(surplus)}", f"a {cls.__name__}, which has none")


# ---- unions --------------------------------------------------------------------------------


def _union(arguments: tuple[object, ...], inner: Compile) -> Codec:
    members = tuple(one for one in arguments if one is not type(None))
    one = inner(members[0]) if len(members) == 1 else envelope(members, inner)
    return one if len(members) == len(arguments) else _optional(one)


def _optional(codec: Codec) -> Codec:
    out, into = codec.out, codec.into
    return Codec(
        lambda value: None if value is None else out(value),
        lambda plain: None if plain is None else into(plain),
    )


def members(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in _unions else (hint,)


def envelope(members: tuple[object, ...], inner: Compile) -> Codec:
    classes = [one for one in members if isinstance(one, type) and is_dataclass(one)]
    by_class = {one: (one.__name__, inner(one)) for one in classes}
    by_name = dict(by_class.values())
    if len(by_name) != len(members):
        raise TypeError(f"the codec knows no union of {members!r}: dataclasses of different names")
    expected = "one of " + ", ".join(by_name) if len(by_name) > 1 else next(iter(by_name))

    def out(value: Any) -> dict[str, Any]:
        entry = by_class.get(type(value))
        if entry is None:
            raise Malformed(shown(value), expected)
        return {"type": entry[0], "body": entry[1].out(value)}

    def into(plain: Any) -> Any:
        if type(plain) is not dict or len(plain) != 2 or not ("type" in plain and "body" in plain):
            raise Malformed(shown(plain), "an object of type and body")
        name = plain["type"]
        codec = by_name.get(name) if type(name) is str else None
        if codec is None:
            raise Malformed(shown(name), expected).within(".type")
        try:
            return codec.into(plain["body"])
        except Malformed as error:
            raise error.within(".body") from None

    return Codec(out, into)


# ---- collections ---------------------------------------------------------------------------


def _sequence(kind: type, item: Codec) -> Codec:
    return Codec(
        _each(kind, list, repeat(item.out), "a " + kind.__name__),
        _each(list, kind, repeat(item.into), "a list"),
    )


def _row(kind: type, items: list[Codec]) -> Codec:
    """Each place has its own type, so there are as many values as types."""
    return Codec(
        _each(kind, list, [one.out for one in items], f"a {kind.__name__} of {len(items)}"),
        _each(list, kind, [one.into for one in items], f"a list of {len(items)}"),
    )


def _each(given: Any, made: Any, converts: Iterable[Convert], expected: str) -> Convert:
    count = len(converts) if isinstance(converts, list) else None

    def convert_each(values: Any) -> Any:
        if type(values) is not given or (count is not None and len(values) != count):
            raise Malformed(shown(values), expected)
        converted: list[Any] = []
        try:
            for convert, one in zip(converts, values):
                converted.append(convert(one))
        except Malformed as error:
            raise error.within(f"[{len(converted)}]") from None
        return converted if made is list else made(converted)

    return convert_each


def _mapping(item: Codec) -> Codec:
    return Codec(_each_value(item.out), _each_value(item.into))


def _each_value(convert: Convert) -> Convert:
    def convert_each(values: Any) -> dict[str, Any]:
        if type(values) is not dict:
            raise Malformed(shown(values), "an object")
        converted: dict[str, Any] = {}
        for key, one in values.items():
            try:
                converted[text(key)] = convert(one)
            except Malformed as error:
                raise error.within(f"[{shown(key)}]") from None
        return converted

    return convert_each


def _pairs(key: Codec, item: Codec) -> Codec:
    pairs = _sequence(list, _row(tuple, [key, item]))

    def out(value: Any) -> Any:
        if type(value) is not dict:
            raise Malformed(shown(value), "a dict")
        return pairs.out(list(value.items()))

    def into(plain: Any) -> dict[Any, Any]:
        value = dict(pairs.into(plain))
        if len(value) != len(plain):
            raise Malformed("a list with a key twice", "pairs of different keys")
        return value

    return Codec(out, into)
