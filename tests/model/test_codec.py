"""What travels comes back the same, and what cannot be understood is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from math import inf, nan
from typing import Any, ClassVar, get_type_hints

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manyhands.model import codec
from manyhands.model.campaign import Campaign, Stage
from manyhands.model.codec import Malformed, decode, encode, from_plain, to_plain
from manyhands.model.commands import Command, DeleteObject, JudgePrecision, Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import CampaignSubmitted, Event, MessageReceived, Ticked
from manyhands.model.facts import Fact, TaskProgressed
from manyhands.model.orders import Order
from manyhands.model.stopping import AnyOf, Samples, StopRule, any_of
from tests.strategies import TRAVELLING, values_of

MESSAGE = MessageReceived(17, 2, 345, (TaskProgressed(5, 1234, 5678),))
FEW = settings(max_examples=30, deadline=None)
MANY = settings(max_examples=200, deadline=None)
ANYTHING = (Event, Command, Fact, Order)


class Colour(Enum):
    RED = "red"
    TWO = 2


@dataclass(slots=True)
class Inner:
    values: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Whole:
    NOT_SAVED: ClassVar[tuple[str, ...]] = ("policy",)
    by_number: dict[int, Inner]
    by_name: dict[str, int]
    by_pair: dict[tuple[int, str], Colour]
    heap: list[tuple[float, int, str]]
    nothing: tuple[()]
    either: Inner | Span | None
    maybe: list[int | None]
    policy: Callable[[], int] = int
    cached: int = field(init=False, default=3)


def test_the_form_is_the_envelope_in_compact_json() -> None:
    plain = json.loads(encode(MESSAGE))
    assert list(plain) == ["type", "body"]
    assert plain["type"] == "MessageReceived"
    assert plain["body"]["facts"] == [
        {"type": "TaskProgressed", "body": {"task": 5, "position": 1234, "busy_us": 5678}}
    ]
    assert b" " not in encode(MESSAGE)
    assert encode(DeleteObject("ä")).isascii()


@pytest.mark.parametrize("cls", TRAVELLING, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_every_fact_order_event_and_command_comes_back(cls: type, data: st.DataObject) -> None:
    value = data.draw(values_of(cls))
    encoded = encode(value)
    again: object = decode(encoded, cls)
    assert again == value
    assert encode(again) == encoded
    assert decode(encoded, *ANYTHING) == value


@pytest.mark.parametrize("cls", TRAVELLING, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_an_independent_decoder_agrees(cls: type, data: st.DataObject) -> None:
    try:
        decoder: msgspec.json.Decoder[object] = msgspec.json.Decoder(cls)
    except TypeError:
        assert _holds_a_union(cls)  # which msgspec cannot decode: that is what envelopes are for
        return
    if _holds_compact(cls):
        return
    value = data.draw(values_of(cls))
    envelope = msgspec.json.decode(encode(value), type=Envelope)
    assert envelope.type == cls.__name__
    assert decoder.decode(envelope.body) == value


class Envelope(msgspec.Struct):
    type: str
    body: msgspec.Raw


def test_the_independent_decoder_has_something_to_say() -> None:
    compared = [cls for cls in TRAVELLING if not (_holds_a_union(cls) or _holds_compact(cls))]
    assert len(compared) > len(TRAVELLING) / 2


@MANY
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(5e-324)
def test_floats_keep_every_bit(number: float) -> None:
    plain = codec.parse(codec.dump(to_plain(number, float)))
    assert from_plain(plain, float).hex() == number.hex()


def test_equal_values_have_equal_bytes() -> None:
    assert encode(Reply(1, 1, 1, (), 60)) == encode(Reply(1, 1, 1, (), 60.0))
    again = decode(encode(Reply(1, 1, 1, (), 60)), Reply)
    assert type(again.report_in_s) is float


def test_everything_a_machine_may_hold_comes_back() -> None:
    whole = Whole(
        by_number={3: Inner([1.5]), -1: Inner()},
        by_name={"z": 1, "a": 2},
        by_pair={(2, "b"): Colour.RED, (1, "a"): Colour.TWO},
        heap=[(0.5, 1, "x"), (1.5, 2, "y")],
        nothing=(),
        either=Span(1, 2, 3),
        maybe=[None, 4],
    )
    again = from_plain(codec.parse(codec.dump(to_plain(whole, Whole))), Whole)
    assert again == whole
    assert [*again.by_number, *again.by_name, *again.by_pair] == [
        3, -1, "z", "a", (2, "b"), (1, "a")
    ]  # fmt: skip
    assert "policy" not in to_plain(whole, Whole)


def test_coverage_is_compact() -> None:
    assert to_plain(Coverage((Span(1, 2, 3),)), Coverage) == {"spans": [[1, 2, 3]]}


def _body(**changes: object) -> bytes:
    body: dict[str, object] = {"pilot": 1, "incarnation": 1, "number": 1, "facts": []}
    body = {**to_plain(MESSAGE, MessageReceived), **body, **changes}
    return codec.dump({"type": "MessageReceived", "body": body})


def _fact(**body: object) -> list[object]:
    return [{"type": "TaskProgressed", "body": body}]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the value is no JSON in UTF-8"),
        (b"\xff", "the value is no JSON in UTF-8"),
        (b'"\xed\xa0\x80"', "the value is no JSON in UTF-8"),
        (b"{}{}", "more follows"),
        (b"{", "the value is no JSON"),
        (b"[1]", "the value is a list of 1, but must be an object of type and body"),
        (b"NaN", "NaN is no number"),
        (b"[" * 100_000, "no JSON"),
        (b"9" * 100_000, "no JSON"),
        (b'{"type":"Ticked"}', "must be an object of type and body"),
        (b'{"type":["Ticked"],"body":{}}', "type is a list of 1, but must be one of"),
        (b'{"type":"Tocked","body":{}}', "type is 'Tocked', but must be one of"),
        (b'{"type":"Ticked","body":[]}', "body is a list of 0, but must be the fields of a Ticked"),
        (b'{"type":"Ticked","body":{"x":1}}', "body is an object with 'x'"),
        (_body(number=0), "body is no MessageReceived: number is 0"),
        (_body(pilot=True), "body.pilot is True, but must be a whole number"),
        (_body(pilot=1.0), "body.pilot is 1.0, but must be a whole number"),
        (_body(pilot="1"), "body.pilot is '1'"),
        (_body(pilot=None), "body.pilot is None"),
        (_body(facts={}), "body.facts is an object of 0, but must be a list"),
        (_body(facts=[1]), "body.facts[0] is 1, but must be an object"),
        (_body(facts=_fact(task=1, position=2)), "facts[0].body.busy_us is missing"),
        (_body(facts=_fact(task=1, position=2, x=3)), "facts[0].body.busy_us is missing"),
        (_body(facts=_fact(task=1, position=2, busy_us=-3)), "no TaskProgressed: busy_us is -3"),
        (_body(pilot="x" * 1000), "…"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode(data, Event)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("number", ["1e999", "1" + "0" * 400, "9007199254740993", "true"])
def test_no_float_is_made_that_was_not_sent(number: str) -> None:
    with pytest.raises(Malformed, match="a finite number"):
        from_plain(codec.parse(number.encode()), float)


def test_a_text_has_whole_characters() -> None:
    with pytest.raises(Malformed, match="surrogates"):
        decode(b'{"type":"ObjectDeleted","body":{"name":"\\ud800"}}', Event)
    with pytest.raises(Malformed, match="surrogates"):
        encode(DeleteObject("\ud800"))


@pytest.mark.parametrize(
    ("value", "hint"),
    [(inf, float), (nan, float), (True, int), (1, bool), ([1], tuple[int, ...]), (2.5, int),
     ((1, 2), tuple[int]), ("RED", Colour), ({1: 2}, dict[str, int]), (Ticked(), DeleteObject),
     (MESSAGE, Order), ([], dict[int, int]), (None, int), (0, type(None))],
)  # fmt: skip
def test_what_could_not_be_read_back_is_not_written(value: object, hint: object) -> None:
    with pytest.raises(Malformed):
        to_plain(value, hint)


@pytest.mark.parametrize("plain", [[[1, 2], [1, 3]], [[1]], [[1, 2, 3]], {"1": 2}, [["1", 2]]])
def test_a_dictionary_of_numbers_is_a_list_of_different_pairs(plain: object) -> None:
    with pytest.raises(Malformed):
        from_plain(plain, dict[int, int])


def test_limits_hold_in_both_directions() -> None:
    with pytest.raises(Malformed, match="at most 10"):
        decode(encode(MESSAGE), Event, limit=10)
    rule: StopRule = Samples(1)
    for _ in range(codec.DEPTH_MAX):
        rule = AnyOf((rule,))
    with pytest.raises(Malformed, match="deep"):
        encode(CampaignSubmitted(Campaign(1, "deep", 1, rule)))
    wide = CampaignSubmitted(Campaign(1, "wide", 1, any_of(*[Samples(1)] * 1000)))
    assert decode(encode(wide), Event) == wide


@pytest.mark.parametrize(
    "hint", [object, set[int], Any, int | str, complex, dict[int, bytes], "Span"]
)
def test_a_type_that_cannot_travel_is_refused_at_once(hint: object) -> None:
    with pytest.raises(TypeError, match="the codec knows no"):
        from_plain(0, hint)


@MANY
@given(st.binary(max_size=200))
def test_any_bytes_are_understood_or_refused(data: bytes) -> None:
    _decode_or_refuse(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from([cls.__name__ for cls in TRAVELLING])


@MANY
@given(st.fixed_dictionaries({"type": NAMES | JSON, "body": JSON}) | JSON)
def test_any_json_is_understood_or_refused(plain: object) -> None:
    _decode_or_refuse(json.dumps(plain).encode())


@MANY
@given(st.data(), values_of(Event) | values_of(Command))
def test_a_changed_message_is_understood_or_refused(data: st.DataObject, value: object) -> None:
    plain = json.loads(encode(value))
    place = data.draw(st.sampled_from(list(_places(plain))))
    holder, key = place
    if data.draw(st.booleans()):
        holder[key] = data.draw(JSON)
    else:
        del holder[key]
    _decode_or_refuse(json.dumps(plain).encode())


@MANY
@given(st.data(), values_of(Event))
def test_a_message_with_changed_bytes_is_understood_or_refused(
    data: st.DataObject, value: object
) -> None:
    encoded = bytearray(encode(value))
    at = data.draw(st.integers(0, len(encoded) - 1))
    encoded[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _decode_or_refuse(bytes(encoded))


def _decode_or_refuse(data: bytes) -> None:
    said, value = "", None
    try:
        value = decode(data, *ANYTHING)
    except Malformed as refused:
        said = str(refused)
    assert "\n" not in said
    assert said or decode(encode(value), *ANYTHING) == value


def _places(plain: Any) -> Any:
    keys = plain if isinstance(plain, dict) else range(len(plain))
    for key in keys:
        yield plain, key
        if isinstance(plain[key], dict | list):
            yield from _places(plain[key])


def _holds_a_union(cls: type) -> bool:
    return cls in (MessageReceived, Reply, CampaignSubmitted, JudgePrecision)


def _holds_compact(cls: type) -> bool:
    return Coverage in get_type_hints(cls).values()


def test_stages_travel_by_value() -> None:
    assert [to_plain(stage, Stage) for stage in Stage] == [stage.value for stage in Stage]
