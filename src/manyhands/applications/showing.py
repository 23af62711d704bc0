"""What an application says of its results: where images lie, and pictures of its own.

Both are methods of an application that is a class, and both may be missing:

    grids(self)                 a dict of `Grid` by tally, for the files of images
    pictures(self, tallies)     a dict of matplotlib figures by the name of their file
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyhands.applications.description import Description
from manyhands.applications.loading import target_of
from manyhands.statistics.results import Grid, TallyResult


def grids_of(description: Description) -> dict[str, Grid]:
    """Where the images of an application lie; none of those that do not say."""
    return _asked(description, "grids")


def pictures_of(description: Description, tallies: Mapping[str, TallyResult]) -> dict[str, Any]:
    """The pictures that an application makes of its results."""
    return _asked(description, "pictures", tallies)


def _asked(description: Description, method: str, *arguments: object) -> dict[str, Any]:
    target = target_of(description)
    if not (isinstance(target, type) and hasattr(target, method)):
        return {}
    found: dict[str, Any] = getattr(target(**description.options), method)(*arguments)
    return found
