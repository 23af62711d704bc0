"""What verify finds: nothing in a good folder, and each kind of damage in a bad one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.api.campaign import Wishes, run
from manyhands.api.extending import extend
from manyhands.api.rules import samples
from manyhands.api.verifying import Verdict, verify
from manyhands.runtime.child.rerun import RerunFailed, rerun

BLOCKS, BLOCK = 12, 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campaign") / "run"
    run("slab", BLOCKS * BLOCK, pilots=2, out=path, exact=True, block_samples=BLOCK, seed=1)
    return path


@pytest.fixture
def damaged(folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    from shutil import copytree

    return copytree(folder, tmp_path / "copy")


def bad(verdict: Verdict) -> list[str]:
    return [what for good, what in verdict.findings if not good]


def objects(path: Path) -> list[Path]:
    return sorted(one for one in (path / "objects").rglob("*") if one.is_file())


def test_a_good_folder_is_good(folder: Path) -> None:
    verdict = verify(folder, blocks=BLOCKS, seed=1)
    assert verdict.good, bad(verdict)
    assert len(verdict.findings) == 5
    assert "blocks computed again give the same bits" in verdict.findings[-1][1]


def test_a_count_that_was_changed_is_found(damaged: Path) -> None:
    result = damaged / "result.json"
    said = json.loads(result.read_text())
    result.write_text(json.dumps(said | {"samples": said["samples"] + 1}))
    assert "6,000 samples" in bad(verify(damaged, blocks=0))[0]


@pytest.mark.slow
def test_what_was_kept_is_merged_and_computed_again(tmp_path: Path) -> None:
    """A few blocks suffice: those that one checkpoint has and the one before it has not."""
    source = tmp_path / "slow.py"
    source.write_text(
        "import time\nimport manyhands as mh\n"
        "def advance(samples, stream):\n"
        "    time.sleep(0.02)\n"
        "    return {'x': mh.mean(stream.numpy().random(samples))}\n"
    )
    path = tmp_path / "run"
    wishes: Wishes = {"exact": True, "block_samples": 10, "seed": 1, "keep_partials": True}
    result = run(f"{source}:advance", 2000, pilots=1, out=path, **wishes)
    assert result.ended == "done"
    kept = [one for one in (path / "kept").rglob("*") if one.is_file()]
    assert kept
    verdict = verify(path, seed=1)
    assert verdict.good, bad(verdict)
    assert f"{len(kept)} objects that were replaced hold" in verdict.findings[3][1]
    again = int(verdict.findings[-1][1].partition(" ")[0])
    assert again < 200
    kept[0].write_bytes(b"rubbish")
    assert "is damaged: its object" in bad(verify(path, blocks=0))[0]


@pytest.mark.parametrize("name", ["result.json", "brief.json", "journal.sqlite"])
def test_a_file_that_holds_rubbish_is_found(name: str, damaged: Path) -> None:
    (damaged / name).write_text("rubbish")
    [found] = bad(verify(damaged))
    assert found.startswith(f"{damaged} is damaged: ")
    assert len(found.splitlines()) == 1


def test_a_missing_object_is_found(damaged: Path) -> None:
    objects(damaged)[0].unlink()
    assert "is missing" in bad(verify(damaged, blocks=0))[0]


def test_a_damaged_object_is_found(damaged: Path) -> None:
    one = objects(damaged)[0]
    data = bytearray(one.read_bytes())
    data[-1] ^= 1
    one.write_bytes(bytes(data))
    assert "is damaged" in bad(verify(damaged, blocks=0))[0]


def test_another_seed_is_found(damaged: Path) -> None:
    brief = damaged / "brief.json"
    brief.write_text(brief.read_text().replace('"seed": 1,', '"seed": 2,'))
    assert any("numeric class" in one for one in bad(verify(damaged)))


def test_a_short_block_stays_short_when_there_are_more_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "run"
    run("pi", 2 * BLOCK + 100, pilots=1, out=path, exact=True, block_samples=BLOCK, seed=1)
    extend(path, samples(5 * BLOCK), pilots=1)
    for seed in range(3):
        verdict = verify(path, blocks=BLOCKS, seed=seed)
        assert verdict.good, bad(verdict)


def test_a_block_gives_the_same_in_a_process_of_its_own(folder: Path) -> None:
    first, second = (rerun(folder, [(3, 4)]) for _ in range(2))
    assert first.samples == BLOCK
    assert first.digest() == second.digest() != rerun(folder, [(4, 5)]).digest()


def test_a_block_that_fails_says_why(tmp_path: Path) -> None:
    source = tmp_path / "broken.py"
    source.write_text(
        "import manyhands as mh\n"
        "def advance(samples, stream):\n"
        "    if stream.number == 2:\n"
        "        raise ZeroDivisionError('no photons left')\n"
        "    return {'x': mh.mean(stream.numpy().random(samples))}\n"
    )
    path = tmp_path / "run"
    wishes: Wishes = {"exact": True, "block_samples": 100, "seed": 1}
    result = run(f"{source}:advance", 1000, pilots=2, out=path, **wishes)
    assert result.ended == "failed"
    assert "block 2" in result.reason
    with pytest.raises(RerunFailed, match="no photons left"):
        rerun(path, [(2, 3)])
