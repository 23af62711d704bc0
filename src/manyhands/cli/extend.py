"""`manyhands extend`: more samples for a campaign that has ended."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.analysis.progress import Progress
from manyhands.api import extending, quantities
from manyhands.cli.live import shown
from manyhands.cli.run import Confidence, Ends, Json, Pilots, Precise, Where, shown_status
from manyhands.cli.usage import UsageError
from manyhands.runtime.answer import gather
from manyhands.runtime.folder import Folder


def extend(
    folder: Annotated[Path, typer.Argument(help="The campaign's folder.")],
    samples: Annotated[
        str | None, typer.Option(help="So many in all, as 2e8; or so many more, as +1e8.")
    ] = None,
    precision: Precise = None,
    confidence: Confidence = None,
    where: Where = None,
    pilots: Pilots = None,
    as_json: Json = False,
) -> int:
    """Go on with a campaign that has ended, to more samples or a better precision."""
    if samples is not None and samples.startswith("+"):
        there = Folder(folder)
        have = gather(extending.state_of(there), there.store).samples
        samples = str(have + quantities.count("--samples", samples[1:]))
    rule = Ends(samples, precision or [], confidence, None, None, where).rule()
    if rule is None or (samples is not None and precision):
        raise UsageError("extend to what? say --samples +1e8 or --precision NAME=0.1%")
    progress = Progress()
    with shown(progress, str(folder)):
        result = extending.extend(folder, rule, pilots, [progress])
    return shown_status(result, as_json)
