"""Applications found again by processes that know only their description."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from manyhands.applications.declaring import BadApplication
from manyhands.applications.describing import describe
from manyhands.applications.description import Description, Kind
from manyhands.applications.loading import ApplicationChanged, load
from manyhands.applications.pi import pi
from manyhands.applications.stream import Stream
from tests.applications import toys
from tests.applications.child import advanced_elsewhere, run_script

STREAM = Stream(1, 2)

BESIDE = """
    def double(x):
        return 2 * x
"""

MODEL = """
    from __future__ import annotations
    from dataclasses import dataclass
    import beside

    @dataclass
    class Point:
        x: int

    def advance(samples, stream, x=1):
        return {"x": beside.double(Point(x).x), "first": stream.first, "main": __name__}
"""

ALONE = """
    def advance(samples, stream):
        return {"file": __file__, "broken": samples // (stream.number - 2)}
"""


def write(path: Path, text: str) -> Path:
    path.write_text(dedent(text))
    return path


@pytest.fixture
def _path_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_a_built_in_is_the_same_function() -> None:
    application = load(describe("pi"))
    assert (application.name, application.block_samples) == ("pi", 1_000_000)
    mine, its = pi(1000, Stream(4, 5)), application.advance(1000, Stream(4, 5))
    assert mine["pi"].numbers == its["pi"].numbers


def test_options_are_given() -> None:
    application = load(describe(toys.count, {"step": 3}))
    assert application.options == {"step": 3}
    assert application.advance(10, STREAM) == {"count": 30, "stream": 2}


def test_prepare_is_called_once_and_its_result_given() -> None:
    application = load(describe(toys.prepared_count, {"path": "x"}))
    application.prepare()
    application.prepare()
    application.advance(10, STREAM)
    again = application.advance(20, STREAM)
    assert again == {"samples": 20, "path": "x", "prepared": ["x", "called", "called"]}


def test_who_does_not_prepare_is_prepared() -> None:
    application = load(describe(toys.prepared_count, {"path": "x"}))
    assert application.advance(10, STREAM)["prepared"] == ["x", "called"]


def test_only_who_asks_is_given_what_was_prepared() -> None:
    application = load(describe(toys.anything, {"a": 1}))
    assert application.advance(10, STREAM) == {"options": {"a": 1}}
    assert load(describe(toys.named_otherwise)).advance(10, STREAM) == {"count": 10}


def test_a_class_is_made_once() -> None:
    application = load(describe(toys.Counter, {"begin": 1}))
    assert application.advance(10, STREAM) == {"total": 111}
    assert application.advance(10, STREAM) == {"total": 121}
    assert load(describe(toys.Bare)).advance(10, STREAM) == {}


def test_a_module_travels_by_name(tmp_path: Path) -> None:
    assert advanced_elsewhere(describe(toys.count), tmp_path) == {"count": 10, "stream": 2}


def test_a_module_of_another_version_is_refused() -> None:
    other = replace(describe(toys.count), version="0" * 64)
    with pytest.raises(ApplicationChanged, match=r"is another version here .* than where the"):
        load(other)


def test_a_built_in_of_another_version_is_refused() -> None:
    with pytest.raises(ApplicationChanged, match="pi is another version here"):
        load(replace(describe("pi"), version="0" * 64))


def test_a_file_travels_with_what_is_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "beside.py", BESIDE)
    model = write(tmp_path / "model.py", MODEL)
    found = advanced_elsewhere(describe(f"{model}:advance", {"x": 4}), Path("/"))
    assert found["x"] == 8
    assert found["first"] == 0
    assert found["main"] != "__main__"


@pytest.mark.usefixtures("_path_is_restored")
def test_a_file_travels_without_its_folder(tmp_path: Path) -> None:
    alone = write(tmp_path / "alone.py", ALONE)
    description = describe(f"{alone}:advance")
    alone.unlink()
    application = load(description)
    assert application.advance(10, Stream(1, 3))["file"] == str(alone)
    with pytest.raises(ZeroDivisionError) as broken:
        application.advance(10, STREAM)
    # The traceback shows the line, though there is no file.
    last = broken.traceback[-1]
    assert last.frame.code.path == "<alone.py as submitted>"
    assert last.lineno == 2
    assert str(tmp_path) not in sys.path


@pytest.mark.usefixtures("_path_is_restored")
def test_an_edited_file_runs_as_it_was_submitted(tmp_path: Path) -> None:
    model = write(
        tmp_path / "edited.py", "def advance(samples, stream):\n    return {'version': 1}"
    )
    description = describe(f"{model}:advance")
    write(model, "def advance(samples, stream):\n    return {'version': 2}")
    assert load(description).advance(10, STREAM) == {"version": 1}
    assert load(describe(f"{model}:advance")).advance(10, STREAM) == {"version": 2}


def test_a_module_of_one_file_travels_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a_module_alone.py", ALONE)
    monkeypatch.syspath_prepend(str(tmp_path))
    import a_module_alone  # type: ignore[import-not-found]

    description = describe(a_module_alone.advance)
    assert description.name == "a_module_alone.py:advance"
    assert description.source == dedent(ALONE)


def test_a_function_that_is_gone_is_missed() -> None:
    with pytest.raises(BadApplication, match="has no function 'gone'"):
        load(replace(describe(toys.count), function="gone"))


SCRIPT = """
    import json
    from manyhands.applications.describing import describe
    from manyhands.applications.executing import require_not_being_loaded

    def run(function):
        require_not_being_loaded()
        print(json.dumps(describe(function).to_json()))

    def advance(samples, stream):
        return {"samples": samples}

    GUARD
        run(advance)
"""


def test_a_script_travels_and_its_campaign_is_not_run_again(tmp_path: Path) -> None:
    write(tmp_path / "script.py", SCRIPT.replace("GUARD", 'if __name__ == "__main__":'))
    description = Description.from_json(json.loads(run_script("script.py", folder=tmp_path).stdout))
    assert description.name == "script.py:advance"
    assert advanced_elsewhere(description, tmp_path) == {"samples": 10}


def test_a_script_without_a_guard_is_executed_as_far_as_its_campaign(tmp_path: Path) -> None:
    behind = "    raise SystemExit('executed too far') if __name__ != '__main__' else None\n"
    write(tmp_path / "script.py", SCRIPT.replace("GUARD", "if True:") + behind)
    description = Description.from_json(json.loads(run_script("script.py", folder=tmp_path).stdout))
    assert advanced_elsewhere(description, tmp_path) == {"samples": 10}


@pytest.mark.usefixtures("_path_is_restored")
def test_a_script_that_starts_a_campaign_before_the_function_is_told_so(tmp_path: Path) -> None:
    write(tmp_path / "script.py", SCRIPT.replace("GUARD", "if True:"))
    description = Description.from_json(json.loads(run_script("script.py", folder=tmp_path).stdout))
    with pytest.raises(BadApplication, match='put that under if __name__ == "__main__":'):
        load(replace(description, function="later"))


def test_a_module_that_runs_as_a_script_travels_by_its_name(tmp_path: Path) -> None:
    package = tmp_path / "a_package"
    package.mkdir()
    write(package / "__init__.py", "")
    write(package / "beside.py", "SIZE = 5")
    guarded = SCRIPT.replace("GUARD", 'if __name__ == "__main__":').replace("samples}", "SIZE}")
    write(package / "model.py", "    from .beside import SIZE\n" + guarded)
    done = run_script("-m", "a_package.model", folder=tmp_path)
    description = Description.from_json(json.loads(done.stdout))
    assert (description.kind, description.place) == (Kind.MODULE, "a_package.model")
    assert advanced_elsewhere(description, Path("/")) == {"samples": 5}


def test_what_is_typed_on_a_command_line_is_refused(tmp_path: Path) -> None:
    done = run_script("-c", dedent(SCRIPT.replace("GUARD", "if True:")), folder=tmp_path)
    said = "CannotTravel: the source of 'advance' is not kept where it was typed: move it into a"
    assert said in done.stderr.splitlines()[-1]
