"""What an application says of itself: a decorator, and what it leaves on the function.

An application is one of two things.

- A function `advance(samples, stream, **options)` that simulates so many samples with random
  numbers of the stream and returns a dict of tallies. It needs no decorator. With one, it may name
  a function `prepare` that is called once in each process before the first advance: with those
  options that it has parameters for. What it returns is given to `advance` as the keyword
  `prepared`, if `advance` has such a parameter.
- A class with a method `advance(self, samples, stream)`, and maybe a method `prepare(self)`. It is
  instantiated once in each process, with the options as keywords; then `prepare` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from manyhands.model.checks import Mistake, require, require_count

MARK = "__manyhands__"

Target = TypeVar("Target", bound=Callable[..., Any])
Function = Callable[..., Any]


class BadApplication(Mistake):
    """What was given cannot be run as an application: one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What an application says of itself; everything has a default.

    `check` is called where the campaign is made, with the options: a ValueError that it raises
    refuses them before anything runs. `complete` is called there too, and may refuse as well: what
    it returns takes the place of the options, so paths become absolute and files have digests, and
    a result cannot be continued or merged with other inputs. `block_samples` is how many samples a
    block of exact mode has. `granule` is a number of samples of which `advance` wants whole
    multiples.
    """

    prepare: Function | None = None
    check: Function | None = None
    block_samples: int | None = None
    granule: int = 1
    complete: Function | None = None

    def __post_init__(self) -> None:
        for name in ("prepare", "check", "complete"):
            function = getattr(self, name)
            require(function is None or callable(function), name, function, "a function or None")
        require_count("granule", self.granule, least=1)
        if self.block_samples is not None:
            require_count("block_samples", self.block_samples, least=1)
            whole = self.block_samples % self.granule == 0
            expected = f"a multiple of the granule, {self.granule}"
            require(whole, "block_samples", self.block_samples, expected)


@overload
def application(target: Target, /) -> Target: ...
@overload
def application(
    *,
    prepare: Function | None = None,
    check: Function | None = None,
    block_samples: int | None = None,
    granule: int = 1,
    complete: Function | None = None,
) -> Callable[[Target], Target]: ...
def application(
    target: Target | None = None,
    /,
    *,
    prepare: Function | None = None,
    check: Function | None = None,
    block_samples: int | None = None,
    granule: int = 1,
    complete: Function | None = None,
) -> Target | Callable[[Target], Target]:
    """Declare a function or a class as an application; it stays what it was, with a mark on it."""
    declared = Declared(prepare, check, block_samples, granule, complete)

    def mark(marked: Target) -> Target:
        setattr(marked, MARK, declared)
        return marked

    return mark if target is None else mark(target)


def declared_by(target: object) -> Declared:
    """What an application says of itself, or the defaults."""
    declared = getattr(target, MARK, None)
    return declared if isinstance(declared, Declared) else Declared()
