"""Run a Monte-Carlo computation on whatever machines can be had, losing and doubling nothing.

import manyhands as mh

def pi(samples, stream):
    x, y = stream.numpy().random((2, samples))
    return {"pi": mh.mean(4.0 * (x * x + y * y < 1))}

result = mh.run(pi, until=mh.precision("pi", relative=1e-4))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyhands.api.campaign import Campaign, resume, run
    from manyhands.api.result import Result
    from manyhands.api.rules import all_of, any_of, budget, deadline, precision, samples
    from manyhands.applications.declaring import application
    from manyhands.applications.stream import Stream
    from manyhands.statistics import where
    from manyhands.statistics.returned import batch, counts, histogram, mean, moments
    from manyhands.statistics.returned import total as sum  # noqa: A004

__version__ = "0.1.0"

__all__ = [
    "run",
    "resume",
    "Campaign",
    "Result",
    "samples",
    "precision",
    "deadline",
    "budget",
    "any_of",
    "all_of",
    "application",
    "Stream",
    "mean",
    "moments",
    "batch",
    "histogram",
    "counts",
    "sum",
    "where",
]

# Where the public names are; each is imported when it is first used.
_HOMES = {
    "run": "manyhands.api.campaign",
    "resume": "manyhands.api.campaign",
    "Campaign": "manyhands.api.campaign",
    "Result": "manyhands.api.result",
    "samples": "manyhands.api.rules",
    "precision": "manyhands.api.rules",
    "deadline": "manyhands.api.rules",
    "budget": "manyhands.api.rules",
    "any_of": "manyhands.api.rules",
    "all_of": "manyhands.api.rules",
    "application": "manyhands.applications.declaring",
    "Stream": "manyhands.applications.stream",
    "mean": "manyhands.statistics.returned",
    "moments": "manyhands.statistics.returned",
    "batch": "manyhands.statistics.returned",
    "histogram": "manyhands.statistics.returned",
    "counts": "manyhands.statistics.returned",
    "sum": "manyhands.statistics.returned",
    "where": "manyhands.statistics.where",
}
_MODULES = ("where",)  # public as they are
_OTHER_NAMES = {"sum": "total"}  # where the builtin would be shadowed


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'manyhands' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    found = home if name in _MODULES else getattr(home, _OTHER_NAMES.get(name, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
