"""Photons in a volume of voxels: where X- and gamma rays leave their energy.

Photo-electric absorption, incoherent and coherent scattering by the cross-sections of xraylib;
electrons are absorbed where they start. No fluorescence, no Doppler broadening. What this is worth
has been measured: see docs/explanation/photons.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from manyhands.applications.declaring import application
from manyhands.applications.photons.options import Options, completed, require_same_files
from manyhands.applications.stream import Stream
from manyhands.statistics.results import Grid, TallyResult
from manyhands.statistics.returned import Moments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from manyhands.applications.photons.tracking import Tracking

BLOCK_SAMPLES = 250_000  # 0.3 s; adding a block of a million voxels takes 10 ms
WARM_UP_SAMPLES = 1


@application(complete=completed, block_samples=BLOCK_SAMPLES)
class Photons(Options):
    """Follow photons through a phantom.

    Per primary photon there are the `dose` in Gy of every voxel (z, y, x), `dose_NAME` of each
    material as a whole, `depth_dose` of the layers of the column about the middle of x and y, and
    the energies `emitted_kev`, `deposited_kev` and `escaped_kev`, of which the last two add up to
    the first.
    """

    @cached_property
    def _tracking(self) -> Tracking:
        from manyhands.applications.photons.tracking import Tracking

        return Tracking(self)

    def prepare(self) -> None:
        """Read the files again, look up the cross-sections, have the kernels ready."""
        require_same_files(self)
        self._tracking.track(WARM_UP_SAMPLES, Stream(0, 0))

    def advance(self, samples: int, stream: Stream) -> dict[str, Moments]:
        """Follow so many photons."""
        return self._tracking.track(samples, stream)

    def grids(self) -> dict[str, Grid]:
        """Where the voxels of the dose lie."""
        volume = self.volume()
        return {"dose": Grid(volume.spacing_mm, volume.origin_mm)}

    def pictures(self, tallies: Mapping[str, TallyResult]) -> dict[str, Figure]:
        """Pictures of a result, by the name of a file: the dose in the phantom, and in depth."""
        from manyhands.applications.photons.pictures import pictures

        return pictures(self, tallies)


photons = Photons
