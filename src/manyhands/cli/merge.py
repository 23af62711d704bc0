"""`manyhands merge`: several campaigns of one application as one result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.api.joining import join
from manyhands.cli.options import Json
from manyhands.cli.run import shown_status

EXAMPLE = "manyhands merge monday tuesday --out both"


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Their folders, two or more.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the merged result.")],
    as_json: Json = False,
) -> int:
    """Merge campaigns that have the application and its inputs in common, and no sample."""
    return shown_status(join(folders, out), as_json)
