"""`manyhands rerun`: one block of a campaign in exact mode, again, in one process."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from manyhands.analysis.digits import in_digits
from manyhands.cli.options import CampaignFolder, Json
from manyhands.cli.usage import UsageError
from manyhands.model.checks import COUNT_MAX as BLOCK_MAX
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.rerun import RerunFailed
from manyhands.runtime.child.rerun import rerun as computed_again
from manyhands.runtime.folder import Folder

EXAMPLE = "manyhands rerun slab --block 7"


def _require_block(brief: Brief, block: int) -> None:
    wanted = brief.samples_wanted
    blocks = BLOCK_MAX if wanted is None else -(-wanted // brief.block_samples)
    if not 0 <= block < blocks:
        raise UsageError(f"--block {block} does not exist: there are blocks 0 to {blocks - 1}")


def rerun(
    folder: CampaignFolder,
    block: Annotated[int, typer.Option(metavar="I", help="Which block.")],
    as_json: Json = False,
) -> int:
    """Compute a block again as its hand did, and show what it gives: to find what fails there."""
    brief = Folder(folder).brief()
    if not brief.exact:
        raise UsageError(f"{folder} is in free mode, which has no blocks")
    _require_block(brief, block)
    try:
        tallies = computed_again(folder, [(block, block + 1)])
    except RerunFailed as failure:
        if as_json:
            print(json.dumps({"block": block, "seed": brief.seed, "error": str(failure)}))
        else:
            print(f"block {block} (seed {brief.seed}, stream {block}) fails:\n{failure}")
        return 1
    results = tallies.results()
    if as_json:
        print(json.dumps({"block": block, "samples": tallies.samples, "digest": tallies.digest()}))
        return 0
    print(f"block {block} (seed {brief.seed}, stream {block}): {tallies.samples:,} samples")
    for name, tally in results.items():
        print(f"  {name} = {in_digits(tally)}")
    return 0
