"""What a story makes of facts: counts that add up, times without pauses, bounded memory."""

from __future__ import annotations

import re

from manyhands.analysis.curves import error_by_samples, samples_in_time
from manyhands.analysis.job_flow import ROWS_MAX, TASKS_MAX, job_flow
from manyhands.analysis.story import CLOSED, POINTS_MAX, Engagement, Life, Point, Story
from manyhands.analysis.watched import Measured
from manyhands.control.controller import Controller
from manyhands.model.campaign import Campaign, Mode
from manyhands.model.events import CampaignSubmitted, Event, MasterRestarted, Ticked
from manyhands.model.stopping import Samples
from manyhands.simulator.scenarios import r1
from manyhands.simulator.world import World
from tests.analysis.pages import Reader


def story_of_a_world(mode: Mode) -> tuple[Story, int]:
    """The story of a simulated pool in which a quarter of the pilots dies, and its answer."""
    world = World(r1(seed=1, pilots=20, periods=20, mode=mode))
    samples = world.run().campaigns[0].samples
    story, controller = Story(), Controller()
    for now_s, event in world.master.journal:
        story.decided(now_s, event, controller.handle(now_s, event), controller.state)
    return story, samples


def test_what_was_accepted_adds_up_to_the_answer() -> None:
    story, samples = story_of_a_world(Mode.FREE)
    assert sum(one.accepted for one in story.tasks.values()) == samples
    assert all(one.position >= one.accepted for one in story.tasks.values())
    assert story.points[-1].stored == samples


def test_a_replaced_partial_counts_once() -> None:
    task = Engagement(0, 0, 0, 0, 0.0, 0.0)
    for start, end in ((0, 10), (0, 25), (25, 30), (25, 40)):
        task.accept(start, end)
    assert (task.accepted, task.position, task.stored) == (40, 40, 4)


def test_the_dead_are_drawn_as_lost_and_the_others_until_the_close() -> None:
    story, _ = story_of_a_world(Mode.FREE)
    ended = {one.ended for one in story.tasks.values()}
    assert {"lost", CLOSED} <= ended
    drawn = job_flow(story)
    assert 'class="bar lost"' in drawn
    assert 'class="bar closed"' in drawn


def test_a_pause_is_left_out_of_all_times() -> None:
    story, controller = Story(), Controller()
    facts: list[tuple[float, Event]] = [
        (100.0, CampaignSubmitted(Campaign(0, "a", 1, Samples(10)))),
        (110.0, Ticked()),
        (5110.0, MasterRestarted()),
        (5115.0, Ticked()),
    ]
    for now_s, event in facts:
        story.decided(now_s, event, controller.handle(now_s, event), controller.state)
    assert story.working_s == 15.0
    assert story.session_s == 5.0
    assert [story.at(one) for one in (105.0, 2000.0, 5112.0)] == [5.0, 10.0, 12.0]


def test_a_curve_keeps_its_ends_and_a_bounded_number_of_points() -> None:
    story, controller = Story(), Controller()
    submitted = CampaignSubmitted(Campaign(0, "a", 1, Samples(10)))
    story.decided(0.5, submitted, controller.handle(0.5, submitted), controller.state)
    for second in range(1, 3 * POINTS_MAX):
        story.decided(second, Ticked(), [], controller.state)
    assert len(story.points) <= POINTS_MAX
    assert story.points[0].time_s == 0.5
    assert story.points[-1].time_s > 3 * POINTS_MAX - 5


def crowd(pilots: int, tasks_each: int) -> Story:
    """Tasks of an hour, one after the other."""
    story = Story(begun_s=1.0, ended_s=1.0 + 3600.0 * tasks_each)
    for pilot in range(pilots):
        life = story.lives[pilot, 0] = Life(pilot, 0, 1.0, story.ended_s)
        for hour in range(tasks_each):
            number, begun_s = len(story.tasks), 1.0 + 3600.0 * hour
            task = Engagement(number, 0, pilot, 0, begun_s, begun_s + 3600.0, ended="ended")
            story.tasks[number] = task
            life.tasks.append(number)
    return story


def test_few_tasks_have_a_bar_each_and_many_share_rows() -> None:
    few = job_flow(crowd(3, 4))
    assert len(re.findall(r"M\d", few)) == 12
    assert "share a row" not in few
    many = job_flow(crowd(2 * ROWS_MAX, 20))
    assert f"There are {2 * ROWS_MAX * 20:,} tasks" in many
    assert f"Of {2 * ROWS_MAX:,} rows every 2th is shown." in many
    assert len(many) < 1_000_000
    assert 2 * ROWS_MAX * 20 > TASKS_MAX
    reader = Reader()
    reader.feed(few + many)
    assert not reader.told.faults


def test_curves_are_drawn_where_there_is_something_to_see() -> None:
    story = Story(begun_s=1.0, ended_s=11.0)
    assert samples_in_time(story, 1, 100) == ""
    assert error_by_samples(story, None) == ""
    for second in range(1, 11):
        looked = Measured(10 * second, 2.0, 0.2 / second**0.5)
        story.points.append(Point(1.0 + second, 11 * second, 10 * second, looked))
    assert "asked for" in samples_in_time(story, 1, 100)
    assert "asked for" not in samples_in_time(story, 1, 10_000)
    drawn = error_by_samples(story, 0.02)
    assert "1 standard error (k=1)" in drawn
    assert "asked for" in drawn
