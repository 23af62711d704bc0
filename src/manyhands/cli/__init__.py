"""The command line: one file per command family.

A user's mistake ends in one line that says what, where and what to do, and in exit status 2.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from manyhands import __version__
from manyhands.cli import replay, swarm
from manyhands.cli.usage import UsageError

app = typer.Typer(
    name="manyhands",
    help="Monte-Carlo computations on whatever machines can be had, each sample counted once.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("swarm")(swarm.swarm)
app.command("replay")(replay.replay)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"manyhands {__version__}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Monte-Carlo computations on whatever machines can be had, each sample counted once."""


def main() -> None:
    """What the `manyhands` command calls."""
    try:
        status = app(standalone_mode=False)
    except (UsageError, typer.TyperException) as mistake:
        print(f"manyhands: {mistake}", file=sys.stderr)
        status = 2
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
