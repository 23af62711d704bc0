"""The command line: one file per command family.

A user's mistake ends in one line that says what, where and what to do, and in exit status 2, with
nothing on standard output. What fails otherwise ends in one line and status 1; with `--json` the
one object says it too.
"""

from __future__ import annotations

import gc
import json
import sys
import warnings
from importlib import import_module
from typing import Annotated

import typer

from manyhands import __version__
from manyhands.cli.usage import UsageError
from manyhands.model.checks import Broken, Mistake

# Each is a function of its name, in a module of its name; only the one that is called is imported.
COMMANDS = ("run", "extend", "merge", "verify", "report", "rerun", "swarm", "replay")
EXACT = "--exact"
EXACT_PORTABLE = "--exact-portable"  # how the parser, which knows no optional values, sees it


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
        epilog="Begin with: manyhands run pi --precision pi=0.02%",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    called = [name for name in arguments[:1] if name in COMMANDS]
    for name in called or COMMANDS:
        module = import_module(f"manyhands.cli.{name}")
        example = getattr(module, "EXAMPLE", None)
        app.command(name, epilog=example and f"Example: {example}")(getattr(module, name))
    app.callback()(_all)
    return app


def understood(words: list[str]) -> list[str]:
    """The command line as the parser takes it: `--exact=portable` is a flag of its own."""
    found: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            return found + words[number:]
        option, equals, value = word.partition("=")
        if option == EXACT and equals:
            if value != "portable":
                raise UsageError(f"{word} is neither {EXACT} nor {EXACT}=portable")
            word = EXACT_PORTABLE
        found.append(word)
    return found


def _in_one_line(message: Warning | str, *_: object, **__: object) -> str:
    """A warning as users read it: which line of ours found it is of no use to them."""
    return f"manyhands: {message}\n"


def main(words: list[str] | None = None) -> None:
    """What the `manyhands` command calls."""
    words = sys.argv[1:] if words is None else words
    warnings.formatwarning = _in_one_line
    try:
        status = app_for(words)(understood(words), standalone_mode=False)
    except typer.TyperException as mistake:
        if str(mistake):  # without arguments the help was shown, which is all there is to say
            print(f"manyhands: {mistake.format_message()}", file=sys.stderr)
        status = 2
    except Mistake as mistake:
        print(f"manyhands: {mistake}", file=sys.stderr)
        status = 2
    except Broken as failure:
        print(f"manyhands: {failure}", file=sys.stderr)
        if "--json" in words:
            print(json.dumps({"ended": "failed", "reason": str(failure)}))
        status = 1
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    gc.freeze()  # what is left need not be searched for rubbish: that takes 30 ms
    sys.exit(status if isinstance(status, int) else 0)
