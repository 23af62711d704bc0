"""`python within.py NAME SAMPLES PILOTS FOLDER`: the seconds of `mh.run` in a running Python."""

from __future__ import annotations

import sys
import time

from functions import advance  # type: ignore[import-not-found]  # it stands beside this script

import manyhands as mh

if __name__ == "__main__":
    name, samples, pilots, folder = sys.argv[1:5]
    run = mh.run
    begun_s = time.perf_counter()
    run(advance, int(samples), pilots=int(pilots), options={"name": name}, out=folder)
    print(time.perf_counter() - begun_s, flush=True)
