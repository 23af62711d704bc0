"""Photons through a volume of voxels, compiled: delta tracking (Woodcock et al. 1965).

A flight is drawn for the densest material that there is at the photon's energy; where it ends, an
interaction is real with the probability that the material there has, and else the flight goes on.
Electrons are absorbed where they start. Energies are whole eV: their sums are exact.

Random numbers are of Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011), which turns a counter of
four words and a key of two into four random words. Two words of the counter are the history's
number in its stream, one counts what the history has drawn, and the last and the key belong to the
stream. So a history is the same however a stream is divided over calls.

All kernels are in this file: numba, which keeps what it compiled, looks only at its file.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, log, pi, sqrt
from typing import Any, TypeAlias, TypeVar

import numba as nb
import numpy as np

from manyhands.applications.photons.arrays import (
    Beam,
    Floats,
    Scores,
    Scratch,
    Tables,
    Voxels,
    Words,
)

Place: TypeAlias = tuple[int, float, float]
Kernel = TypeVar("Kernel", bound=Callable[..., object])

TOUCHED_MAX = 4096  # voxels that one history can reach; then it is absorbed where it is
ABSORBED_EV = 1000.0  # a photon below is absorbed where it is
ELECTRON_EV = 510_998.95
EV_ANGSTROM = 12_398.419843320026  # hc

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)
M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
W0, W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
ROUNDS = 10
AT_ONCE = 4
UNIT = 2.0**-32


def compiled(kernel: Kernel) -> Kernel:
    """Compile at the first call; later processes load what numba kept.

    numba keeps it beside the source, else in the user's cache; where neither can be written, each
    process compiles anew.
    """
    try:
        made: Any = nb.njit(nogil=True, cache=True)(kernel)
    except RuntimeError:
        made = nb.njit(nogil=True)(kernel)
    found: Kernel = made
    return found


def inlined(kernel: Kernel) -> Kernel:
    """Compile into each caller: else every array that is passed costs two atomic counts."""
    made: Any = nb.njit(nogil=True, inline="always")(kernel)
    found: Kernel = made
    return found


@compiled
def fly_all(
    histories: tuple[int, int],
    key: Words,
    beam: Beam,
    voxels: Voxels,
    tables: Tables,
    scored: tuple[Scores, Scratch],
) -> None:
    """Follow the histories from the first number up to the second, and add to the scores."""
    scores, scratch = scored
    for history in range(histories[0], histories[1]):
        begin_history(scratch.state, key, history)
        emitted = emit(beam, scratch)
        touched, escaped = 0, emitted
        if enter(voxels.size_cm, scratch.flight):
            touched, escaped = fly(emitted, voxels, tables, scratch)
        add_history(touched, emitted, escaped, voxels, scores, scratch)


@inlined
def emit(beam: Beam, scratch: Scratch) -> float:
    """Put a photon at its begin; its energy."""
    state, drawn, flight = scratch.state, scratch.drawn, scratch.flight
    chosen = 0
    if len(beam.energies_ev) > 1:
        chosen = int(np.searchsorted(beam.cumulative, uniform(state, drawn)))
        chosen = min(chosen, len(beam.energies_ev) - 1)
    u, v, w = beam.direction[0], beam.direction[1], beam.direction[2]
    if beam.cosine_min < 1.0:
        cosine = 1.0 - uniform(state, drawn) * (1.0 - beam.cosine_min)
        u, v, w = turned(u, v, w, cosine, uniform(state, drawn))
    flight[0], flight[1], flight[2] = beam.place[0], beam.place[1], beam.place[2]
    flight[3], flight[4], flight[5] = u, v, w
    return beam.energies_ev[chosen]  # type: ignore[no-any-return]


@inlined
def enter(size_cm: Floats, flight: Floats) -> bool:
    """Move a photon to where it enters the volume; False if it never does."""
    nearest, farthest = 0.0, np.inf
    for axis in range(3):
        place, slope = flight[axis], flight[axis + 3]
        if slope == 0.0:
            if place < 0.0 or place >= size_cm[axis]:
                return False
            continue
        one, other = -place / slope, (size_cm[axis] - place) / slope
        nearest = max(nearest, min(one, other))
        farthest = min(farthest, max(one, other))
    if nearest >= farthest:
        return False
    for axis in range(3):
        flight[axis] += nearest * flight[axis + 3]
    return True


@compiled
def fly(energy: float, voxels: Voxels, tables: Tables, scratch: Scratch) -> tuple[int, float]:
    """Follow a photon to its end: how many voxels it left energy in, and what escaped."""
    state, drawn, flight = scratch.state, scratch.drawn, scratch.flight
    sizes, per_cm = voxels.size_cm, voxels.per_cm
    layers, rows, columns = voxels.materials.shape
    x, y, z, u, v, w = flight[0], flight[1], flight[2], flight[3], flight[4], flight[5]
    touched = 0
    grid = (tables.log_first, tables.per_log)
    step, part, majorant = look_up(energy, grid, tables.majorant)
    while True:
        way = -log(uniform(state, drawn)) / majorant
        x += way * u
        y += way * v
        z += way * w
        if x < 0.0 or y < 0.0 or z < 0.0 or x >= sizes[0] or y >= sizes[1] or z >= sizes[2]:
            return touched, energy
        column = min(int(x * per_cm[0]), columns - 1)
        row = min(int(y * per_cm[1]), rows - 1)
        layer = min(int(z * per_cm[2]), layers - 1)
        material = voxels.materials[layer, row, column]
        total = part_of(tables.attenuation, material, 0, (step, part))
        choice = majorant if total >= majorant else uniform(state, drawn) * majorant
        if choice > total:
            continue  # no interaction: denser elsewhere
        if total >= majorant:
            choice = uniform(state, drawn) * total
        cell = (layer * rows + row) * columns + column
        if (
            choice < part_of(tables.attenuation, material, 1, (step, part))
            or touched == TOUCHED_MAX - 1
        ):
            return deposit(touched, cell, energy, scratch), 0.0
        if choice < part_of(tables.attenuation, material, 2, (step, part)):
            kept, cosine = incoherent(energy, tables.bound, material, state, drawn)
            after = np.rint(energy * kept)
            if after < ABSORBED_EV:
                return deposit(touched, cell, energy, scratch), 0.0
            touched = deposit(touched, cell, energy - after, scratch)
            energy = after
            step, part, majorant = look_up(energy, grid, tables.majorant)
        else:
            shape = tables.coherent[material]
            cosine = coherent(energy, tables.squares, shape, state, drawn)
        u, v, w = turned(u, v, w, cosine, uniform(state, drawn))


@inlined
def look_up(energy: float, grid: tuple[float, float], majorants: Floats) -> Place:
    """The step of the tables that an energy is in, the part of it, and the largest attenuation."""
    place = max((log(1e-3 * energy) - grid[0]) * grid[1], 0.0)
    step = min(int(place), len(majorants) - 2)
    part = min(place - step, 1.0)
    majorant = majorants[step] * (1.0 - part) + majorants[step + 1] * part
    return step, part, majorant


@inlined
def part_of(table: Floats, material: int, which: int, place: tuple[int, float]) -> float:
    """An attenuation between two steps of energy."""
    step, part = place
    below, above = table[step, material, which], table[step + 1, material, which]
    return below * (1.0 - part) + above * part  # type: ignore[no-any-return]


@inlined
def between(table: Floats, material: int, step: int, part: float) -> float:
    """A table's value between two steps."""
    below, above = table[material, step], table[material, step + 1]
    return below * (1.0 - part) + above * part  # type: ignore[no-any-return]


@inlined
def deposit(touched: int, cell: int, energy: float, scratch: Scratch) -> int:
    """Add to what the history left in a voxel; how many voxels there are now."""
    if energy <= 0.0:
        return touched
    for one in range(touched - 1, -1, -1):
        if scratch.cells[one] == cell:
            scratch.energies[one] += energy
            return touched
    scratch.cells[touched] = cell
    scratch.energies[touched] = energy
    return touched + 1


@compiled
def add_history(
    touched: int,
    emitted: float,
    escaped: float,
    voxels: Voxels,
    scores: Scores,
    scratch: Scratch,
) -> None:
    """Add what one history left to all sums: first its energy in each place, then its square."""
    area = voxels.column.size
    reached = 0
    deposited = 0.0
    for one in range(touched):
        cell, energy = scratch.cells[one], scratch.energies[one]
        deposited += energy
        scores.voxels[cell, 0] += energy
        scores.voxels[cell, 1] += energy * energy
        scratch.regions[voxels.materials.flat[cell]] += energy
        if voxels.column.flat[cell % area]:
            layer = cell // area
            if scratch.layers[layer] == 0.0:
                scratch.reached[reached] = layer
                reached += 1
            scratch.layers[layer] += energy
    for one in range(reached):
        layer = scratch.reached[one]
        add(scores.layers[layer], scratch.layers[layer])
        scratch.layers[layer] = 0.0
    for material in range(len(scratch.regions)):
        add(scores.regions[material], scratch.regions[material])
        scratch.regions[material] = 0.0
    add(scores.balance[0], emitted)
    add(scores.balance[1], deposited)
    add(scores.balance[2], escaped)


@inlined
def add(sums: Floats, value: float) -> None:
    """Add a value and its square."""
    sums[0] += value
    sums[1] += value * value


@inlined
def incoherent(
    energy_ev: float, bound: Floats, material: int, state: Words, drawn: Floats
) -> tuple[float, float]:
    """The part of its energy that a photon keeps, and the cosine of its angle.

    By Klein-Nishina, as a mixture of 1/ε and ε (Butcher & Messel 1960), and S(x)/Z by rejection.
    """
    k = energy_ev / ELECTRON_EV
    least = 1.0 / (1.0 + 2.0 * k)
    steep = -log(least)
    flat = (1.0 - least * least) / 2.0
    while True:
        if uniform(state, drawn) * (steep + flat) < steep:
            kept = exp(-steep * uniform(state, drawn))
        else:
            kept = sqrt(least * least + (1.0 - least * least) * uniform(state, drawn))
        versine = (1.0 - kept) / (k * kept)
        sine_squared = max(versine * (2.0 - versine), 0.0)
        chance = 1.0 - kept * sine_squared / (1.0 + kept * kept)
        momentum = energy_ev / EV_ANGSTROM * sqrt(max(versine, 0.0) / 2.0)
        place = bound.shape[1] * momentum / (1.0 + momentum)
        step = min(int(place), bound.shape[1] - 2)
        part = place - step
        chance *= between(bound, material, step, part)
        if uniform(state, drawn) < chance:
            return kept, 1.0 - versine


@compiled
def coherent(
    energy_ev: float, squares: Floats, shape: Floats, state: Words, drawn: Floats
) -> float:
    """The cosine of the angle: x² by the integral of F², Thomson's (1 + cos²θ)/2 by rejection."""
    largest = (energy_ev / EV_ANGSTROM) ** 2
    last = int(np.searchsorted(squares, largest))
    last = min(max(last, 1), len(squares) - 1)
    part = (largest - squares[last - 1]) / (squares[last] - squares[last - 1])
    whole = shape[last - 1] + part * (shape[last] - shape[last - 1])
    while True:
        wanted = uniform(state, drawn) * whole
        step = int(np.searchsorted(shape[: last + 1], wanted))
        step = min(max(step, 1), last)
        part = (wanted - shape[step - 1]) / (shape[step] - shape[step - 1])
        square = squares[step - 1] + part * (squares[step] - squares[step - 1])
        cosine = max(1.0 - 2.0 * square / largest, -1.0)
        if 2.0 * uniform(state, drawn) < 1.0 + cosine * cosine:
            return float(cosine)


@inlined
def turned(u: float, v: float, w: float, cosine: float, turn: float) -> tuple[float, float, float]:
    """A direction turned by an angle, towards a part of a full turn about itself."""
    sine = sqrt(max(1.0 - cosine * cosine, 0.0))
    about = 2.0 * pi * turn
    right = cos(about)
    up = sqrt(max(1.0 - right * right, 0.0)) * (sine if turn < 0.5 else -sine)
    right *= sine
    across = sqrt(u * u + v * v)
    if across < 1e-10:
        return right, up if w > 0 else -up, cosine if w > 0 else -cosine
    u, v, w = (
        u * cosine + (u * w * right - v * up) / across,
        v * cosine + (v * w * right + u * up) / across,
        w * cosine - across * right,
    )
    size = sqrt(u * u + v * v + w * w)
    return u / size, v / size, w / size


@inlined
def begin_history(state: Words, key: Words, history: int) -> None:
    """Point the state at the first random number of a history."""
    number = np.uint64(history)
    state[0] = np.uint64(0)
    state[1] = number & LOW
    state[2] = number >> HALF
    state[3] = key[2]
    state[4] = key[0]
    state[5] = key[1]
    state[6] = np.uint64(AT_ONCE)


@inlined
def uniform(state: Words, drawn: Floats) -> float:
    """A random number in the open interval from 0 to 1: an odd multiple of 2^-33."""
    used = state[6]
    if used == np.uint64(AT_ONCE):
        draw_four(state, drawn)
        used = np.uint64(0)
    state[6] = used + ONE
    return drawn[used]  # type: ignore[no-any-return]


@inlined
def draw_four(state: Words, drawn: Floats) -> None:
    """Four numbers at once, and the counter goes on."""
    a, b, c, d = philox(state[0], state[1], state[2], state[3], state[4], state[5])
    drawn[0] = (np.float64(a) + 0.5) * UNIT
    drawn[1] = (np.float64(b) + 0.5) * UNIT
    drawn[2] = (np.float64(c) + 0.5) * UNIT
    drawn[3] = (np.float64(d) + 0.5) * UNIT
    state[0] += ONE


@inlined
def philox(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, key0: np.uint64, key1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random words of a counter and a key."""
    for _ in range(ROUNDS):
        first = M0 * a
        second = M1 * c
        a, c = (second >> HALF) ^ b ^ key0, (first >> HALF) ^ d ^ key1
        b, d = second & LOW, first & LOW
        key0 = (key0 + W0) & LOW
        key1 = (key1 + W1) & LOW
    return a, b, c, d
