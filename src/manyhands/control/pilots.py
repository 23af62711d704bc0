"""Who is there: incarnations, numbered messages, leases of silence.

A pilot that is late is *overdue* (not counted on), then *lost* (its leases end); it may come back
from both. Only removal is final.
"""

from __future__ import annotations

from manyhands.control.alarms import PILOT
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.pace import Tempo
from manyhands.control.records import NEVER_US, PilotRecord, PilotState, Turn
from manyhands.control.state import State
from manyhands.model.events import MessageReceived
from manyhands.model.facts import PilotRegistered
from manyhands.model.limits import Limits

GRAINS = 4  # how much finer than an overdue report the alarms of pilots are
ALIVE = (PilotState.LIVE, PilotState.OVERDUE)


class Pilots:
    """The pool's pilots; what their tasks are is the campaigns' business."""

    def __init__(self, limits: Limits, tempo: Tempo, state: State, trail: Trail) -> None:
        self._limits = limits
        self._tempo = tempo
        self._state = state
        self._trail = trail

    def register(self, message: MessageReceived, fact: PilotRegistered, turn: Turn) -> PilotRecord:
        """A new pilot, or a new incarnation of one whose tasks have been taken away already."""
        slots = min(fact.slots, self._limits.slots_per_pilot_max)
        pilot = self._state.pilots.get(message.pilot)
        if pilot is None:
            pilot = self.unknown(message.pilot, turn)
            self._state.living += 1
        pilot.incarnation = message.incarnation
        pilot.slots = slots
        pilot.site = fact.site
        pilot.number = 0
        pilot.reply = None
        pilot.proving = 0
        pilot.classes = {one: digest for one, digest in pilot.classes.items() if digest}
        return pilot

    def unknown(self, number: int, turn: Turn) -> PilotRecord:
        """A record for a pilot that nobody has heard of."""
        now_us = turn.now_us
        pilot = PilotRecord(number, 0, 0, "", PilotState.LIVE, now_us, now_us, 0, 0, NEVER_US)
        self._state.pilots[number] = pilot
        return pilot

    def banish(self, number: int, turn: Turn) -> None:
        """Shut out a pilot that has not come yet."""
        pilot = self.unknown(number, turn)
        pilot.state = self._trail.step("pilot", pilot.state, "removed")

    def return_to_life(self, pilot: PilotRecord) -> None:
        """It spoke, and had not been counted on."""
        if pilot.state is PilotState.OVERDUE:
            self._trail.row(Row.STAYED)
        else:
            self._state.living += 1
        pilot.state = self._trail.step("pilot", pilot.state, "heard")

    def expect(self, pilot: PilotRecord, report_us: int, now_us: int) -> None:
        """It was told to speak again by then; look at it if it does not."""
        pilot.told_us = report_us
        round_trip_us = pilot.round_trip_us
        late_us = self._tempo.overdue_us(report_us)
        # One that needs long for a word is late as any other: it may stay, but others go on.
        patience_us = round_trip_us if round_trip_us < late_us else late_us
        pilot.due_us = now_us + report_us + patience_us
        # What it says it measured makes nobody wait for it without end.
        trip_us = min(round_trip_us, self._tempo.period_us_max)
        pilot.lease_us = self._tempo.silence_us(report_us) + trip_us
        look_us = pilot.due_us + late_us
        if look_us < pilot.armed_us:
            self._arm(pilot, look_us)

    def surface(self, number: int, time_us: int, turn: Turn) -> str:
        """A pilot's alarm rings: is it overdue or lost now? Says which, or nothing."""
        pilot = self._state.pilots[number]
        if pilot.armed_us != time_us:
            return ""  # another alarm, set later for an earlier time, took the place of this one
        pilot.armed_us = NEVER_US
        if pilot.state not in ALIVE:
            return ""
        heard_us = max(pilot.heard_us, self._state.rearmed_us)
        overdue_us = max(pilot.due_us, heard_us) + self._tempo.overdue_us(pilot.told_us)
        lost_us = heard_us + pilot.lease_us
        if pilot.state is PilotState.LIVE:
            if overdue_us > turn.now_us:
                self._arm(pilot, overdue_us)
                return ""
            pilot.state = self._trail.step("pilot", pilot.state, "overdue")
            self._arm(pilot, max(lost_us, turn.now_us + 1))
            return "overdue"
        if lost_us > turn.now_us:
            self._arm(pilot, lost_us)
            return ""
        pilot.state = self._trail.step("pilot", pilot.state, "silent")
        self._state.living -= 1
        return "lost"

    def leave(self, pilot: PilotRecord, happening: str) -> None:
        """It is gone, or removed: this incarnation gets no more work, whatever it says."""
        pilot.slots = pilot.proving = 0
        if pilot.state is PilotState.GONE and happening == "gone":
            return
        if pilot.state in ALIVE:
            self._state.living -= 1
        pilot.state = self._trail.step("pilot", pilot.state, happening)

    def set_idle(self, pilot: PilotRecord, slots: int) -> None:
        """So many of its slots wait for work."""
        self._state.idle += slots - pilot.idle
        pilot.idle = slots

    def _arm(self, pilot: PilotRecord, time_us: int) -> None:
        # On a coarse grid, so that one tick serves many pilots.
        grain_us = self._tempo.overdue_us(pilot.told_us) // GRAINS
        time_us += -time_us % grain_us
        pilot.armed_us = time_us
        self._state.alarms.set(time_us, PILOT, pilot.pilot)
