"""What a terminal shows while a run goes on."""

from __future__ import annotations

import pytest

from manyhands.analysis.progress import PilotLine, Standing
from manyhands.cli.drawing import drawn
from manyhands.cli.live import in_words


def standing(pilots: int, left_s: float = 97.0, samples: int = 25_200_000) -> Standing:
    lines = tuple(
        PilotLine(number, "lost" if number == 30 else "live", 0, 1, 630_000, 76_000.0, 0.1)
        for number in range(pilots)
    )
    return Standing(
        "open", 8.0, samples, samples, 323_000_000, 3.05e6, left_s, 5.2, 0.23634, 8.3e-5, 2.4e-5,
        lines, 0, "",
    )  # fmt: skip


@pytest.mark.parametrize("width", [40, 77, 137])
@pytest.mark.parametrize("pilots", [1, 2, 40])
def test_lines_fit_and_do_not_jump(width: int, pilots: int) -> None:
    first = drawn("slab", standing(pilots), width, 30)
    later = drawn("slab", standing(pilots, 9.7, 290_000_000), width, 30)
    assert len(first) == len(later) <= 18
    if width >= 77:
        assert max(len(line) for line in first) <= width
        rate = [lines[-1].plain.index("3.05 M/s") for lines in (first, later)]
        assert rate[0] == rate[1]


def test_a_pilot_in_trouble_is_shown_where_not_all_can_be() -> None:
    lines = [line.plain for line in drawn("slab", standing(40), 77, 30)]
    assert sum("pilot 30" in line for line in lines) == 1
    assert "… and 24 more pilots  1.82 M/s" in lines


def test_a_wide_terminal_says_more() -> None:
    (line,) = (one.plain for one in drawn("slab", standing(0), 137, 30))
    assert "slab  running  ━┄" in line
    assert "0.23634 ± 0.035 % → 0.01 % (k=1)" in line
    assert line.endswith("1 min 37 s ± 5.2 s left")


def test_the_error_is_said_with_its_target() -> None:
    assert in_words("slab", standing(2)) == (
        "slab: running, 8% of 323 M samples, 3.05 M/s, "
        "0.23634 ± 0.035 %, target 0.01 % (k=1), 1 min 37 s ± 5.2 s left"
    )
