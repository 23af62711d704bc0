"""What a campaign has found, for Python: numbers, errors, and where the rest is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyhands.analysis.digits import in_digits, lasting, percent
from manyhands.analysis.names import EDGES, ERROR, Names, names_of
from manyhands.api.quantities import BadQuantity
from manyhands.statistics.results import TallyResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a campaign: how many samples it holds is exactly what `samples` says."""

    campaign: str
    mode: str  # free or exact
    ended: str  # done, partial, failed, or interrupted (then it can be resumed)
    reason: str
    requested: str
    samples: int
    seconds: float
    pilots: int
    seed: int
    digest: str
    tallies: dict[str, TallyResult]
    folder: Path
    refused: int = 0  # samples that came after the close
    skipped: int = 0  # samples of poisoned blocks, which are not in the result
    doubts: tuple[str, ...] = ()  # where an error bar is not worth what it says
    unwritten: str = ""  # why not all files are in the folder

    def __getitem__(self, name: str) -> TallyResult:
        """A tally by its name."""
        return self.tallies[name]

    def save(self, path: str | Path) -> Path:
        """Write the tallies to a numpy archive: NAME, NAME_error, NAME_edges, samples."""
        from manyhands.analysis.files import write_archive

        return write_archive(Path(path), self.tallies, self.samples)

    def plot(self, name: str | None = None) -> Figure:
        """A picture of a tally (if none is named, of the first that is more than a number)."""
        from manyhands.analysis.pictures import picture

        chosen = name if name is not None else self._first()
        if chosen not in self.tallies:
            known = ", ".join(self.tallies) or "none: nothing is stored"
            raise BadQuantity(f"{self.campaign} has no tally {chosen!r}: there are {known}")
        return picture(chosen, self.tallies[chosen])

    @property
    def again(self) -> str:
        """The command that goes on where this ended; empty if there is nothing to go on with."""
        if self.ended == "interrupted":
            return f"manyhands run --resume {self.folder}"
        if self.ended == "partial":
            return f"manyhands extend {self.folder} --precision NAME=0.1% (or --samples +1e8)"
        return ""

    def to_plain(self) -> dict[str, Any]:
        """What `--json` prints: numbers, and for arrays where they are."""
        names = names_of(self.tallies)
        plain: dict[str, Any] = {
            "campaign": self.campaign,
            "mode": self.mode,
            "ended": self.ended,
            "reason": self.reason,
            "requested": self.requested,
            "samples": self.samples,
            "seconds": round(self.seconds, 3),
            "pilots": self.pilots,
            "seed": self.seed,
            "digest": self.digest,
            "refused": self.refused,
            "skipped": self.skipped,
            "doubts": list(self.doubts),
            "folder": str(self.folder),
            "tallies": {name: _plain(names[name], one) for name, one in self.tallies.items()},
        }
        return plain | ({"unwritten": self.unwritten} if self.unwritten else {})

    def __str__(self) -> str:
        lines = [f"{self.campaign}: {self._came_to(f'{self.seconds:.1f} s')}"]
        lines += [f"  {name} = {in_digits(one)}" for name, one in self.tallies.items()]
        return "\n".join(lines + [f"  doubt: {one}" for one in self.doubts])

    def _repr_html_(self) -> str:
        """For notebooks: a small table, and the first picture."""
        from manyhands.analysis.tables import notebook

        return notebook(
            f"{self.campaign} ({self.ended})",
            self._came_to(lasting(self.seconds)),
            [(name, in_digits(one), _part(one)) for name, one in self.tallies.items()],
            self._first_picture(),
            str(self.folder / "report.html"),
        )

    def _came_to(self, time: str) -> str:
        left_out = ""
        if self.skipped:
            share = percent(self.skipped / (self.samples + self.skipped))
            left_out = f"; {self.skipped:,} samples ({share}) of poisoned blocks are not in it"
        return f"{self.samples:,} samples in {time} ({self.reason}{left_out})"

    def _first(self) -> str:
        """The first tally that is more than a number, or the first."""
        arrays = [name for name, one in self.tallies.items() if not isinstance(one.value, float)]
        return next(iter([*arrays, *self.tallies]), "")

    def _first_picture(self) -> bytes:
        from manyhands.analysis.pictures import has_picture, png

        name = self._first()
        shown = name in self.tallies and has_picture(self.tallies[name])
        return png(self.plot(name)) if shown else b""


def _part(tally: TallyResult) -> str:
    return percent(tally.relative_error) if isinstance(tally.relative_error, float) else "–"


def _plain(names: Names, tally: TallyResult) -> dict[str, Any]:
    """A tally as JSON knows it; arrays are in the archive."""
    plain: dict[str, Any] = {"kind": tally.kind.value, "samples": tally.samples}
    if isinstance(tally.value, float):
        plain |= {"value": _finite(tally.value), "error": _finite(tally.error)}
        plain |= {"relative_error": _finite(tally.relative_error), "vov": _finite(tally.vov)}
    else:
        arrays = [names.array]
        arrays += [names.array + ERROR] if tally.error is not None else []
        arrays += [names.array + EDGES] if tally.edges is not None else []
        plain |= {"value": None, "error": None, "shape": list(tally.value.shape)}
        plain |= {"archive": f"result.npz: {', '.join(arrays)}", "file": names.file}
    if tally.batches is not None:
        plain["batches"] = tally.batches
    if tally.outside is not None:
        plain["outside"] = list(tally.outside)
    return plain


def _finite(number: Any) -> float | None:
    """JSON has no infinity."""
    if isinstance(number, float) and number - number == 0:
        return number
    return None
