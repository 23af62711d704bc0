"""What a campaign has found, for Python: numbers, errors, and where the rest is."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

    def __getitem__(self, name: str) -> TallyResult:
        """A tally by its name."""
        return self.tallies[name]

    def save(self, path: str | Path) -> Path:
        """Write the tallies to a numpy archive: NAME, NAME_error, NAME_edges, samples."""
        from manyhands.analysis.files import write_archive

        return write_archive(Path(path), self.tallies, self.samples)

    def plot(self, name: str | None = None) -> Figure:
        """A picture of a tally (the first, if none is named)."""
        from manyhands.analysis.pictures import picture

        chosen = name if name is not None else next(iter(self.tallies))
        return picture(chosen, self.tallies[chosen])

    def to_plain(self) -> dict[str, Any]:
        """What `--json` prints: numbers, and for arrays where they are."""
        return {
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
            "folder": str(self.folder),
            "tallies": {name: _plain(name, one) for name, one in self.tallies.items()},
        }

    def __str__(self) -> str:
        lines = [
            f"{self.campaign}: {self.samples:,} samples in {self.seconds:.1f} s ({self.reason})"
        ]
        return "\n".join(lines + [f"  {name} = {in_digits(one)}" for name, one in self._shown()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><b>{escape(name)}</b></td><td>{escape(in_digits(one))}</td></tr>"
            for name, one in self._shown()
        )
        head = f"{self.samples:,} samples in {self.seconds:.1f} s ({escape(self.reason)})"
        return (
            f"<div><b>{escape(self.campaign)}</b>: {head}<table>{rows}</table>"
            f"<code>{escape(str(self.folder / 'report.html'))}</code></div>"
        )

    def _shown(self) -> list[tuple[str, TallyResult]]:
        return list(self.tallies.items())


def in_digits(tally: TallyResult) -> str:
    """A value with its error in as many digits as they are worth: 3.14159 ± 0.00012 (k=1)."""
    if not isinstance(tally.value, float):
        return f"array of {' × '.join(str(one) for one in tally.value.shape)}"
    if not isinstance(tally.error, float):
        return f"{tally.value:.10g}"
    if not 0 < tally.error < float("inf"):
        return f"{tally.value:.10g} ± {tally.error:g} (k=1)"
    from math import floor, log10

    last = floor(log10(tally.error)) - 1  # the place of the error's second digit
    if -10 <= last <= 0 and abs(tally.value) < 1e9:
        return f"{tally.value:.{-last}f} ± {tally.error:.{-last}f} (k=1)"
    digits = max(floor(log10(abs(tally.value))) - last, 1) if tally.value else 1
    return f"{tally.value:.{digits}e} ± {tally.error:.1e} (k=1)"


def _plain(name: str, tally: TallyResult) -> dict[str, Any]:
    """A tally as JSON knows it; arrays are in the archive."""
    plain: dict[str, Any] = {"kind": tally.kind.value, "samples": tally.samples}
    if isinstance(tally.value, float):
        plain |= {"value": _finite(tally.value), "error": _finite(tally.error)}
        plain |= {"relative_error": _finite(tally.relative_error), "vov": _finite(tally.vov)}
    else:
        plain |= {"value": None, "error": None, "shape": list(tally.value.shape)}
        plain |= {"archive": f"result.npz: {name}, {name}_error"}
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
