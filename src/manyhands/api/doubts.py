"""Where an error bar is not worth what it says: what a user has to be told beside the answer."""

from __future__ import annotations

from math import sqrt

from manyhands.control.stopping import vov_of
from manyhands.runtime.local_run import Ran

VOV_DOUBTED = 0.05  # from here on nominal intervals were measured to hold the truth too seldom


def doubts(ran: Ran) -> tuple[str, ...]:
    """Numbers whose error is itself hardly known, each in a sentence."""
    tallies = ran.answer.tallies
    if tallies is None:
        return ()
    known = {name: one.vov for name, one in tallies.results().items() if isinstance(one.vov, float)}
    rule = ran.record.campaign.precision
    if rule is not None and rule.tally not in known:
        seen = vov_of(tallies.samples, list(tallies.sums()))
        if seen is not None:
            known[rule.tally] = seen
    return tuple(doubt(name, vov) for name, vov in known.items() if vov > VOV_DOUBTED)


def doubt(name: str, vov: float) -> str:
    """What a large variance of the variance means."""
    part = sqrt(vov) / 2  # the relative error of a root is half that of what is under it
    return (
        f"the error of {name} is itself known to {part:.0%} only (VOV {vov:.2g}): a few large "
        "values decide it, and such errors are more often too small than too large"
    )
