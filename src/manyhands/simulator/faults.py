"""Every way in which a simulated world misbehaves, by the name under which it is counted."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """A fault that really happened, each time it did."""

    MESSAGE_LOST = "message lost"  # a pilot's word on its way to the master
    MESSAGE_DUPLICATED = "message duplicated"
    REPLY_LOST = "reply lost"
    REPLY_DUPLICATED = "reply duplicated"
    STALE_DELIVERY = "stale delivery"  # a message arrived behind a later one
    MASTER_AWAY = "master away"  # a message found nobody
    MASTER_OUTAGE = "master outage"
    MASTER_CUT = "master cut"  # killed between the journal and the decision
    CLOCK_SET_BACK = "clock set back"  # whoever took over has a clock that is behind
    SILENT_DEATH = "silent death"
    EXIT_SEEN = "exit seen"
    PILOT_REMOVED = "pilot removed"
    SILENCE = "silence"  # a pilot was cut off, and went on alone
    SILENCE_OVER = "returned after silence"
    NEW_INCARNATION = "crash and new incarnation"
    GHOST_DELIVERY = "ghost delivery"  # a process spoke that its successor had replaced
    WALLTIME = "walltime"
    UPLOAD_FAILED = "upload failed"
    OBJECT_TORN = "torn object"
    OBJECT_ROTTEN = "rotten object"  # it was whole, and nobody can read it any more
    STORED_TWICE = "stored twice"  # the news of a stored partial came again, much later
    STORE_FULL = "store full"
    DOWNLOAD_FAILED = "download failed"
    NOT_HELD = "judged objects not held"  # what was to be judged could vanish meanwhile
    JUDGED_TWICE = "judged twice"  # an answer came again, while the next look was under way
    TASK_CRASH = "task crash"
    BLOCK_POISONED = "poisoned block"  # a block that fails wherever it is computed
    SPEED_STEP = "speed step"
    SLOW_REPORTER = "slow reporter"
    CLASS_MISMATCH = "class mismatch"
    OBJECT_COLLECTED = "object collected"
    COLLECTED_LATE = "collected late"  # what was found unneeded may be needed by then
    OUTPUT_MISNAMED = "misnamed output"  # a merger said one of its inputs' names
    STRANGER = "stranger"  # a pilot's first message came without saying who it is
    FOUND_OTHERWISE = "stored otherwise"  # a restart stored the same samples in other bytes
    FOUND_FOREIGN = "found another's"  # a restart found what another pilot had stored
    APPLICATION_BROKEN = "broken application"  # for some time it fails wherever it runs
    CAMPAIGN_CANCELLED = "campaign cancelled"
