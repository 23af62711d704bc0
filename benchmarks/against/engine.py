"""`python -m benchmarks.against.engine NAME LOAD`: one engine at work, timed, in one process.

A cluster is ready before the time is taken; pools, and the pilots of manyhands, are started in it.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from importlib import import_module

from benchmarks.against.work import Load


def main(name: str, load: Load) -> None:
    """Print how long it took, and every chunk that came back."""
    engine = import_module(f"benchmarks.against.by_{name}")
    with getattr(engine, "ready", nullcontext)():
        begun_s = time.perf_counter()
        done = engine.run(load)
        seconds = time.perf_counter() - begun_s
        print(json.dumps({"seconds": seconds, "done": done}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Load(**json.loads(sys.argv[2])))
