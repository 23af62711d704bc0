"""What a pilot's process knows when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional


@dataclass(frozen=True)
class Birth:
    """One incarnation, as it is put on a command line."""

    pilot: int
    incarnation: int
    slots: int
    link: int  # the descriptor of its socket to the master
    child: List[str]  # the command that starts a child; {read} and {write} are its descriptors
    folder: str  # its own: logs, and the folders of its children
    silence_s: float = 900.0  # how long a child may compute without a word
    disk_bytes: Optional[int] = None  # what a child may leave in its folder
