"""How good a campaign was at its work, by each number that it found."""

from __future__ import annotations

from manyhands.statistics.merit import figure_of_merit
from manyhands.statistics.results import TallyResult

MERITS_MAX = 8  # a report with more would not be read


def merits(tallies: dict[str, TallyResult], reference_s: float) -> dict[str, float]:
    """1 / (relative error² · time on the reference host) of the first numbers with an error."""
    if reference_s <= 0:
        return {}
    errors = {
        name: one.relative_error
        for name, one in tallies.items()
        if isinstance(one.relative_error, float) and 0 < one.relative_error < float("inf")
    }
    return {name: figure_of_merit(errors[name], reference_s) for name in list(errors)[:MERITS_MAX]}
