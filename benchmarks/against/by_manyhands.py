"""manyhands: the same darts; nobody says how many chunks."""

import manyhands as mh
from benchmarks.against.work import WORKERS, All, Load, throw


def darts(samples: int, stream: mh.Stream, folder: str, slowness: int) -> dict[str, object]:
    """Some darts."""
    hits = throw(samples, stream.numpy(), folder, slowness)
    return {"hit": mh.moments(samples, hits, hits)}


def run(load: Load) -> All:
    """All of them."""
    options = {"folder": load.folder, "slowness": load.slowness}
    result = mh.run(darts, load.samples, options=options, pilots=WORKERS, out=load.folder + "/run")
    return [(0, result.samples, round(float(result["hit"].value) * result.samples))]
