"""What is said of data that cannot be understood: where, what was found, what was expected."""

from __future__ import annotations

from difflib import get_close_matches
from typing import List

SHOWN_MAX = 80  # how many characters of a wrong value are repeated
SENTENCE_MAX = 400


class Malformed(ValueError):
    """Data that is not what was expected, in one line; no `expected` if `found` says it all."""

    def __init__(self, found: str, expected: str = "") -> None:
        super().__init__(found, expected)
        self.found = found
        self.expected = expected
        self.path = ""

    def __str__(self) -> str:
        said = f"{self.path.lstrip('.') or 'the value'} is {self.found}"
        return f"{said}, but must be {self.expected}" if self.expected else said

    def within(self, place: str) -> Malformed:
        """The same, seen from one level further out."""
        self.path = place + self.path
        return self


def shown(value: object) -> str:
    """A value in few words, however large it is."""
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, (str, int, float)) or value is None:
        text = repr(value[: SHOWN_MAX + 1] if isinstance(value, str) else value)
        return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + " …"
    return f"a {type(value).__name__}"


def sentence(error: BaseException) -> str:
    """What an error says, in one line of sensible length."""
    text = " ".join(str(error).split())
    return text if len(text) <= SENTENCE_MAX else text[:SENTENCE_MAX] + " …"


def nearest(word: str, choices: List[str]) -> str:
    """The end of a sentence that suggests the choice most like a word; empty if none is."""
    found = get_close_matches(word, choices, n=1)
    return f"; did you mean '{found[0]}'?" if found else ""
