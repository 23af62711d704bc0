"""A finished campaign is extended: more samples, each other than those that are there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from manyhands.api import rules
from manyhands.api.campaign import Wishes, resume, run
from manyhands.api.extending import extend
from manyhands.api.joining import NotJoined, join
from manyhands.api.quantities import BadQuantity
from manyhands.api.running import PORTABLE, hands_of
from manyhands.api.verifying import verify
from manyhands.applications.stream import Stream
from manyhands.control.state import State
from manyhands.model.checks import Mistake
from manyhands.model.commands import Command
from manyhands.model.events import Event, MessageReceived
from manyhands.model.stopping import StopRule
from manyhands.model.where import BadWhere
from manyhands.runtime.child.rerun import rerun
from manyhands.runtime.folder import Folder, FolderRefused
from manyhands.runtime.local_pilots import Hands
from manyhands.statistics import where
from manyhands.statistics.returned import histogram

BLOCK = 1000


def spectrum(samples: int, stream: Stream) -> dict[str, object]:
    """Energies below 0.9, in bins that go on beyond."""
    energies = 0.9 * stream.numpy().random(samples)
    return {"energy": histogram(energies, np.linspace(0.0, 1.2, 9))}


def test_in_exact_mode_it_is_as_if_it_had_been_asked_for_at_once(tmp_path: Path) -> None:
    wishes: Wishes = {"exact": True, "seed": 3, "block_samples": BLOCK}
    at_once = run("pi", 50 * BLOCK, pilots=1, out=tmp_path / "whole", **wishes)
    run("pi", 20 * BLOCK, pilots=2, out=tmp_path / "parts", **wishes)
    extended = extend(tmp_path / "parts", rules.samples(50 * BLOCK), pilots=1)
    assert extended.samples == 50 * BLOCK
    assert extended.digest == at_once.digest


def test_what_does_not_end_with_a_block_is_extended_behind_its_short_one(tmp_path: Path) -> None:
    """It counts right and verifies, but its blocks are not those of one run."""
    run("pi", 4500, pilots=1, out=tmp_path, exact=True, seed=3, block_samples=BLOCK)
    extended = extend(tmp_path, rules.samples(7000), pilots=1)
    assert extended.samples == extended["pi"].samples == 7000
    again = extend(tmp_path, rules.samples(9000), pilots=1)
    assert again.samples == again["pi"].samples == 9000
    assert rerun(tmp_path, [(4, 5)]).samples == 500
    verdict = verify(tmp_path, blocks=10)
    assert verdict.good, verdict.findings


def test_it_is_extended_again_and_again(tmp_path: Path) -> None:
    wishes: Wishes = {"exact": True, "seed": 3, "block_samples": BLOCK}
    at_once = run("pi", 9 * BLOCK, pilots=1, out=tmp_path / "whole", **wishes)
    run("pi", 2 * BLOCK, pilots=1, out=tmp_path / "parts", **wishes)
    parts = tmp_path / "parts"
    last = [extend(parts, rules.samples(blocks * BLOCK), pilots=2) for blocks in (4, 5, 9)][-1]
    assert last.digest == at_once.digest
    assert resume(tmp_path / "parts").digest == at_once.digest


def test_one_that_was_interrupted_is_gone_on_with_first(tmp_path: Path) -> None:
    wishes: Wishes = {"exact": True, "seed": 3, "block_samples": BLOCK}
    at_once = run("pi", 30 * BLOCK, pilots=1, out=tmp_path / "whole", **wishes)
    parts = tmp_path / "parts"
    run("pi", 2 * BLOCK, pilots=1, out=parts, **wishes)

    class Interrupts:
        """Somebody presses Ctrl-C when the second campaign has its first pilot."""

        def stop(self) -> None:
            """Never mind."""

        def decided(
            self, now_s: float, event: Event, commands: list[Command], state: State
        ) -> None:
            if len(state.campaigns) == 2 and isinstance(event, MessageReceived):
                os.kill(os.getpid(), signal.SIGINT)

    stopped = extend(parts, rules.samples(30 * BLOCK), 1, [Interrupts()])
    assert stopped.ended == "interrupted"
    with pytest.raises(FolderRefused, match="has not ended: manyhands run --resume"):
        extend(parts, rules.samples(40 * BLOCK))
    with pytest.raises(NotJoined, match="has not ended"):
        join([parts, tmp_path / "whole"], tmp_path / "both")
    assert resume(parts, 1).digest == at_once.digest


def test_what_children_may_take_is_remembered(tmp_path: Path) -> None:
    run("pi", 1000, pilots=1, out=tmp_path, silence_s=50, disk="1G", exact="portable")
    hands = hands_of(Folder(tmp_path).brief(), 3)
    assert hands == Hands(3, 1, 50, 1 << 30, PORTABLE)


def test_in_free_mode_new_streams_are_used(tmp_path: Path) -> None:
    before = run("pi", 100_000, pilots=2, out=tmp_path, seed=3)
    after = extend(tmp_path, rules.samples(before.samples + 100_000), pilots=2)
    assert after.samples >= before.samples + 100_000
    assert after.samples == after["pi"].samples
    assert after.reason == f"extended to {after.samples:,} samples"
    assert after["pi"].error < before["pi"].error  # type: ignore[operator]


def test_to_a_precision(tmp_path: Path) -> None:
    run("slab", 20_000, pilots=1, out=tmp_path, seed=3, exact=True, block_samples=BLOCK)
    after = extend(tmp_path, rules.precision("absorbed", relative=0.003), pilots=1)
    assert after["absorbed"].relative_error <= 0.003  # type: ignore[operator]


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (rules.samples(10), "needs no more"),
        (rules.precision("dose", relative=0.1), "no tally 'dose': there are pi"),
        (rules.budget(1.0), "does not extend"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, rule: StopRule, what: str) -> None:
    run("pi", 10_000, pilots=1, out=tmp_path)
    with pytest.raises(Mistake, match=what):
        extend(tmp_path, rule)


@pytest.mark.slow
def test_to_the_precision_of_an_image(tmp_path: Path) -> None:
    """The worst cell decides, and cells that are empty are never precise."""
    run(spectrum, 5_000, pilots=1, out=tmp_path, seed=3, exact=True, block_samples=BLOCK)
    before = rules.precision("energy", relative=0.02, where=where.above(0.5))
    after = extend(tmp_path, before, pilots=1)
    found = after["energy"]
    assert np.all(np.asarray(found.relative_error)[np.asarray(found.value) > 0.1] <= 0.02)
    assert after.samples > 5_000
    with pytest.raises(BadQuantity, match="needs no more"):
        extend(tmp_path, before, pilots=1)
    with pytest.raises(BadQuantity, match="is 0 so far where it should be precise"):
        extend(tmp_path, rules.precision("energy", 0.02, where=where.all_cells()), pilots=1)
    with pytest.raises(BadWhere, match="no cell"):
        extend(tmp_path, rules.precision("energy", 0.02, where=where.cell(1, 1)), pilots=1)


def test_where_there_is_no_campaign_there_is_nothing_to_extend(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused, match="holds no campaign"):
        extend(tmp_path, rules.samples(10))
