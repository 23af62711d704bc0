"""What an application adds to its options and says of its results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from manyhands.applications.declaring import BadApplication, application
from manyhands.applications.describing import describe
from manyhands.applications.locating import version_of_module
from manyhands.applications.showing import grids_of, pictures_of
from manyhands.applications.stream import Stream
from manyhands.statistics.forms import Kind
from manyhands.statistics.results import Grid, TallyResult
from manyhands.statistics.returned import Moments, moments


def completed(**options: Any) -> Any:
    if options.get("width", 1) < 0:
        raise ValueError("width is -1, but must be 0 or more")
    return None if options.get("width") == 0 else {**options, "digest": "d"}


@application(complete=completed)
class Shown:
    """Says where its image lies, and draws one picture."""

    def __init__(self, width: int = 1, digest: str = "") -> None:
        self.width = width

    def advance(self, samples: int, stream: Stream) -> dict[str, Moments]:
        return {"image": moments(samples, [[0.0]], [[0.0]])}

    def grids(self) -> dict[str, Grid]:
        return {"image": Grid((self.width, 1.0), (0.0, 0.0))}

    def pictures(self, tallies: dict[str, Any]) -> dict[str, Any]:
        return {f"{name}-{self.width}": name for name in tallies}


def silent(samples: int, stream: Stream) -> dict[str, Moments]:
    return {}


def test_what_completes_the_options_takes_their_place() -> None:
    assert describe(Shown, {"width": 2}).options == {"width": 2, "digest": "d"}
    assert describe(Shown).options == {"digest": "d"}


@pytest.mark.parametrize(
    ("width", "said"), [(-1, "refuses its options: width is -1"), (0, "returned a NoneType")]
)
def test_what_completes_the_options_may_refuse_them(width: int, said: str) -> None:
    with pytest.raises(BadApplication, match=said):
        describe(Shown, {"width": width})


def test_an_application_is_asked_for_grids_and_pictures() -> None:
    description = describe(Shown, {"width": 2})
    assert grids_of(description) == {"image": Grid((2, 1.0), (0.0, 0.0))}
    tallies = {"image": TallyResult(Kind.MOMENTS, 1, 0.0, None)}
    assert pictures_of(description, tallies) == {"image-2": "image"}


def test_an_application_that_says_nothing_has_none() -> None:
    description = describe(silent)
    assert grids_of(description) == {}
    assert pictures_of(description, {}) == {}


def test_the_version_of_a_package_is_that_of_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "of_two_files"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("one = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    first = version_of_module("of_two_files")
    (package / "other.py").write_text("one = 2\n")
    assert version_of_module("of_two_files") != first
    del sys.modules["of_two_files"]
