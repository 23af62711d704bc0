"""All that another process needs to have an application: plain data, nothing pickled."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

from manyhands.model.checks import require, require_count, require_text
from manyhands.model.codec import from_plain, to_plain

SOURCE_CHARACTERS_MAX = 1_000_000
OPTIONS_CHARACTERS_MAX = 1_000_000
FOLDERS_MAX = 16
PATH_CHARACTERS_MAX = 4096


class Kind(Enum):
    """How an application is found again."""

    BUILTIN = "builtin"  # it comes with manyhands
    MODULE = "module"  # imported by name; only its name and its digest travel
    FILE = "file"  # the source of its file travels
    SOURCE = "source"  # of a notebook: the function's source, and what it uses, travel


@dataclass(frozen=True, slots=True)
class Description:
    """An application as plain data.

    `place` is the name of a built-in or of a module, or the path of a file. `function` is the name
    in it, of a class as well. The `folders` are put on sys.path where they exist. The `version` is
    the digest of the source: of the one file, or of a package all files beside its `__init__`, but
    not of what they import.
    """

    kind: Kind
    name: str
    place: str
    function: str
    version: str
    folders: tuple[str, ...] = ()
    source: str = ""
    options_json: str = "{}"
    block_samples: int | None = None
    granule: int = 1

    def __post_init__(self) -> None:
        require_text("name", self.name, PATH_CHARACTERS_MAX)
        require_text("place", self.place, PATH_CHARACTERS_MAX)
        require_text("function", self.function)
        require_text("version", self.version)
        require(len(self.folders) <= FOLDERS_MAX, "folders", self.folders, "a few")
        require(len(self.source) <= SOURCE_CHARACTERS_MAX, "source", "too long", "at most 1 MB")
        short = len(self.options_json) <= OPTIONS_CHARACTERS_MAX
        require(short, "options_json", "too long", "at most 1 MB")
        require(_is_object(self.options_json), "options_json", self.options_json, "a JSON object")
        require_count("granule", self.granule, least=1)
        if self.block_samples is not None:
            require_count("block_samples", self.block_samples, least=1)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword parameters that are given to the application: a new dict every time."""
        options: dict[str, Any] = json.loads(self.options_json)
        return options

    def to_json(self) -> dict[str, Any]:
        """The same as a dict of what JSON knows."""
        plain: dict[str, Any] = to_plain(self, Description)
        return plain

    @staticmethod
    def from_json(plain: object) -> Description:
        """The description that `to_json` made plain; Malformed if there is no such one."""
        return from_plain(plain, Description)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
