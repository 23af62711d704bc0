"""The pilots of a run are limited as its campaign was begun, also when it is resumed."""

from __future__ import annotations

from manyhands.api.running import hands_of
from manyhands.applications.describing import describe
from manyhands.runtime.brief import Brief


def test_limits_come_from_the_brief_that_lies_in_the_folder() -> None:
    brief = Brief(describe("pi"), 0, 1, False, 0, 10, None, disk_bytes=5, silence_s=3.0)
    hands = hands_of(Brief.from_json(brief.to_json()), 2)
    assert (hands.pilots, hands.disk_bytes, hands.silence_s) == (2, 5, 3.0)
