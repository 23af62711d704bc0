"""`manyhands rerun`: one block of a campaign in exact mode, again, in one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from manyhands.api.result import in_digits
from manyhands.cli.run import Json
from manyhands.cli.usage import UsageError
from manyhands.runtime.child.rerun import RerunFailed
from manyhands.runtime.child.rerun import rerun as computed_again
from manyhands.runtime.folder import Folder


def rerun(
    folder: Annotated[Path, typer.Argument(help="The campaign's folder.")],
    block: Annotated[int, typer.Option(help="Which block.")],
    as_json: Json = False,
) -> int:
    """Compute a block again as its hand did, and show what it gives: to find what fails there."""
    brief = Folder(folder).brief()
    if not brief.exact:
        raise UsageError(f"{folder} is in free mode, which has no blocks")
    if block < 0:
        raise UsageError(f"--block is {block}, but must be 0 or more")
    try:
        tallies = computed_again(folder, [(block, block + 1)])
    except RerunFailed as failure:
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
