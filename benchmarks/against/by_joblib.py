"""joblib, as scikit-learn has it."""

from joblib import Parallel, delayed  # type: ignore[import-not-found]

from benchmarks.against.work import WORKERS, All, Load, throw_chunk


def run(load: Load) -> All:
    """All chunks, each given to whoever is free."""
    calls = [delayed(throw_chunk)(load, *one) for one in load.sizes()]
    found: All = Parallel(n_jobs=WORKERS, batch_size=1, pre_dispatch="all")(calls)
    return found
