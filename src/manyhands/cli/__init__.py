"""The command line: one file per command family.

A user's mistake ends in one line that says what, where and what to do, and in exit status 2.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer

from manyhands import __version__
from manyhands.model.checks import Mistake

# Each is a function of its name, in a module of its name; only the one that is called is imported.
COMMANDS = ("run", "extend", "merge", "verify", "rerun", "swarm", "replay")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"manyhands {__version__}")
        raise typer.Exit


def _all(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Monte-Carlo computations on whatever machines can be had, each sample counted once."""


def app_for(arguments: list[str]) -> typer.Typer:
    """The command that is called, or all of them if none is."""
    app = typer.Typer(
        name="manyhands",
        help="Monte-Carlo computations on whatever machines can be had, each sample counted once.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    called = [name for name in arguments[:1] if name in COMMANDS]
    for name in called or COMMANDS:
        app.command(name)(getattr(import_module(f"manyhands.cli.{name}"), name))
    app.callback()(_all)
    return app


def main() -> None:
    """What the `manyhands` command calls."""
    try:
        status = app_for(sys.argv[1:])(standalone_mode=False)
    except (Mistake, typer.TyperException) as mistake:
        if str(mistake):  # without arguments the help was shown, which is all there is to say
            print(f"manyhands: {mistake}", file=sys.stderr)
        status = 2
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    sys.exit(status if isinstance(status, int) else 0)
