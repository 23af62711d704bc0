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
from manyhands.runtime.journal import JournalDamaged, header_of, read


def replay(
    journal: Annotated[Path, typer.Argument(help="A journal file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Replay a journal: count its events and commands, say what the campaigns came to."""
    if not journal.is_file():
        raise UsageError(f"{journal} is not a file; the journal of a campaign is wanted")
    controller = Controller()
    events: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    try:
        header_of(journal)
        for now_s, event in read(journal):
            events[type(event).__name__] += 1
            found = controller.handle(now_s, event)
            commands.update(type(one).__name__ for one in found)
    except (JournalDamaged, SchemaRefused, Malformed) as fault:
        raise UsageError(f"{journal}: {fault}") from fault
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
