"""Several campaigns of one application as one result, if they have no sample in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manyhands.analysis.files import ARCHIVE, RESULT, write_archive, write_images, write_result
from manyhands.api.extending import state_of
from manyhands.api.quantities import BadQuantity
from manyhands.api.reporting import leave_joined
from manyhands.api.result import Result
from manyhands.applications.showing import grids_of
from manyhands.control.campaigns import ENDED
from manyhands.model.campaign import Campaign
from manyhands.model.checks import Mistake
from manyhands.model.coverage import EMPTY, Coverage
from manyhands.runtime.answer import Answer, digest_of, gather
from manyhands.runtime.brief import Brief
from manyhands.runtime.folder import Folder, said_of, undamaged
from manyhands.statistics.tallies import Tallies

SAME = ("name", "version", "options_json")  # what campaigns that are merged have in common


class NotJoined(Mistake):
    """Campaigns that must not be merged: one line says why."""


@dataclass(frozen=True, slots=True)
class Part:
    """One campaign, as it lies in its folder."""

    path: Path
    brief: Brief
    campaign: Campaign
    answer: Answer

    @property
    def tallies(self) -> Tallies:
        """What it found."""
        assert self.answer.tallies is not None
        return self.answer.tallies


def join(paths: list[Path], out: Path) -> Result:
    """Merge the results of these folders into a new one."""
    if len(paths) < 2:
        raise BadQuantity("there is nothing to merge: name two folders or more")
    if (out / RESULT).exists():
        raise BadQuantity(f"{out} holds a result already: choose another folder with --out")
    parts = [_part(path) for path in paths]
    for number, one in enumerate(parts):
        for other in parts[:number]:
            _require_joinable(one, other)
    parts.sort(key=lambda one: (one.campaign.seed, one.answer.digest))
    exact = parts[0].brief.exact and all(_same_block_0(one, parts[0]) for one in parts)
    loose = parts[0].brief.exact and not exact
    whole = parts[0].tallies.as_free() if loose else parts[0].tallies.copy()
    for part in parts[1:]:
        whole.merge(part.tallies.as_free() if loose else part.tallies)
    return _written(parts, whole, "exact" if exact else "free", out)


def _part(path: Path) -> Part:
    folder = Folder(path)
    brief = folder.brief()
    state = state_of(folder)
    if next(reversed(state.campaigns.values())).stage not in ENDED:
        raise NotJoined(f"{path} has not ended: manyhands run --resume {path}")
    with undamaged(path):
        answer = gather(state, folder.store)
    if answer.tallies is None:
        raise NotJoined(f"{path} holds no samples: there is nothing to merge")
    return Part(path, brief, next(iter(state.campaigns.values())).campaign, answer)


def _same_block_0(one: Part, other: Part) -> bool:
    return one.brief.seed == other.brief.seed


def _require_joinable(one: Part, other: Part) -> None:
    for what in SAME:
        mine, theirs = (getattr(part.brief.description, what) for part in (one, other))
        if mine != theirs:
            raise NotJoined(
                f"{one.path} and {other.path} differ in the {what.removesuffix('_json')} of their "
                f"application ({mine} and {theirs}): their samples are not of one kind"
            )
    if one.brief.exact != other.brief.exact:
        raise NotJoined(f"only one of {one.path} and {other.path} is in exact mode")
    if one.brief.seed == other.brief.seed:
        if one.brief.block_samples != other.brief.block_samples:
            raise NotJoined(f"{one.path} and {other.path} have one seed and blocks of other sizes")
        common = _common(one.answer.coverage, other.answer.coverage)
        if common:
            raise NotJoined(
                f"{one.path} and {other.path} have {common:,} "
                f"{'blocks' if one.brief.exact else 'samples'} in common (seed {one.brief.seed}): "
                "they would count twice"
            )


def _common(one: Coverage, other: Coverage) -> int:
    return (one & other).size


def _written(parts: list[Part], whole: Tallies, mode: str, out: Path) -> Result:
    result = Result(
        parts[0].campaign.name,
        mode,
        "done",
        f"merged from {len(parts)} campaigns",
        " and ".join(str(part.path) for part in parts),
        whole.samples,
        0.0,
        0,
        parts[0].campaign.seed,
        digest_of(whole, EMPTY),  # which samples they are is in the digests of the parts
        whole.results(),
        out,
    )
    listed = [
        {
            "folder": str(part.path),
            "seed": part.campaign.seed,
            "samples": part.answer.samples,
            "digest": part.answer.digest,
            "coverage": [[one.line, one.start, one.end] for one in part.answer.coverage.spans],
        }
        for part in parts
    ]
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_archive(out / ARCHIVE, result.tallies, result.samples)
        write_images(out, result.tallies, grids_of(parts[0].brief.description))
        write_result(out / RESULT, result.to_plain() | {"parts": listed})
        leave_joined(result, listed)
    except OSError as error:
        raise NotJoined(
            f"{out} cannot be written ({said_of(error)}): choose another folder with --out"
        ) from error
    return result
