"""Measure all engines, one after the other, and write the table, the figure and the tracked file.

`python -m benchmarks.against [--seconds 10] [--repeats 3] [--page]`, where Dask, Ray and joblib are
installed (`pip install "dask[distributed]" ray joblib`); what is missing is left out, and said.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.against.measuring import CASES, CHUNKS, ENGINES, Measured, measure, samples_for
from benchmarks.against.telling import PAGE, figure, on_page, tables

RESULTS = Path(__file__).parent / "results.jsonl"
NEEDS = {"dask": "distributed", "ray": "ray", "joblib": "joblib"}


def main() -> None:
    """As the module says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of a perfect run, two workers")
    parser.add_argument("--repeats", type=int, default=3, help="of each, interleaved")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--page", action="store_true", help=f"write {PAGE} and {RESULTS.name}")
    given = parser.parse_args()
    engines = [one for one in given.engines if one not in NEEDS or find_spec(NEEDS[one])]
    for one in sorted({*given.engines} - {*engines}):
        print(f"{one} is not installed: left out")
    samples = samples_for(given.seconds)
    print(f"{samples:,} samples")
    found: list[Measured] = []
    for repeat in range(given.repeats):
        for case in given.cases:
            for engine in engines:
                for chunks in CHUNKS if engine != "manyhands" else (0,):
                    one = measure(engine, case, chunks, samples, repeat)
                    found.append(one)
                    print(one, flush=True)
    text = tables(found)
    print(text)
    if given.page:
        on_page(text)
        figure(found, PAGE.with_name("against.png"))
        with RESULTS.open("a") as file:
            day = time.strftime("%Y-%m-%d")
            for one in found:
                file.write(json.dumps({"date": day, **one.to_plain()}) + "\n")


if __name__ == "__main__":
    main()
