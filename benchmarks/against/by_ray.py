"""Ray tasks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import ray  # type: ignore[import-not-found]

from benchmarks.against.work import WORKERS, All, Load, throw_chunk


@contextmanager
def ready() -> Iterator[None]:
    """A cluster whose workers have done something."""
    ray.init(
        num_cpus=WORKERS,
        include_dashboard=False,
        object_store_memory=200_000_000,
        log_to_driver=False,
        logging_level="error",
    )
    rest = ray.remote(lambda: time.sleep(0.5))
    ray.get([rest.remote() for _ in range(WORKERS)])
    yield
    ray.shutdown()


def run(load: Load) -> All:
    """All chunks, each given to whoever is free."""
    throw = ray.remote(throw_chunk)
    found: All = ray.get([throw.remote(load, *one) for one in load.sizes()])
    return found
