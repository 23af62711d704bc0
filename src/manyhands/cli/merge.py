"""`manyhands merge`: several campaigns of one application as one result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.api.joining import join
from manyhands.cli.run import Json, shown_status


def merge(
    folders: Annotated[list[Path], typer.Argument(help="The campaigns' folders, two or more.")],
    out: Annotated[Path, typer.Option(help="The folder of the merged result.")],
    as_json: Json = False,
) -> int:
    """Merge campaigns that have the application and its inputs in common, and no sample."""
    return shown_status(join(folders, out), as_json)
