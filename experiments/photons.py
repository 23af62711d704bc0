"""The application `photons` against PenRed: the dose of a narrow beam in water, bin by bin.

PenRed (PENELOPE's physics, AGPL) runs in a process of its own, with the Python that the environment
variable MANYHANDS_PENRED_PYTHON names, or with this one where `pip install pypenred` was done.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.tables import Table, share, verdict
from manyhands.applications.photons.arrays import Tables
from manyhands.applications.photons.cross_sections import tables
from manyhands.applications.photons.materials import WATER
from manyhands.applications.photons.options import Options
from manyhands.applications.photons.tracking import Tracking
from manyhands.applications.stream import Stream
from manyhands.statistics.tallies import Tallies

Floats = NDArray[np.float64]

ENERGIES_KEV = (30, 60, 100, 300)
HISTORIES = 40_000_000
AT_ONCE = 1_000_000
SEEDS = (12345, 67890)
FROM = 0.1  # of the largest dose: bins below are not compared
BAR = 0.02
SLABS = 4
GRID_EV = np.geomspace(1e3, 8e5, 500)
THEIRS = "bound, PenRed's μ"  # our physics with the attenuation of its data
GY_PER_EV_G = 1.602176634e-16
FOLDER = Path("build/experiments/photons")
CHILD = Path(__file__).with_name("penred_child.py")
INTERPRETER = "MANYHANDS_PENRED_PYTHON"


@dataclass(frozen=True, slots=True)
class Job:
    """A cone of photons on a cube of water: 5 mm to the side, 10 mm in depth, all of y at once."""

    energy_kev: float
    histories: int
    size_cm: float = 20.0
    distance_cm: float = 100.0
    half_angle_deg: float = 1.0
    columns: int = 40
    layers: int = 20

    def for_penred(self) -> dict[str, Any]:
        """What the child is told."""
        plain = asdict(self) | {"density": WATER.density_g_cm3, "weights": WATER.weights}
        bins = {"x": self.columns, "y": 1, "z": self.layers}
        return plain | {"bins": bins, "seeds": SEEDS, "energies_ev": GRID_EV.tolist()}


@dataclass(frozen=True, slots=True)
class Dose:
    """Gy per photon in each bin, in depth and to the side, and its standard error."""

    value: Floats
    error: Floats


@dataclass(frozen=True, slots=True)
class Difference:
    """How two doses differ where there is dose, as parts of the second one."""

    places: int
    largest: float
    mean: float
    error: float  # the middle one of the standard errors of both together
    error_max: float
    chi_squared: float  # per place: one, where nothing but chance differs

    @property
    def good(self) -> bool:
        """Whether no place is off by more than the bar."""
        return self.largest <= BAR


def interpreter() -> str:
    """The Python that may have PenRed."""
    return os.environ.get(INTERPRETER, sys.executable)


@cache
def has_penred() -> bool:
    """Whether it has."""
    asked = [interpreter(), "-c", "import pyPenred"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0


def penred(job: Job) -> Dose:
    """The dose that PenRed computes."""
    found = _of_penred(job)
    value, error = (found[name][:, 0, :] * GY_PER_EV_G for name in ("dose", "error"))
    return Dose(value, error)


def _of_penred(job: Job) -> dict[str, Floats]:
    """What the process of its own leaves."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "job.json"
        written.write_text(json.dumps(job.for_penred()))
        command = [interpreter(), str(CHILD), str(written), folder]
        subprocess.run(command, check=True, capture_output=True)
        with np.load(Path(folder) / "dose.npz") as found:
            return dict(found)


def ours(job: Job, scattering: str = "bound") -> Dose:
    """The dose that photons computes."""
    with tempfile.TemporaryDirectory() as folder:
        phantom = Path(folder) / "water.npz"
        spacing, origin = _grid(job)
        materials = np.ones((job.layers, 1, job.columns), np.uint8)
        np.savez(phantom, materials=materials, spacing_mm=spacing, origin_mm=origin)
        options = Options(
            phantom=str(phantom),
            energy_kev=job.energy_kev,
            position_mm=(0.0, 0.0, -10 * job.distance_cm),
            half_angle_deg=job.half_angle_deg,
            scattering="free" if scattering == "free" else "bound",
        )
        tracking = Tracking(options, with_their_data(job) if scattering == THEIRS else None)
        stream, tallies = Stream(SEEDS[0], 0), Tallies.free()
        for begin in range(0, job.histories, AT_ONCE):
            stream.first = begin
            samples = min(AT_ONCE, job.histories - begin)
            tallies.add({"dose": tracking.track(samples, stream)["dose"]}, samples)
    found = tallies.results()["dose"]
    return Dose(np.asarray(found.value)[:, 0, :], np.asarray(found.error)[:, 0, :])


def with_their_data(job: Job) -> Tables:
    """Our tables of water with PenRed's photo-electric and incoherent cross-sections."""
    found = _of_penred(replace(job, histories=1000))
    own = tables([WATER])
    total, _, scattered = own.attenuation[:, 0, :].T
    grid_ev = 1e3 * np.exp(own.log_first + np.arange(len(total)) / own.per_log)
    parts = (np.interp(grid_ev, GRID_EV, found[name]) for name in ("photo", "incoherent"))
    absorbed, incoherent = parts
    coherent = total - scattered
    sums = (absorbed + incoherent + coherent, absorbed, absorbed + incoherent)
    attenuation = WATER.density_g_cm3 * np.stack(sums, axis=-1)
    return own._replace(majorant=attenuation[:, 0].copy(), attenuation=attenuation[:, None, :])


def kept(name: str, job: Job, compute: Callable[[Job], Dose]) -> Dose:
    """A dose that was computed before, or now: the files may be deleted."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    short = "theirs" if name == THEIRS else name
    path = FOLDER / f"{short}-{job.energy_kev:g}-{job.histories}.npz"
    if not path.exists():
        found = compute(job)
        np.savez(path, value=found.value, error=found.error)
    with np.load(path) as archive:
        return Dose(archive["value"], archive["error"])


def depth(dose: Dose) -> Dose:
    """The dose of whole layers."""
    return _summed(dose, 1)


def across(dose: Dose) -> Dose:
    """Profiles to the side, of slabs of several layers."""
    layers, columns = dose.value.shape
    parts = (dose.value, dose.error)
    shaped = (one.reshape(SLABS, layers // SLABS, columns) for one in parts)
    return _summed(Dose(*shaped), 1)


def difference(one: Dose, other: Dose) -> Difference:
    """Compare where the second dose is above a tenth of its maximum."""
    inside = other.value > FROM * other.value.max()
    off = (one.value / np.where(inside, other.value, 1.0) - 1)[inside]
    error = np.hypot(one.error, other.error)[inside] / other.value[inside]
    places, largest = int(inside.sum()), float(np.abs(off).max())
    middle, worst = float(np.median(error)), float(error.max())
    chi_squared = float(np.mean((off / error) ** 2))
    return Difference(places, largest, float(off.mean()), middle, worst, chi_squared)


def table(workers: int, histories: int = HISTORIES) -> Table:
    """Both kinds of profile at all energies, for the physics that there is and for a wrong one."""
    rows = []
    for scattering in ("bound", THEIRS, "free"):
        for job, (mine, theirs) in computed(scattering, workers, histories).items():
            for name, profile in (("in depth", depth), ("to the side", across)):
                found = difference(profile(mine), profile(theirs))
                rows.append([f"{job.energy_kev:g} keV", scattering, name, *_cells(found)])
    head = ["photons", "electrons", "profile", "places", "largest", "mean", "error, middle (max)"]
    return Table("photons ÷ PenRed - 1", [*head, f"≤ {share(BAR, 0)}"], rows)


def computed(
    scattering: str, workers: int, histories: int = HISTORIES
) -> dict[Job, tuple[Dose, Dose]]:
    """The doses of both programs at each energy; a quarter of the histories shows what is wrong."""
    some = histories if scattering == "bound" else histories // 4
    mine = [Job(energy, some) for energy in ENERGIES_KEV]
    theirs = [Job(energy, histories) for energy in ENERGIES_KEV]
    with ProcessPoolExecutor(workers) as pool:
        first = pool.map(
            kept, repeat(scattering), mine, repeat(partial(ours, scattering=scattering))
        )
        second = pool.map(kept, repeat("penred"), theirs, repeat(penred))
        return dict(zip(theirs, zip(first, second, strict=True), strict=True))


def _cells(found: Difference) -> list[str]:
    errors = f"{share(found.error)} ({share(found.error_max)})"
    numbers = [str(found.places), share(found.largest), share(found.mean), errors]
    return [*numbers, verdict(found.good)]


def _summed(dose: Dose, axis: int) -> Dose:
    """Bins taken together, as if they were independent: a history rarely leaves much in several."""
    return Dose(dose.value.sum(axis), np.sqrt(np.square(dose.error).sum(axis)))


def _grid(job: Job) -> tuple[Floats, Floats]:
    """Spacing and first centre, x y z in mm; the water begins at z = 0."""
    size = 10 * job.size_cm
    spacing = np.array([size / job.columns, size, size / job.layers])
    return spacing, spacing / 2 - np.array([size / 2, size / 2, 0.0])
