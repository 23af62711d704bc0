"""Processes by hand: a pool of the standard library."""

from multiprocessing import Pool

from benchmarks.against.work import WORKERS, All, Load, throw_chunk


def run(load: Load) -> All:
    """All chunks, each given to whoever is free."""
    with Pool(WORKERS) as pool:
        waiting = [pool.apply_async(throw_chunk, (load, *one)) for one in load.sizes()]
        return [one.get() for one in waiting]
