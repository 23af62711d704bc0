"""An executor of the standard library."""

from concurrent.futures import ProcessPoolExecutor

from benchmarks.against.work import WORKERS, All, Load, throw_chunk


def run(load: Load) -> All:
    """All chunks, each given to whoever is free."""
    with ProcessPoolExecutor(WORKERS) as pool:
        futures = [pool.submit(throw_chunk, load, *one) for one in load.sizes()]
        return [one.result() for one in futures]
