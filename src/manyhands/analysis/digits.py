"""Numbers as people read them: as many digits as they are worth, with the error they carry."""

from __future__ import annotations

from math import floor, isfinite, log10

from manyhands.statistics.results import TallyResult

UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def in_digits(tally: TallyResult) -> str:
    """A value with its error in as many digits as they are worth: 3.14159 ± 0.00012 (k=1)."""
    if not isinstance(tally.value, float):
        return f"array of {' × '.join(str(one) for one in tally.value.shape)} cells"
    if not isinstance(tally.error, float):
        return f"{tally.value:.10g}"
    if not isfinite(tally.error):
        return f"{tally.value:.10g}, of unknown error"
    if tally.error == 0:
        return f"{tally.value:.10g} ± 0 (k=1)"
    last = floor(log10(tally.error)) - 1  # the place of the error's second digit
    if -10 <= last <= 0 and abs(tally.value) < 1e9:
        return f"{tally.value:.{-last}f} ± {tally.error:.{-last}f} (k=1)"
    digits = max(floor(log10(abs(tally.value))) - last, 1) if tally.value else 1
    return f"{tally.value:.{digits}e} ± {tally.error:.1e} (k=1)"


def percent(part: float | None) -> str:
    """A part in three digits; a dash where there is none."""
    if part is None or not isfinite(part):
        return "–"
    return f"{100 * part:.3g} %"


def shortly(number: float) -> str:
    """A large number in three digits and a letter: 4.07 M."""
    for size, letter in UNITS:
        if abs(number) >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.3g}"


def lasting(time_s: float) -> str:
    """A length of time in two units at most: 7.8 s, 2 min 05 s, 3 h 20 min."""
    if time_s < 60:
        return f"{time_s:.3g} s" if time_s < 9.995 else f"{time_s:.1f} s"
    whole_s = round(time_s)
    if whole_s < 3600:
        return f"{whole_s // 60} min {whole_s % 60:02d} s"
    if whole_s < 86_400:
        return f"{whole_s // 3600} h {whole_s % 3600 // 60:02d} min"
    return f"{whole_s // 86_400} d {whole_s % 86_400 // 3600:02d} h"
