"""`mh.run` and `mh.Campaign`: a computation described once, run here, gone on with later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from manyhands.api.quantities import BadQuantity, size_bytes
from manyhands.api.result import Result
from manyhands.api.running import Wish, go_on, start
from manyhands.model.stopping import StopRule

Application = str | Callable[..., Any]
Until = StopRule | int | float | str


class Wishes(TypedDict, total=False):
    """What may be said of a campaign besides its application and its end."""

    options: dict[str, Any]  # keyword parameters of the application
    exact: bool | str  # the same answer to the last bit, on any number of pilots; "portable":
    # on processors of other kinds too, at the price of speed
    seed: int  # the same seed, the same streams; drawn if it is not given
    block_samples: int  # the size of a block in exact mode
    skip_poisoned: int  # how many blocks may fail everywhere and be left out
    silence_s: float  # how long the application may compute without a word
    memory: str | int  # what one process of it may take, as "2G"
    keep_partials: bool  # also those that later ones replaced: `manyhands verify` looks at them
    disk: str | int  # what it may leave in its working folder


class Campaign:
    """What is to be computed, and until when; `run` computes it on this machine.

    `application` is a function `advance(samples, stream, **options)` that returns tallies by name,
    a class with such a method, the name of a built-in (`pi`, `slab`), `file.py:function` or
    `package.module:function`. `until` is a rule (`mh.samples`, `mh.precision` …) or a number of
    samples. `Wishes` lists the rest.
    """

    def __init__(self, application: Application, until: Until, **wishes: Unpack[Wishes]) -> None:
        unknown = [name for name in wishes if name not in Wishes.__annotations__]
        if unknown:
            known = ", ".join(Wishes.__annotations__)
            raise BadQuantity(f"a campaign has no {unknown[0]!r}; there are {known}")
        plain: dict[str, Any] = dict(wishes)
        for name in ("memory", "disk"):
            if name in plain:
                plain[f"{name}_bytes"] = size_bytes(name, plain.pop(name))
        self._wish = Wish(application, until, **plain)

    def run(self, pilots: int | None = None, out: str | Path | None = None) -> Result:
        """Run it here, with so many pilots (one per core), and leave its folder at `out`."""
        return start(replace(self._wish, pilots=pilots, out=None if out is None else Path(out)))


def run(
    application: Application,
    until: Until,
    *,
    pilots: int | None = None,
    out: str | Path | None = None,
    **wishes: Unpack[Wishes],
) -> Result:
    """Run a campaign on this machine and return its result; `Campaign` says what can be asked for.

    >>> import manyhands as mh
    >>> result = mh.run("pi", until=1e6, exact=True, seed=1)
    >>> result.samples
    1000000
    """
    return Campaign(application, until, **wishes).run(pilots, out)


def resume(folder: str | Path, pilots: int | None = None) -> Result:
    """Go on with a campaign that was interrupted; one that has ended says its result again."""
    return go_on(Path(folder), pilots)
