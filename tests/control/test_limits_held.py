"""Limits are held, not only named."""

from __future__ import annotations

from manyhands.control.controller import Controller
from manyhands.model.campaign import Campaign
from manyhands.model.commands import Reply
from manyhands.model.events import CampaignSubmitted, MessageReceived
from manyhands.model.facts import Fact, PilotRegistered, WorkRequested
from manyhands.model.limits import Limits
from manyhands.model.orders import Leave, Order, StartTask
from manyhands.model.stopping import Samples


def _orders(limits: Limits, pilots: int) -> list[Order]:
    controller = Controller(limits)
    controller.handle(0.0, CampaignSubmitted(Campaign(0, "one", 1, Samples(1000))))
    found: list[Order] = []
    for pilot in range(pilots):
        facts: tuple[Fact, ...] = (PilotRegistered(4), *[WorkRequested(1)] * 4)
        commands = controller.handle(1.0, MessageReceived(pilot, 0, 1, facts))
        found += [one for reply in commands if isinstance(reply, Reply) for one in reply.orders]
    return found


def test_a_campaign_starts_no_more_tasks_than_the_limit() -> None:
    assert sum(isinstance(one, StartTask) for one in _orders(Limits(), 2)) == 8
    few = _orders(Limits(tasks_per_campaign_max=3), 2)
    assert sum(isinstance(one, StartTask) for one in few) == 3


def test_a_message_is_read_no_further_than_the_limit() -> None:
    few = _orders(Limits(facts_per_message_max=3), 1)
    assert sum(isinstance(one, StartTask) for one in few) == 2


def test_a_full_pool_sends_pilots_away() -> None:
    few = _orders(Limits(pilots_max=1), 2)
    assert sum(isinstance(one, Leave) for one in few) == 1
