"""Applications that go wrong, each in one way."""

from __future__ import annotations

import math
import os
import time
from itertools import count
from typing import Any

import numpy as np

import manyhands as mh

calls = count(1)
number = 3


def good(samples: int, stream: mh.Stream, thickness: float = 1.0) -> dict[str, Any]:
    return {"dose": mh.mean(thickness * stream.numpy().random(samples)), "other": mh.sum(samples)}


def slow(samples: int, stream: mh.Stream) -> dict[str, Any]:
    time.sleep(0.001 * samples)
    return {"dose": mh.mean(stream.numpy().random(samples))}


def many_bins(samples: int, stream: mh.Stream) -> dict[str, Any]:
    """320 kB in an object; 640 kB in a result, which has the errors, too."""
    time.sleep(0.05)
    return {"spectrum": mh.counts(samples, np.ones(40_000, int))}


def raises(samples: int, stream: mh.Stream) -> dict[str, Any]:
    raise ZeroDivisionError("no photons\nleft")


def leaves(samples: int, stream: mh.Stream) -> dict[str, Any]:
    raise SystemExit("enough")


def dies(samples: int, stream: mh.Stream) -> dict[str, Any]:
    os._exit(5)


def other_shapes(samples: int, stream: mh.Stream) -> dict[str, Any]:
    return {"dose": mh.mean(np.ones((samples, next(calls))))}


def shapes_by_stream(samples: int, stream: mh.Stream) -> dict[str, Any]:
    time.sleep(0.001 * samples)
    return {"dose": mh.mean(np.ones((samples, 1 + stream.number % 2)))}


def not_finite(samples: int, stream: mh.Stream) -> dict[str, Any]:
    return {"dose": mh.mean(np.full(samples, math.nan))}


def nothing(samples: int, stream: mh.Stream) -> None:
    pass


def a_number(samples: int, stream: mh.Stream) -> float:
    return 3.0


def empty(samples: int, stream: mh.Stream) -> dict[str, Any]:
    return {}


def fewer(samples: int, stream: mh.Stream) -> dict[str, Any]:
    return {"dose": mh.mean(stream.numpy().random(max(samples - 1, 1)))}


def silent(samples: int, stream: mh.Stream) -> dict[str, Any]:
    while True:
        time.sleep(60)


def one_parameter(samples: int) -> dict[str, Any]:
    return {}
