"""The Methods of a paper: what was computed and how, as data and as text that is ready to paste.

What is asked for follows RECORDS, the checklist of AAPM Task Group 268 (Sechopoulos et al. 2018,
Med. Phys. 45, e1-e5); what a program cannot know stays for the author.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from manyhands import __version__
from manyhands.analysis.accounting import Account, Books
from manyhands.analysis.digits import lasting
from manyhands.analysis.story import Story
from manyhands.model.stopping import AllOf, AnyOf, Budget, Deadline, Precision, Samples, StopRule
from manyhands.statistics.forms import BINNED, Kind
from manyhands.statistics.results import TallyResult

SCHEMA = 1
RECORDS = "Sechopoulos et al. 2018, Med. Phys. 45, e1-e5 (AAPM Task Group 268)"
FOR_THE_AUTHOR = (
    "title and abstract: that Monte Carlo simulation was used, and what for",
    "code: full name, reference and release date of the physics code within the application",
    "validation: of the code and of this application, or a reference to it",
    "source: particles, energies, positions, directions, and where these come from",
    "geometry and materials: dimensions, compositions, densities, voxel sizes",
    "physics: interactions that are modelled, and the origin of the cross-sections",
    "transport parameters: energy cut-offs, step lengths, condensed-history settings",
    "variance reduction and approximations that save time, with their parameters",
    "scored quantities: definitions, units, normalisation, volumes they are averaged over",
    "uncertainties other than statistical: of cross-sections, geometry, source, model",
    "post-processing: smoothing, denoising, conversions after the simulation",
    "results: comparison with measurements or with independent calculations",
)
GENERATOR = "Philox (numpy), seeded with SeedSequence(seed, spawn_key=(stream,))"
INTEGER_SEEDS = (
    "programs that want an integer get it from a keyed permutation (BLAKE2b, Feistel network) of "
    "the stream's number, so that no two streams share a seed"
)
FROM_SAMPLES = "standard error of the mean from the sums over single samples, √(m2 / (n (n - 1)))"
ERRORS = {
    Kind.MEAN: FROM_SAMPLES,
    Kind.MOMENTS: FROM_SAMPLES,
    Kind.BATCH: "standard error of the mean between batches, each weighted by its samples",
    Kind.HISTOGRAM: "binomial standard error of the fraction per bin, √(p (1 - p) / (n - 1))",
    Kind.COUNTS: "binomial standard error of the fraction per bin, √(p (1 - p) / (n - 1))",
    Kind.SUM: "no error is estimated",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as far as a paper has to say it."""

    application: str
    version: str  # the digest of its source
    options: dict[str, Any]
    options_digest: str
    seed: int
    mode: str
    block_samples: int
    numeric_class: str
    rules: tuple[StopRule, ...]  # of the campaign and of those that extended it
    in_words: str
    samples_asked: int | None


@dataclass(frozen=True, slots=True)
class Course:
    """What became of it."""

    ended: str
    reason: str
    digest: str
    tallies: dict[str, TallyResult]
    story: Story
    books: Books
    machine: dict[str, str] = field(default_factory=dict)


def methods(asked: Asked, course: Course) -> dict[str, Any]:
    """All of it as plain data; `text` says the same in sentences."""
    plain = {
        "schema": SCHEMA,
        **_question(asked),
        "samples": _samples(asked, course.books.account),
        "uncertainty": {
            "statement": "one standard error (k=1)",
            "tallies": {name: _error(one) for name, one in course.tallies.items()},
        },
        "stop_rule": {
            "asked": asked.in_words,
            "meaning": [meaning(one) for one in asked.rules],
            "ended": course.ended,
            "reason": course.reason,
        },
        **_means(course),
        "result_digest": course.digest,
        "to_be_filled_in_by_the_author": list(FOR_THE_AUTHOR),
        "checklist": RECORDS,
    }
    return plain | {"text": _text(plain, course)}


def _question(asked: Asked) -> dict[str, Any]:
    """What was computed, from which random numbers."""
    return {
        "application": {
            "name": asked.application,
            "source_digest": asked.version,
            "options": asked.options,
            "options_digest": asked.options_digest,
        },
        "random_numbers": {
            "generator": GENERATOR,
            "integer_seeds": INTEGER_SEEDS,
            "seed": asked.seed,
            "streams": _streams(asked),
        },
        "mode": {
            "name": asked.mode,
            "block_samples": asked.block_samples or None,
            "numeric_class": asked.numeric_class or None,
        },
    }


def _samples(asked: Asked, account: Account) -> dict[str, Any]:
    return {
        "asked": asked.samples_asked,
        "simulated": account.simulated,
        "stored": account.stored,
        "merged": account.merged,
        "poisoned": account.skipped,
        "refused_after_the_close": account.refused,
        "lost": account.lost,
        "not_needed": account.spare,
    }


def _means(course: Course) -> dict[str, Any]:
    """How long it took, on what, with what, and what went wrong."""
    use, machine = course.books.use, course.machine
    return {
        "time": {
            "wall_s": round(use.working_s, 3),
            "cpu_s": round(use.busy_s, 3),
            "reference_s": round(use.reference_s, 3),
            "pilots": len(course.books.pilots),
        },
        "hardware": {name: machine.get(name) for name in ("processor", "cores", "architecture")},
        "software": {
            "manyhands": __version__,
            **{name: machine.get(name) for name in ("system", "python", "numpy")},
        },
        "faults": {
            "incidents": dict(course.story.causes),
            "pilots_that_broke_off": len(course.story.broken_lives),
            "sessions": len(course.story.pauses) + 1,
        },
    }


def meaning(rule: StopRule) -> str:
    """What it means for the answer that it ended by this rule."""
    match rule:
        case Samples():
            return "the number of samples was fixed in advance and does not depend on the results"
        case Precision():
            vov = f"a variance of the variance of at most {rule.vov_max:g} where it is known"
            return (
                f"sequential: the campaign ended at the first look at which {rule.tally} was as "
                f"precise as asked, with at least {rule.samples_min:,} samples, "
                f"{rule.nonzero_min} of them not zero, and {vov}; the number of samples is "
                "therefore itself a result"
            )
        case Deadline():
            return "the end was a point in time, whatever the results"
        case Budget():
            return "the end was an amount of computing time, whatever the results"
        case AnyOf(rules):
            return "whichever came first: " + "; ".join(meaning(one) for one in rules)
        case AllOf(rules):
            return "all of: " + "; ".join(meaning(one) for one in rules)


def _streams(asked: Asked) -> str:
    if asked.mode == "exact":
        return (
            f"block i of {asked.block_samples:,} samples draws from stream i, whoever computes it"
        )
    return "every task draws from a stream of its own, which no other task is ever given"


def _error(tally: TallyResult) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": tally.kind.value, "method": ERRORS[tally.kind], "k": 1}
    if tally.kind is Kind.SUM:
        plain["k"] = None
    if tally.batches is not None:
        plain["batches"] = tally.batches
    if isinstance(tally.vov, float) and isfinite(tally.vov):
        plain["vov"] = tally.vov
    return plain


# ---- the same in sentences ---------------------------------------------------------------------


def _text(plain: dict[str, Any], course: Course) -> str:
    paragraphs = (_what(plain), _how_sure(plain, course), _with_what(plain), _troubles(plain))
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs)


def _what(plain: dict[str, Any]) -> list[str]:
    application, samples, mode = plain["application"], plain["samples"], plain["mode"]
    options = ", ".join(f"{name} = {value}" for name, value in application["options"].items())
    said = [
        f"Monte Carlo simulations were run with the application {application['name']} "
        f"(source digest {application['source_digest']}; "
        + (f"options {options})" if options else "default options)")
        + f" under manyhands {plain['software']['manyhands']}.",
        f"The result holds {samples['merged']:,} samples, each exactly once.",
        f"Random numbers came from {GENERATOR}, with the seed {plain['random_numbers']['seed']}; "
        f"{plain['random_numbers']['streams']}.",
    ]
    if mode["name"] == "exact":
        klass = f" (numeric class {mode['numeric_class']})" if mode["numeric_class"] else ""
        said.append(
            "Blocks were added as whole numbers on a common grid, so that the result is the same "
            f"to the last bit on any number of processes of one numeric class{klass}."
        )
    return said


def _how_sure(plain: dict[str, Any], course: Course) -> list[str]:
    said = ["Uncertainties are one standard error (k=1)."]
    for kind in dict.fromkeys(one.kind for one in course.tallies.values()):
        names = [name for name, one in course.tallies.items() if one.kind is kind]
        batches = {one.batches for one in course.tallies.values() if one.kind is kind} - {None}
        many = f" ({', '.join(f'{one:,}' for one in sorted(b for b in batches if b))} batches)"
        said.append(f"{_listed(names)}: {ERRORS[kind]}{many if batches else ''}.")
    binned = any(one.kind in BINNED for one in course.tallies.values())
    if binned:
        said.append("Histograms are fractions of all samples, those outside of all bins included.")
    stop = plain["stop_rule"]
    said.append(f"The stop rule was: {stop['asked']} ({stop['ended']}: {stop['reason']}).")
    said += [_sentence(one) for one in dict.fromkeys(stop["meaning"])]
    return said


def _with_what(plain: dict[str, Any]) -> list[str]:
    times, hardware, software = plain["time"], plain["hardware"], plain["software"]
    where = hardware["processor"] or "a machine that was not recorded"
    cores = f" ({hardware['cores']} cores)" if hardware["cores"] else ""
    versions = ", ".join(
        f"{name} {software[key]}"
        for key, name in (("python", "Python"), ("numpy", "numpy"))
        if software[key]
    )
    return [
        f"The computation took {lasting(times['wall_s'])} of wall time and "
        f"{lasting(times['cpu_s'])} of computing time on {times['pilots']} process"
        f"{'' if times['pilots'] == 1 else 'es'} of {where}{cores}"
        + (f", with {versions}." if versions else "."),
    ]


def _troubles(plain: dict[str, Any]) -> list[str]:
    samples, faults = plain["samples"], plain["faults"]
    said = []
    if samples["lost"]:
        said.append(
            f"{samples['lost']:,} samples were lost with tasks that failed or "
            "broke off; none of them is in the result."
        )
    if samples["poisoned"]:
        said.append(
            f"{samples['poisoned']:,} samples belong to blocks on which the application failed "
            "everywhere; they are not in the result."
        )
    if faults["pilots_that_broke_off"]:
        said.append(f"Processes that broke off: {faults['pilots_that_broke_off']:,}.")
    if faults["sessions"] > 1:
        said.append(f"The campaign was run in {faults['sessions']} sessions.")
    return said or ["Nothing was lost."]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
