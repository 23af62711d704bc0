"""How good a simulation is at its work: the figure of merit, comparable between hosts."""

from __future__ import annotations

from math import inf

from manyhands.model.checks import is_span, require


def figure_of_merit(relative_error: float, time_s: float, host_speed: float = 1.0) -> float:
    """1 / (relative error² · time), in 1/s of the reference host: it does not change with samples.

    `host_speed` is what the host's benchmark says: how many times as fast as the reference host it
    is. Time on a faster host counts for more. Infinite without an error, 0 without a value.
    """
    require(relative_error >= 0, "relative_error", relative_error, "0 or more")
    require(is_span(time_s), "time_s", time_s, "finite and above 0")
    require(is_span(host_speed), "host_speed", host_speed, "finite and above 0")
    if relative_error == 0:
        return inf
    return 1 / relative_error / relative_error / (time_s * host_speed)
