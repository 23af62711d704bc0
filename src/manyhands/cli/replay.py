"""`manyhands replay`: what a journal leads to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from manyhands.cli.usage import UsageError
from manyhands.control.controller import Controller
from manyhands.control.snapshot import digest
from manyhands.model.malformed import Malformed
from manyhands.model.records import SchemaRefused
from manyhands.runtime import database_journal
from manyhands.runtime import journal as file_journal
from manyhands.runtime.folder import limits_of
from manyhands.runtime.journal import JournalDamaged
from manyhands.runtime.layout import JOURNAL

EXAMPLE = "manyhands replay slab"


def replay(
    journal: Annotated[Path, typer.Argument(metavar="DIR", help="Its folder, or a journal file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Replay a journal: count its events and commands, say what the campaigns came to."""
    file = journal / JOURNAL if journal.is_dir() else journal
    if not file.is_file():
        raise UsageError(f"{file} is not a file; the journal of a campaign is wanted")
    events: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    try:
        kept = database_journal if database_journal.is_database(file) else file_journal
        controller = Controller(limits_of(kept.header_of(file).about))
        for now_s, event in kept.read(file):
            events[type(event).__name__] += 1
            found = controller.handle(now_s, event)
            commands.update(type(one).__name__ for one in found)
    except (JournalDamaged, SchemaRefused, Malformed) as fault:
        raise UsageError(f"{file}: {fault}") from fault
    summary = {
        "events": dict(events),
        "commands": dict(commands),
        "campaigns": {
            record.campaign.name: {"stage": record.stage.value, "reason": record.reason}
            for record in controller.state.campaigns.values()
        },
        "digest": digest(controller),
    }
    if as_json:
        print(json.dumps(summary))
    else:
        for name, value in summary.items():
            print(f"{name}: {value}")
    return 0
