"""What a child process must know of a campaign before it can compute for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from manyhands.applications.description import Description


@dataclass(frozen=True, slots=True)
class Brief:
    """An application, and how a campaign numbers and sums its samples."""

    description: Description
    campaign: int
    seed: int
    exact: bool
    block_samples: int
    samples_wanted: int | None
    watch: tuple[str, float] | None  # the tally of a precision rule, and its unit
    # Blocks that are shorter than others in the middle: the last ones of campaigns since extended.
    short_blocks: dict[str, int] = field(default_factory=dict)
    batch_s: float = 1.0
    silence_s: float = 900.0  # how long a child may compute without a word
    memory_bytes: int | None = None  # what one child may take
    disk_bytes: int | None = None  # what it may leave in its folder
    keep_partials: bool = False  # what was accepted and is not needed any more, for `verify`
    environment: dict[str, str] = field(default_factory=dict)  # what it finds set, besides

    def to_json(self) -> str:
        """As it lies in the campaign's folder."""
        plain = asdict(self) | {"description": self.description.to_json()}
        return json.dumps(plain, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Brief:
        """The brief that was written."""
        plain: dict[str, Any] = json.loads(text)
        watch = plain.pop("watch")
        description = Description.from_json(plain.pop("description"))
        return cls(description, watch=None if watch is None else (watch[0], watch[1]), **plain)
