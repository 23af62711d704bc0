"""Dask's distributed scheduler."""

from collections.abc import Iterator
from contextlib import contextmanager

from dask.distributed import Client, LocalCluster  # type: ignore[import-not-found]

from benchmarks.against.work import WORKERS, All, Load, throw_chunk


@contextmanager
def ready() -> Iterator[None]:
    """A cluster whose workers wait; the client is the one that `run` finds."""
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=WORKERS, **options) as cluster, Client(cluster) as client:
        client.wait_for_workers(WORKERS)
        yield


def run(load: Load) -> All:
    """All chunks, each given to whoever is free."""
    client = Client.current()
    futures = [client.submit(throw_chunk, load, *one, pure=False) for one in load.sizes()]
    found: All = client.gather(futures)
    return found
