"""Local runs against processes that were started by hand, and what starting and ending costs.

Both sides are commands: the time counts from the start of the process to its end, interpreter and
imports included. They take turns, so whatever else the machine does hits both; medians are given,
with the range. The rate of the hand-written processes once they are at work is what is ideal.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from experiments.tables import Table, at_least, share, verdict
from manyhands.runtime.database_journal import read
from manyhands.runtime.layout import JOURNAL

HERE = Path(__file__).parent
PROCESSES = 2
BATCH = {"pi": 1 << 20, "walk": 1 << 10}
MANYHANDS = [str(Path(sys.executable).with_name("manyhands"))]
CALIBRATION = {"pi": 200_000_000, "walk": 300_000}
QUIET_LOAD = 0.5  # with more at work besides, a comparison of times shows who else is there
SPEED_BAR, FIRST_S_MAX, IMPORT_S_MAX, OVERHEAD_MAX = 0.98, 1.0, 0.3, 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    runs: Sequence[tuple[float, int]]  # seconds, repetitions
    tasks: Sequence[tuple[float, int]]  # likewise
    starts: int


FULL = Plan(
    ((10.0, 3),),
    ((0.1, 3), (0.3, 3), (1.0, 3), (3.0, 2), (10.0, 1), (60.0, 1)),
    10,
)
SHORT = Plan(((10.0, 1),), ((0.1, 1), (1.0, 1), (3.0, 1)), 3)


@dataclass(slots=True)
class Timed:
    """A command that was run: when it answered and ended, and what all its processes used."""

    answer_s: float
    exit_s: float
    cpu_s: float
    begun_s: float  # of the clock
    said: list[str] = field(default_factory=list)


def timed(command: Sequence[str]) -> Timed:
    """Run a command to its end."""
    # Modules are compiled once, as for anybody: this variable of some machines forbids to keep it.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begun_s, begun = time.time(), time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        answer_s = time.perf_counter() - begun
        said += process.stdout.readlines()
        _, status, usage = os.wait4(process.pid, 0)
        exit_s = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command} ended with {process.returncode}: {said}"
    return Timed(answer_s, exit_s, usage.ru_utime + usage.ru_stime, begun_s, said)


def by_hand(name: str, samples: int) -> Timed:
    """The hand-written processes."""
    script = str(HERE / "by_hand.py")
    return timed([sys.executable, script, name, str(samples), str(BATCH[name]), str(PROCESSES)])


def ours(name: str, samples: int, folder: str, *more: str) -> Timed:
    """The same with manyhands."""
    application = [f"{HERE / 'functions.py'}:advance", "--set", f"name={name}"]
    return _ours(application, samples, folder, *more)


def _ours(application: Sequence[str], samples: int, folder: str, *more: str) -> Timed:
    count = ["--samples", str(samples), "--pilots", str(PROCESSES), "--seed", "1"]
    return timed([*MANYHANDS, "run", *application, *count, "--out", folder, *more])


def rate_of(name: str) -> float:
    """Samples per second of the hand-written processes while they are at work."""
    samples = CALIBRATION[name]
    seconds = [float(by_hand(name, samples).said[0].split()[-2]) for _ in range(3)]
    return samples / min(seconds)


# ---- speed ---------------------------------------------------------------------------------


def speeds(plan: Plan, rates: dict[str, float], load: float) -> Table:
    """Free and exact mode against the hand-written processes, in turns."""
    rows = []
    for name, rate in rates.items():
        for seconds, repetitions in plan.runs:
            samples = round(rate * seconds)
            rows += _compared(name, samples, seconds, repetitions, load)
    head = ["function", "mode", "work", "samples/s ÷ by hand, median", "range", "command to exit"]
    head += ["by hand", "processor time ÷ by hand", "bar"]
    caption = "Two pilots ÷ two hand-written processes, command to command"
    return Table(f"{caption} (load before: {load:.1f})", head, rows)


def _compared(
    name: str, samples: int, seconds: float, repetitions: int, load: float
) -> list[list[str]]:
    theirs, free, exact, theirs_within, within = [], [], [], [], []
    for _ in range(repetitions):
        theirs.append(by_hand(name, samples))
        theirs_within.append(replace(theirs[-1], exit_s=float(theirs[-1].said[0].split()[-6])))
        with tempfile.TemporaryDirectory() as folder:
            free.append(ours(name, samples, f"{folder}/free"))
            exact.append(ours(name, samples, f"{folder}/exact", "--exact"))
            within.append(_within(name, samples, f"{folder}/within"))
    promised, work = seconds >= 10 and load <= QUIET_LOAD, f"{seconds:g} s"
    return [
        [name, "free", work, *_ratios(theirs, free, promised)],
        [name, "exact", work, *_ratios(theirs, exact, False)],
        [name, "free, within Python", work, *_ratios(theirs_within, within, False)],
    ]


def _within(name: str, samples: int, folder: str) -> Timed:
    """The same, timed from calling `mh.run` to its return."""
    script = [sys.executable, str(HERE / "within.py")]
    found = timed([*script, name, str(samples), str(PROCESSES), folder])
    return replace(found, exit_s=float(found.said[0]))


def _ratios(theirs: list[Timed], runs: list[Timed], promised: bool) -> list[str]:
    pairs = list(zip(theirs, runs, strict=True))
    found = sorted(a.exit_s / b.exit_s for a, b in pairs)
    return [
        f"{median(found):.3f}",
        f"{found[0]:.3f} … {found[-1]:.3f}",
        f"{median(one.exit_s for one in runs):.2f} s",
        f"{median(one.exit_s for one in theirs):.2f} s",
        f"{median(b.cpu_s / a.cpu_s for a, b in pairs):.3f}",
        at_least(median(found), SPEED_BAR) if promised else "-",
    ]


# ---- start, end and supervision ------------------------------------------------------------


def starts(plan: Plan, rate: float) -> Table:
    """From the command to the first sample, to the import, and from the end to the exit."""
    firsts, imports, helps, closes, answers = [], [], [], [], []
    for _ in range(plan.starts):
        with tempfile.TemporaryDirectory() as folder:
            noted = Path(folder, "noted")
            application = [f"{HERE / 'functions.py'}:noting", "--set", f"path={noted}"]
            run = _ours(application, round(rate), f"{folder}/run")
            firsts.append(min(map(float, noted.read_text().split())) - run.begun_s)
            *_, (last_s, _) = read(Path(folder, "run", JOURNAL))
            closes.append(run.begun_s + run.exit_s - last_s)
            answers.append(run.begun_s + run.answer_s - last_s)
        imports.append(timed([sys.executable, "-c", "import manyhands"]).exit_s)
        helps.append(timed([*MANYHANDS, "--help"]).exit_s)
    rows = [
        _row("command to first sample", firsts, FIRST_S_MAX),
        _row("`import manyhands`, with the interpreter", imports, IMPORT_S_MAX),
        _row("`manyhands --help`", helps, None),
        _row("last fact of the journal to the printed answer", answers, None),
        _row("last fact of the journal to the exit", closes, None),
    ]
    head = ["what", "median", "range", "bar"]
    return Table(f"Start and end, {plan.starts} runs", head, rows)


def _row(what: str, seconds: list[float], most_s: float | None) -> list[str]:
    bar = "-" if most_s is None else f"≤ {most_s:g} s: {verdict(median(seconds) <= most_s)}"
    spread = f"{min(seconds):.3f} … {max(seconds):.3f} s"
    return [what, f"{median(seconds):.3f} s", spread, bar]


def supervision(rate: float) -> Table:
    """What master and pilots use while the children compute, in the middle of a run."""
    with tempfile.TemporaryDirectory() as folder:
        application = [f"{HERE / 'functions.py'}:advance", "--set", "name=pi"]
        count = ["--samples", str(round(12 * rate)), "--pilots", str(PROCESSES)]
        command = [*MANYHANDS, "run", *application, *count, "--out", f"{folder}/run"]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
            time.sleep(2.0)
            pilots = children_of(process.pid)
            hands = [one for pilot in pilots for one in children_of(pilot)]
            groups = {"master": [process.pid], "pilots": pilots, "children": hands}
            before = {name: sum(map(cpu_s, pids)) for name, pids in groups.items()}
            begun_s = time.perf_counter()
            time.sleep(6.0)
            lasted_s = time.perf_counter() - begun_s
            after = {name: sum(map(cpu_s, pids)) for name, pids in groups.items()}
    used = {name: (after[name] - before[name]) / lasted_s for name in groups}
    both = used["master"] + used["pilots"]
    rows = [[name, share(part, 1), "-"] for name, part in used.items()]
    rows.append(["master and pilots", share(both, 1), f"≤ 1 %: {verdict(both <= 0.01)}"])
    return Table("Processor time used, of one core", ["process", "share", "bar"], rows)


def children_of(pid: int) -> list[int]:
    """The processes that one has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(one)
        for task in Path(f"/proc/{pid}/task").iterdir()
        if task.name != str(pid)
        for one in (task / "children").read_text().split()
    ]


def cpu_s(pid: int) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---- short tasks ---------------------------------------------------------------------------


def overheads(plan: Plan, rate: float) -> Table:
    """Campaigns whose whole work lasts so long on two processes that do nothing else."""
    rows = []
    for seconds, repetitions in plan.tasks:
        lasted, samples = [], round(rate * seconds)
        for _ in range(repetitions):
            with tempfile.TemporaryDirectory() as folder:
                lasted.append(ours("pi", samples, f"{folder}/run").exit_s)
        more_s = median(lasted) - seconds
        part = more_s / seconds
        row = [f"{seconds:g} s", str(repetitions), f"{median(lasted):.2f} s"]
        row += [f"{1000 * more_s:.0f} ms", share(part, 1)]
        rows.append([*row, "yes" if part <= OVERHEAD_MAX else "no"])
    head = ["work", "runs", "command to exit, median", "more than the work", "overhead", "≤ 10 %"]
    return Table("What a short run costs", head, rows)


# ---- all -----------------------------------------------------------------------------------


def tables(plan: Plan) -> list[Table]:
    """Every table, measured now."""
    load = os.getloadavg()[0]
    rates = {name: rate_of(name) for name in BATCH}
    return [
        speeds(plan, rates, load),
        starts(plan, rates["pi"]),
        supervision(rates["pi"]),
        overheads(plan, rates["pi"]),
    ]


def plain(found: Sequence[Table]) -> dict[str, object]:
    """The tables as JSON knows them."""
    return {
        one.caption: [dict(zip(one.head, row, strict=True)) for row in one.rows] for one in found
    }
