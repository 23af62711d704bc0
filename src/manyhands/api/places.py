"""Where a precision is asked for, as users type it and as they read it."""

from __future__ import annotations

from manyhands.model.where import (
    TOP,
    Above,
    AllCells,
    BadWhere,
    Cell,
    Fraction,
    Mask,
    Where,
)

PLACES = "above(0.5), cell(3, 4), all, fraction(0.9) or mask(FILE.npy)"


def place_in_words(place: Where) -> str:
    """Where a precision is asked for, as a user would say it."""
    match place:
        case Cell(index):
            return f"in cell {index}"
        case AllCells():
            return "in all cells"
        case Above(level, of):
            highest = "ten highest cells" if of == TOP else "highest cell"
            return f"above {level:g} of the {highest}"
        case Fraction(part):
            return f"in {100 * part:.3g} % of the cells"
        case Mask(_, runs):
            return f"in {sum(end - start for start, end in runs):,} chosen cells"


def place_of(text: str) -> Where:
    """What `above(0.7)`, `cell(3, 4)`, `all`, `fraction(0.9)` or `mask(file.npy)` says."""
    import numpy as np  # a start need not wait for it

    from manyhands.statistics import where

    name, _, rest = text.strip().partition("(")
    words = [one.strip() for one in rest.removesuffix(")").split(",") if one.strip()]
    try:
        if rest.endswith(")") != bool(rest) or bool(rest) == (name == "all"):
            raise ValueError(text)
        if name == "mask":
            return where.mask(np.load(words[0]))
        if name == "cell":
            return where.cell(*map(int, words))
        if name == "above":
            return where.above(float(words[0]), *words[1:])
        if name == "fraction":
            return where.fraction(*map(float, words))
        if name == "all":
            return where.all_cells()
    except BadWhere:
        raise
    except (ValueError, TypeError, IndexError, OSError, EOFError) as problem:
        raise BadWhere(f"--where {text!r} says nothing ({problem}): {PLACES}") from None
    raise BadWhere(f"--where {text!r} says nothing: {PLACES}")
