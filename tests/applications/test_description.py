"""Descriptions: to JSON and back, and nothing that makes no sense."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from manyhands.applications.description import Description, Kind
from manyhands.model.malformed import Malformed

WHOLE = Description(
    kind=Kind.FILE,
    name="model.py:advance",
    place="/data/model.py",
    function="advance",
    version="ab12",
    folders=("/data",),
    source="def advance(samples, stream): return {}",
    options_json='{"depth": [1, 2.5]}',
    block_samples=1000,
    granule=10,
)


@pytest.mark.parametrize("one", [WHOLE, Description(Kind.BUILTIN, "pi", "pi", "pi", "1")])
def test_it_survives_json(one: Description) -> None:
    assert Description.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_options_are_a_new_dict_every_time() -> None:
    WHOLE.options["depth"].append(3)
    assert WHOLE.options == {"depth": [1, 2.5]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("place", "x" * 5000),
        ("function", ""),
        ("version", ""),
        ("folders", ("/a",) * 17),
        ("source", "x" * 1_000_001),
        ("options_json", "[1]"),
        ("options_json", "{"),
        ("options_json", '{"a": "' + "x" * 1_000_000 + '"}'),
        ("block_samples", 0),
        ("granule", 0),
    ],
)
def test_a_field_that_makes_no_sense_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{field} is "):
        replace(WHOLE, **{field: value})


@pytest.mark.parametrize("plain", [None, [], {}, {**WHOLE.to_json(), "kind": "pickle"}])
def test_what_is_no_description_is_refused(plain: object) -> None:
    with pytest.raises(Malformed):
        Description.from_json(plain)
