"""Applications whose tallies have every form, and one that fails."""

from __future__ import annotations

import time

import numpy as np

import manyhands as mh
from manyhands.statistics.returned import Returned

ODD = '<b>x&"y"'
SHAPE = (4, 6, 8)


def every_form(samples: int, stream: mh.Stream) -> dict[str, Returned]:
    """A number, a profile, a histogram, an image with an empty part, a volume, a sum, a batch."""
    values = stream.numpy().exponential(1.0, samples)
    volume = np.zeros(SHAPE)
    volume[0, 1:3, 2:5] = values.sum()
    squares = np.zeros(SHAPE)
    squares[0, 1:3, 2:5] = (values**2).sum()
    return {
        "number": mh.mean(values),
        "profile": mh.mean(values[:, np.newaxis] * np.arange(1.0, 6.0)),
        "spectrum": mh.histogram(values, edges=np.linspace(0.5, 3.0, 11)),
        "image": mh.moments(samples, volume[0], squares[0]),
        "volume": mh.moments(samples, volume, squares),
        "added": mh.sum(volume[0]),
        "batch": mh.batch(samples, float(values.mean())),
        ODD: mh.mean(values > 1),
    }


def failing(samples: int, stream: mh.Stream) -> dict[str, Returned]:
    """Fails on block 2."""
    if stream.number == 2:
        raise RuntimeError("no <photons> & no money")
    return {"x": mh.mean(stream.numpy().random(samples))}


def slow(samples: int, stream: mh.Stream) -> dict[str, Returned]:
    """Takes its time: 50 µs a sample."""
    time.sleep(samples * 50e-6)
    return {"x": mh.mean(stream.numpy().random(samples))}
