"""The options of the commands that run campaigns: what each is called, takes and means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

END, HOW, LIMITS, FILES = (
    "When to stop (whichever comes first)",
    "How it is computed",
    "What the application may take",
    "Where it goes",
)


def _option(panel: str, takes: str | None, says: str, *names: str) -> Any:
    return typer.Option(*names, help=says, metavar=takes, rich_help_panel=panel)


App = Annotated[
    str | None,
    typer.Argument(
        metavar="APP",
        help="A built-in (pi, slab, photons), file.py:function, or package.module:function.",
        show_default=False,
    ),
]
CampaignFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The campaign's folder.")]
Samples = Annotated[str | None, _option(END, "N", "Stop at so many, as 1e8.")]
Precise = Annotated[
    list[str] | None, _option(END, "TALLY=PART", "Stop when it is known so well, as dose=0.5%.")
]
Confidence = Annotated[
    float | None, _option(END, "PART", "Of --precision, as 0.95; one standard error by default.")
]
Where = Annotated[
    str | None,
    _option(
        END,
        "CELLS",
        "Which cells of an array --precision is about: above(0.5), the default, cell(3,4), all,"
        " fraction(0.9) or mask(FILE.npy).",
    ),
]
Deadline = Annotated[str | None, _option(END, "TIME", "Have the answer by then, as 10m or 2h.")]
Budget = Annotated[float | None, _option(END, "HOURS", "Stop after so many core hours.")]
Options = Annotated[
    list[str] | None,
    _option(HOW, "NAME=VALUE", "An option of the application, as thickness=3.", "--set"),
]
Pilots = Annotated[int | None, _option(HOW, "K", "How many processes; one per core by default.")]
Exact = Annotated[
    bool,
    _option(
        HOW,
        None,
        "The same bits on any number of pilots; --exact=portable: on any x86-64 processor, slower.",
        "--exact",
    ),
]
Portable = Annotated[bool, typer.Option("--exact-portable", hidden=True)]
Seed = Annotated[int | None, _option(HOW, "S", "Of all streams; drawn by default.")]
BlockSamples = Annotated[int | None, _option(HOW, "N", "The size of a block, in exact mode.")]
SkipPoisoned = Annotated[
    int, _option(HOW, "K", "How many blocks may fail everywhere and be left out.")
]
Silence = Annotated[str, _option(LIMITS, "TIME", "How long it may compute without a word.")]
Memory = Annotated[str | None, _option(LIMITS, "SIZE", "What one process may take, as 2G.")]
Disk = Annotated[str | None, _option(LIMITS, "SIZE", "What it may leave in its working folder.")]
KeepPartials = Annotated[
    bool, _option(FILES, None, "Keep what later results replaced, for verify.", "--keep-partials")
]
Out = Annotated[Path | None, _option(FILES, "DIR", "The campaign's folder; a new one by default.")]
Resume = Annotated[Path | None, _option(FILES, "DIR", "Go on with the campaign in this folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
