"""How many samples the next task is given: one policy a file, chosen by the campaign.

To add one: a frozen dataclass with the two members of `SplittingPolicy`, a member of `Split`, and
a line in `policy_for`.
"""

from __future__ import annotations

from manyhands.control.splitting.chunks import Chunks
from manyhands.control.splitting.contract import Progress, SplittingPolicy
from manyhands.control.splitting.dynamic import Dynamic
from manyhands.control.splitting.early_binding import EarlyBinding
from manyhands.control.splitting.static import Static
from manyhands.model.campaign import Split, Splitting

__all__ = ["Progress", "SplittingPolicy", "policy_for"]


def policy_for(splitting: Splitting) -> SplittingPolicy:
    """The policy that a campaign asks for."""
    match splitting.kind:
        case Split.DYNAMIC:
            return Dynamic()
        case Split.STATIC:
            return Static(splitting.tasks)
        case Split.CHUNKS:
            return Chunks(splitting.samples)
        case Split.EARLY_BINDING:
            return EarlyBinding(splitting.tasks)
