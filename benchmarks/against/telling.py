"""The table, the figure, and the page that they stand on."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median

from benchmarks.against.measuring import CASES, CHUNKS, Measured
from experiments.tables import Table, put_on_page

PAGE = Path("docs/explanation/against.md")
MARK = "against"
COLOURS = {
    "hand": "#7f7f7f",
    "executor": "#bcbd22",
    "joblib": "#17becf",
    "dask": "#ff7f0e",
    "ray": "#1f77b4",
}
NAMES = {
    "manyhands": "manyhands",
    "hand": "multiprocessing",
    "executor": "executor",
    "joblib": "joblib",
    "dask": "Dask",
    "ray": "Ray",
}


def tables(found: Sequence[Measured]) -> str:
    """One table per case, and one of the lines that a user writes."""
    cases = [name for name in CASES if any(one.case == name for one in found)]
    parts = [_table([one for one in found if one.case == name], name) for name in cases]
    engines = list(dict.fromkeys(one.engine for one in found))
    lines = [(NAMES[one], lines_of(one)) for one in engines if lines_of(one)]
    parts.append(
        Table("Lines that a user writes", ("engine", "lines"), lines).markdown(),
    )
    return "\n".join(parts)


def _table(found: Sequence[Measured], case: str) -> str:
    ours = _middle(one for one in found if one.engine == "manyhands")
    rows = []
    for engine in dict.fromkeys(one.engine for one in found):
        of_it = [one for one in found if one.engine == engine]
        cells = [_cell([one for one in of_it if one.chunks == chunks]) for chunks in (0, *CHUNKS)]
        ratios = [_middle(one for one in of_it if one.chunks == chunks) for chunks in CHUNKS]
        known = [one for one in ratios if one is not None]
        against = "-"
        if ours is not None and known:
            equal = "-" if ratios[0] is None else f"{ratios[0] / ours:.2f}"
            against = f"{equal} / {min(known) / ours:.3f}"
        rows.append([NAMES[engine], *cells, against, _losses(of_it)])
    head = ["engine", "no chunks", *(f"{one} per worker" for one in CHUNKS)]
    head += ["equal split ÷ ours / best ÷ ours", "samples lost or twice"]
    repeats = 1 + max(one.repeat for one in found)
    caption = f"{CASES[case].said.capitalize()}: makespan ÷ ideal, median of {repeats}"
    return Table(caption, head, rows).markdown()


def _cell(found: Sequence[Measured]) -> str:
    if not found:
        return ""
    middle = _middle(found)
    failed = [one for one in found if one.seconds is None]
    if not failed:
        return f"{middle:.3f}"
    said = f"{failed[0].said.partition(':')[0]} ({len(failed)} of {len(found)})"
    return said if middle is None else f"{middle:.3f}; {said}"


def _middle(found: Iterable[Measured]) -> float | None:
    ratios = [one.ratio for one in found if one.ratio is not None]
    return median(ratios) if ratios else None


def _losses(found: Sequence[Measured]) -> str:
    lost = sum(one.lost > 0 for one in found)
    twice = sum(one.twice > 0 for one in found)
    if not lost and not twice:
        return "none"
    return f"in {lost} and {twice} of {len(found)} runs"


def lines_of(engine: str) -> str:
    """How many lines of its file a user of the engine would write: all but comments."""
    module = import_module(f"benchmarks.against.by_{engine}")
    own = [one for name, one in vars(module).items() if inspect.isfunction(one)]
    sources = [
        inspect.getsource(one)
        for one in own
        if one.__module__ == module.__name__ and one.__name__ != "ready"
    ]
    lines = [line for source in sources for line in source.splitlines()]
    return str(sum(bool(line.strip()) and '"""' not in line for line in lines))


def on_page(text: str) -> None:
    """Write the tables between their marks, and the figure below them."""
    text += "\n![Makespan against the number of chunks](against.png)"
    PAGE.write_text(put_on_page(PAGE.read_text(encoding="utf-8"), MARK, text), encoding="utf-8")


def figure(found: Sequence[Measured], path: Path) -> None:
    """Makespan against the number of chunks, a panel per case."""
    from matplotlib.figure import Figure

    cases = [name for name in CASES if any(one.case == name for one in found)]
    drawn = Figure(figsize=(4.2 * len(cases), 3.8), layout="constrained")
    for axes, case in zip(drawn.subplots(1, len(cases), squeeze=False)[0], cases, strict=True):
        of_it = [one for one in found if one.case == case]
        for engine, colour in COLOURS.items():
            points = [
                (chunks, middle)
                for chunks in CHUNKS
                if (middle := _middle(_of(of_it, engine, chunks))) is not None
            ]
            if points:
                axes.plot(*zip(*points, strict=True), "o-", color=colour, label=NAMES[engine])
        ours = _middle(_of(of_it, "manyhands", 0))
        if ours is not None:
            axes.axhline(ours, color="#d62728", linewidth=2, label="manyhands (no chunks)")
        axes.axhline(1.0, color="black", linewidth=0.6, linestyle=":")
        axes.set(title=CASES[case].said, xlabel="chunks per worker", ylabel="makespan ÷ ideal")
        axes.title.set_fontsize(10)
        axes.set_xscale("log", base=4)
        axes.set_xticks(CHUNKS, [str(one) for one in CHUNKS])
        axes.set_yscale("log")
        ticks = [1, 1.2, 1.5, 2, 3, 5, 8]
        low, high = axes.get_ylim()
        axes.set_yticks([one for one in ticks if one <= 1.05 * high])
        axes.set_yticklabels([f"{one:g}" for one in ticks if one <= 1.05 * high])
        axes.minorticks_off()
        axes.set_ylim(min(low, 0.97), high)
        axes.legend(fontsize=8, frameon=False)
    drawn.savefig(path, dpi=130)


def _of(found: Sequence[Measured], engine: str, chunks: int) -> list[Measured]:
    return [one for one in found if one.engine == engine and one.chunks == chunks]
