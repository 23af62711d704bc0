"""What can be asked of photons, and what is refused in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manyhands.applications.declaring import BadApplication
from manyhands.applications.describing import describe
from manyhands.applications.photons.options import (
    ElectronsReachFurther,
    Options,
    completed,
    electron_range_mm,
    require_same_files,
)

SMALL = {"phantom": "water", "voxels": 4}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"energy_kev": 1250}, "energy_kev is 1250, but must be from 5 to 800 keV"),
        ({"energy_kev": float("1e-3")}, "energy_kev is"),
        ({"energy_kev": "hard"}, "energy_kev is 'hard'"),
        ({"energy_kev": True}, "energy_kev is True"),
        ({"source": "cones"}, "did you mean 'cone'"),
        ({"scattering": "none"}, "bound, free"),
        ({"voxels": 0}, "voxels is 0"),
        ({"voxels": 10**4}, "from 1 to 500"),
        ({"size_mm": -1}, "size_mm is -1"),
        ({"half_angle_deg": 181}, "half_angle_deg is 181"),
        ({"direction": [0, 0, 0]}, "not zero"),
        ({"direction": [0, 1]}, "three numbers"),
        ({"position_mm": "here"}, "three numbers"),
        ({"phantom": 3}, "phantom is 3"),
        ({"phantom": "watre"}, "neither 'inserts' or 'water' nor a .npz or .mhd file"),
        ({"phantom": "missing.npz"}, "phantom 'missing.npz' cannot be read"),
        ({"spectrum": "missing.txt"}, "spectrum 'missing.txt' is no list"),
        ({"energy": 100}, "did you mean 'energy_kev'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadApplication) as caught:
        describe("photons", options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("60\n80\n", "no list"),
        ("60 1\n900 1\n", "energy is 900"),
        ("60 -1\n", "weights"),
        ("60 0\n", "weights"),
        ("60 one\n", "no list"),
    ],
)
def test_a_spectrum_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "spectrum.txt"
    path.write_text(text)
    with pytest.raises(BadApplication, match=said):
        describe("photons", {**SMALL, "spectrum": str(path)})


def test_a_spectrum_has_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "spectrum.csv"
    path.write_text("# keV, weight\n40, 1\n60, 3\n")
    energies, chances = Options(spectrum=str(path)).lines()
    assert energies.tolist() == [40, 60]
    assert chances.tolist() == [0.25, 0.75]


def test_files_are_completed_with_their_digests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    materials = np.ones((2, 2, 2), np.uint8)
    np.savez("phantom.npz", materials=materials, spacing_mm=(5, 5, 5))
    Path("spectrum.txt").write_text("40 1\n")
    given = {"phantom": "phantom.npz", "spectrum": "spectrum.txt"}
    first = describe("photons", given).options
    assert first["phantom"] == str(tmp_path / "phantom.npz")
    assert len(first["phantom_sha256"]) == len(first["spectrum_sha256"]) == 64
    require_same_files(Options(**first))
    # Other contents are other options, so that results are not merged; and no process takes them.
    np.savez("phantom.npz", materials=0 * materials, spacing_mm=(5, 5, 5))
    assert describe("photons", given).options != first
    with pytest.raises(BadApplication, match="not the file that the campaign was made with"):
        require_same_files(Options(**first))


def test_voxels_smaller_than_the_way_of_electrons_are_warned_of() -> None:
    with pytest.warns(ElectronsReachFurther, match="in water, further than a voxel of 1 mm"):
        completed(phantom="water", voxels=100, size_mm=100.0, energy_kev=662)
    assert completed(phantom="water", voxels=10, size_mm=100.0) == {
        "phantom": "water",
        "voxels": 10,
        "size_mm": 100.0,
    }


def test_electrons_reach_as_far_as_published() -> None:
    # CSDA ranges in water, ICRU Report 37 (1984): 0.4367 g/cm² at 1 MeV, 0.01431 at 100 keV.
    assert electron_range_mm(1000, 1.0) == pytest.approx(4.367, rel=0.1)
    assert electron_range_mm(100, 1.0) == pytest.approx(0.1431, rel=0.1)


@pytest.mark.parametrize("missing", ["xraylib", "numba"])
def test_without_its_packages_photons_says_what_to_install(missing: str) -> None:
    # A process in which nothing of this name can be found.
    code = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] == {missing!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
from importlib import util
from manyhands.cli import main
sys.argv = ['manyhands', 'run', 'photons', '--samples', '10']
main()
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert f"photons needs {missing}: install manyhands[photons]" in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_command_warns_in_one_line(tmp_path: Path) -> None:
    code = "from manyhands.cli import main; main()"
    words = ["run", "photons", "--samples", "10", "--out", str(tmp_path / "run"), "--json"]
    for option in ("energy_kev=662", "voxels=20", "size_mm=20"):
        words += ["--set", option]
    command = [sys.executable, "-c", code, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    first = ran.stderr.splitlines()[0]
    assert first.startswith("manyhands: electrons of 662 keV photons reach")
    assert first.endswith("the dose has no such detail")
