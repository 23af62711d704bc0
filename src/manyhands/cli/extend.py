"""`manyhands extend`: more samples for a campaign that has ended."""

from __future__ import annotations

from typing import Annotated

import typer

from manyhands.analysis.progress import Progress
from manyhands.api import extending, quantities
from manyhands.cli.live import shown
from manyhands.cli.options import END, CampaignFolder, Confidence, Json, Pilots, Precise, Where
from manyhands.cli.run import Ends, shown_status
from manyhands.cli.usage import UsageError

EXAMPLE = "manyhands extend slab --samples +1e8"


def extend(
    folder: CampaignFolder,
    samples: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="So many in all, as 2e8; or so many more, as +1e8.",
            rich_help_panel=END,
        ),
    ] = None,
    precision: Precise = None,
    confidence: Confidence = None,
    where: Where = None,
    pilots: Pilots = None,
    as_json: Json = False,
) -> int:
    """Go on with a campaign that has ended, to more samples or a better precision."""
    if samples is not None and samples.startswith("+"):
        samples = str(extending.samples_in(folder) + quantities.count("--samples", samples[1:]))
    rule = Ends(samples, precision or [], confidence, None, None, where).rule()
    if rule is None or (samples is not None and precision):
        raise UsageError("extend to what? say --samples +1e8 or --precision NAME=0.1%")
    progress = Progress()
    with shown(progress, str(folder)):
        result = extending.extend(folder, rule, pilots, [progress])
    return shown_status(result, as_json)
