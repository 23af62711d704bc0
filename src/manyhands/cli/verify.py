"""`manyhands verify`: is a result what its journal and its objects say?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from manyhands.api.verifying import verify as verified
from manyhands.cli.options import CampaignFolder, Json

EXAMPLE = "manyhands verify slab --blocks 10"


def verify(
    folder: CampaignFolder,
    blocks: Annotated[int, typer.Option(metavar="K", help="About how many to compute again.")] = 3,
    seed: Annotated[int | None, typer.Option(metavar="S", help="Of the choice of blocks.")] = None,
    as_json: Json = False,
) -> int:
    """Recount the ledger from the journal, merge the objects anew, compute some blocks again."""
    verdict = verified(folder, blocks, seed)
    if as_json:
        findings = [{"good": good, "what": what} for good, what in verdict.findings]
        print(json.dumps({"good": verdict.good, "findings": findings}))
    else:
        for good, what in verdict.findings:
            print(f"{'good' if good else 'BAD '}  {what}")
    return 0 if verdict.good else 1
