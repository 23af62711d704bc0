"""PenRed computes the dose in a box of water; run by a Python that has it, as a program of its own.

    python penred_child.py JOB.json FOLDER

PenRed is AGPL: nothing of manyhands imports it, nor this file. The job is a JSON object (see
`Job` in `experiments/photons.py`); in the folder it leaves `dose.npz`: dose and error per history.

Three of its ways need care. A source of nhist = N simulates N - 1 histories and divides by N. Keys
that it does not know are accepted, so the seeds are read back from its log. Electrons have to be
absorbed where they start: their absorption energy lies above the source's.
"""

from __future__ import annotations

import json
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ABSORBED_EV = 2.0e6
PHOTON_CUT_EV = 1.0e3
RULE = "0" * 64
AVOGADRO = 6.02214076e23
GRAMS_PER_MOLE = {"1": 1.008, "8": 15.999}
PLANES = ((1, "AX", -1), (2, "AX", 1), (3, "AY", -1), (4, "AY", 1), (5, "AZ", 0), (6, "AZ", 2))


def main() -> None:
    """Compute what the job asks for."""
    job = json.loads(Path(sys.argv[1]).read_text())
    os.chdir(sys.argv[2])
    simulation = import_module("pyPenred.simulation")

    Path("box.geo").write_text(geometry(job["size_cm"]))
    simulation.setConfigurationLog("configuration.log")
    simulation.setSimulationLog("simulation.log")
    run = simulation.create()
    run.configFromString(configuration(job))
    run.simulate(False)
    dose, error = run.getResults()["dose"][0].data()[:2]
    require_seeds(job["seeds"])
    # It divides by the histories that it reports, one more than it simulates.
    scale = (job["histories"] + 1) / job["histories"]
    photo, incoherent = attenuation(job["weights"], job["energies_ev"])
    np.savez("dose.npz", dose=dose * scale, error=error * scale, photo=photo, incoherent=incoherent)


def attenuation(weights: dict[str, float], energies_ev: list[float]) -> tuple[Any, Any]:
    """The cross-sections, in cm²/g, of the material file that PenRed has written."""
    lines = Path("water.mat").read_text().splitlines()
    photo = np.zeros(len(energies_ev))
    for z, weight in weights.items():
        atom = table(lines, rf"Photoelectric cross sections, +IZ = +{z},", energies_ev)
        photo += weight / GRAMS_PER_MOLE[z] * AVOGADRO * atom
    molecule = table(lines, r"Compton and pair-production cross sections,", energies_ev)
    begin = next(number for number, line in enumerate(lines) if "(Compton IA model)" in line)
    shells = int(re.findall(r"= +(\d+)", lines[begin])[0])
    electrons = sum(float(line.split()[1]) for line in lines[begin + 1 : begin + 1 + shells])
    per_gram = sum(weight * int(z) / GRAMS_PER_MOLE[z] for z, weight in weights.items())
    return photo, molecule / electrons * per_gram * AVOGADRO


def table(lines: list[str], title: str, energies_ev: list[float]) -> Any:
    """A table's second column at these energies; of the file's rows those that are numbers."""
    begin = next(number for number, line in enumerate(lines) if re.search(title, line))
    count = int(re.findall(r"NDATA = +(\d+)", lines[begin])[0])
    rows = [line.split() for line in lines[begin + 1 : begin + 2 + count]]
    values = np.array([[float(one) for one in row[:2]] for row in rows if "E" in row[0]][:count])
    known = values[values[:, 1] > 0]
    return np.exp(np.interp(np.log(energies_ev), *np.log(known).T))


def geometry(size_cm: float) -> str:
    """A cube whose upper face is at z = 0, in the language of PENGEOM."""
    lines = ["Box", RULE]
    for number, axis, halves in PLANES:
        lines += [f"SURFACE ({number:4d})   Plane", "INDICES=( 0, 0, 0, 0, 0)"]
        lines += [f"     {axis}=(+1.000000000000000E+00,   0)"]
        lines += [f"     A0=({-halves * size_cm / 2:+.15E},   0)", RULE]
    lines += ["BODY    (   1)   Box", "MATERIAL(   1)"]
    for number, _, _ in PLANES:
        lines.append(f"SURFACE ({number:4d}), SIDE POINTER=({'+1' if number % 2 else '-1'})")
    return "\n".join([*lines, RULE, f"END      {'0' * 55}"]) + "\n"


def configuration(job: dict[str, Any]) -> str:
    """All that PenRed is told."""
    half = job["size_cm"] / 2
    source: dict[str, Any] = {
        "nhist": job["histories"] + 1,
        "kpar": '"gamma"',
        "direction/type": '"CONE"',
        "direction/theta": 0.0,
        "direction/phi": 0.0,
        "direction/alpha": job["half_angle_deg"],
        "energy/type": '"MONOENERGETIC"',
        "energy/energy": job["energy_kev"] * 1e3,
        "spatial/type": '"POINT"',
        "spatial/position/x": 0.0,
        "spatial/position/y": 0.0,
        "spatial/position/z": -job["distance_cm"],
    }
    mesh: dict[str, Any] = {"type": '"SPATIAL_DOSE_DISTRIB"'}
    bounds = {"x": (-half, half), "y": (-half, half), "z": (0.0, job["size_cm"])}
    for axis, (low, high) in bounds.items():
        mesh |= {f"{axis}min": low, f"{axis}max": high, f"n{axis}": job["bins"][axis]}
    absorbed = {"electron": ABSORBED_EV, "positron": ABSORBED_EV, "gamma": PHOTON_CUT_EV}
    water: dict[str, Any] = {f"eabs/{particle}": energy for particle, energy in absorbed.items()}
    water |= {f"elements/{z}": weight for z, weight in job["weights"].items()}
    water |= {"number": 1, "C1": 0.05, "C2": 0.05, "WCC": 1e3, "WCR": 1e3}
    water |= {"density": job["density"], "filename": '"water.mat"'}
    seeds = {"threads": 1, "seed1": job["seeds"][0], "seed2": job["seeds"][1]}
    shape = {"type": '"PEN_QUADRIC"', "input-file": '"box.geo"'}
    shape |= {"processed-geo-file": '"report.geo"'}
    sections = {"sources/generic/beam": source, "tallies/dose": mesh, "geometry": shape}
    sections |= {"materials/water": water, "simulation": seeds}
    return "".join(
        f"{section}/{key} {value}\n"
        for section, all_of in sections.items()
        for key, value in all_of.items()
    )


def require_seeds(seeds: list[int]) -> None:
    """Refuse a run that did not begin with these."""
    said = re.search(r"and seeds (\d+) (\d+)", Path("simulation.log").read_text())
    if said is None or [int(one) for one in said.groups()] != seeds:
        raise SystemExit(f"PenRed did not begin with the seeds {seeds}")


if __name__ == "__main__":
    main()
