"""Whether a function or a class can be called as an application is: looked at before it runs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from manyhands.applications.declaring import BadApplication, Declared
from manyhands.applications.description import OPTIONS_CHARACTERS_MAX
from manyhands.model.malformed import nearest, sentence

TAKEN = ("samples", "stream", "prepared", "self")  # no option may be called so
PREPARED = "prepared"
ANY_OTHER = "**"

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def options_as_json(options: Mapping[Any, Any]) -> str:
    """The options as JSON text, tuples as lists; refused if JSON does not know all of it."""
    if not isinstance(options, Mapping):
        raise BadApplication(f"the options are a {type(options).__name__}, but must be a dict")
    for name, value in options.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise BadApplication(f"an option cannot be called {name!r}: give a Python name")
        if name in TAKEN:
            raise BadApplication(f"an option cannot be called '{name}': this name is taken")
        _require_plain(value, f"option '{name}'")
    text = json.dumps(dict(options), sort_keys=True)
    if len(text) > OPTIONS_CHARACTERS_MAX:
        raise BadApplication("the options are longer than 1 MB: put them into a file, and its name")
    return text


def require_fit(name: str, target: Any, declared: Declared, options: Mapping[str, Any]) -> None:
    """Refuse what cannot be called with samples, a stream and these options."""
    if not callable(target):
        kind = type(target).__name__
        raise BadApplication(f"{name} is of type {kind}: give the name of a function or a class")
    if inspect.isclass(target):
        _require_fit_of_class(name, target, declared, options)
    else:
        _require_fit_of_function(name, target, declared, options)
    if declared.check is not None:
        _require_checked(name, declared.check, options)


def completed(name: str, declared: Declared, options: dict[str, Any]) -> dict[str, Any]:
    """The options as the application completes them, or refuses them."""
    if declared.complete is None:
        return options
    found = _asked(name, declared.complete, options)
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise BadApplication(f"complete of {name} returned a {kind}, but must return the options")
    return found


def wants_prepared(function: Callable[..., Any]) -> bool:
    """Whether a function wants what was prepared: it has a parameter of this very name."""
    return PREPARED in _keywords(function)


def chosen(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that a function has parameters for."""
    names = _keywords(function)
    return {name: one for name, one in options.items() if name in names or ANY_OTHER in names}


def _require_fit_of_class(
    name: str, target: type, declared: Declared, options: Mapping[str, Any]
) -> None:
    advance = getattr(target, "advance", None)
    if not callable(advance):
        raise BadApplication(f"class {name} has no method advance(self, samples, stream)")
    _require_call(name, target, [], options)
    _require_call(f"{name}.advance", advance, ["self", "samples", "stream"], {})
    _require_plain_function(f"{name}.advance", advance)
    if declared.prepare is not None:
        raise BadApplication(f"class {name} declares prepare: make it a method of the class")
    prepare = getattr(target, "prepare", None)
    if prepare is not None:
        _require_call(f"{name}.prepare", prepare, ["self"], {})


def _require_fit_of_function(
    name: str, target: Callable[..., Any], declared: Declared, options: Mapping[str, Any]
) -> None:
    given = dict(options)
    if declared.prepare is not None:
        what = f"prepare of {name}"
        _require_call(what, declared.prepare, [], chosen(declared.prepare, options))
        if wants_prepared(target):
            given[PREPARED] = None
    _require_call(name, target, ["samples", "stream"], given)
    _require_plain_function(name, target)


def _require_checked(name: str, check: Callable[..., Any], options: Mapping[str, Any]) -> None:
    chosen_ones = chosen(check, options)
    _require_call(f"check of {name}", check, [], chosen_ones)
    _asked(name, check, chosen_ones)


def _asked(name: str, looking: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Have the application look at its options; its refusal becomes one line."""
    try:
        return looking(**options)
    except BadApplication:
        raise  # one line already
    except (ValueError, TypeError) as error:
        raise BadApplication(f"{name} refuses its options: {sentence(error)}") from error


def _require_call(
    name: str, function: Callable[..., Any], positional: list[str], given: Mapping[str, Any]
) -> None:
    """Refuse a function that cannot be called with these."""
    names = _keywords(function)
    free = [one for one in names[len(positional) :] if one not in (*TAKEN, ANY_OTHER)]
    for option in given:
        if option not in names and ANY_OTHER not in names:
            has = f"it has {', '.join(free)}" if free else "it has none"
            raise BadApplication(f"{name} has no option '{option}': {has}{nearest(option, free)}")
    try:
        inspect.signature(function).bind(*positional, **given)
    except TypeError as error:
        call = ", ".join([*positional, *(f"{option}=…" for option in given)])
        raise BadApplication(f"{name} cannot be called as ({call}): {sentence(error)}") from None


def _require_plain_function(name: str, advance: Callable[..., Any]) -> None:
    if inspect.iscoroutinefunction(advance) or inspect.isasyncgenfunction(advance):
        raise BadApplication(f"{name} is async, but is called as a plain function: make it one")
    if inspect.isgeneratorfunction(advance):
        raise BadApplication(f"{name} yields, but must return one dict: use return")


def _keywords(function: Callable[..., Any]) -> list[str]:
    """The names that a function takes as keywords; ANY_OTHER stands for all others."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        name = getattr(function, "__name__", repr(function))
        raise BadApplication(f"{name} does not say its parameters: put a def around it") from None
    any_other = inspect.Parameter.VAR_KEYWORD
    names = [one.name for one in parameters if one.kind in _NAMED]
    return [*names, *(ANY_OTHER for one in parameters if one.kind is any_other)]


def _require_plain(value: object, where: str) -> None:
    if value is None or isinstance(value, bool | int | str):
        return
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise BadApplication(f"{where} is {value}, which JSON does not know: give a number")
    elif isinstance(value, list | tuple):
        for index, one in enumerate(value):
            _require_plain(one, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, one in value.items():
            if not isinstance(key, str):
                raise BadApplication(f"{where} has the key {key!r}, but keys must be texts")
            _require_plain(one, f"{where}[{key!r}]")
    else:
        raise BadApplication(
            f"{where} is a {type(value).__name__}, which cannot travel: "
            "give numbers, texts, lists or dicts"
        )
