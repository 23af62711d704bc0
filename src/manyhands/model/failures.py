"""How the world fails: one member per way, each a fact that the core can be told."""

from __future__ import annotations

from enum import Enum


class FailureCause(Enum):
    """Why something did not happen as ordered."""

    PILOT_SILENT = "pilot_silent"  # no word for longer than its lease; it may come back
    PILOT_EXITED = "pilot_exited"  # its process is known to have ended
    PILOT_LEFT = "pilot_left"  # it said goodbye
    PILOT_REPLACED = "pilot_replaced"  # a later incarnation of it registered
    PILOT_REMOVED = "pilot_removed"  # shut out by decision, for ever
    POOL_FULL = "pool_full"  # there are as many pilots as the pool may have
    WALLTIME_ENDED = "walltime_ended"  # its batch system took the host back
    HOST_UNFIT = "host_unfit"  # its own check of disk, memory or clock failed
    NUMERIC_CLASS = "numeric_class"  # its block 0 differs from the campaign's
    APPLICATION_CRASHED = "application_crashed"  # the program ended in an error
    APPLICATION_SILENT = "application_silent"  # the program said nothing for too long
    APPLICATION_SHORT = "application_short"  # it returned fewer samples than ordered
    APPLICATION_OVERSIZE = "application_oversize"  # it passed its limit of memory or disk
    INPUT_MISSING = "input_missing"  # a file that it needs could not be had
    UPLOAD_FAILED = "upload_failed"  # the store did not take an object
    DOWNLOAD_FAILED = "download_failed"  # the store did not give an object
    OBJECT_TORN = "object_torn"  # an object does not have its digest
    MERGE_REFUSED = "merge_refused"  # partials that do not belong together
    IMPOSTOR = "impostor"  # the same coverage with another digest
    PROTOCOL_BROKEN = "protocol_broken"  # a pilot said what it cannot know
    BLOCK_POISONED = "block_poisoned"  # a block failed on too many hosts
    EVERYWHERE = "everywhere"  # the application fails wherever it is started
    GRID_OVERFLOW = "grid_overflow"  # a sum left the integer grid of its tally


class Refusal(Enum):
    """Why a stored object was not counted."""

    REMOVED = "removed"  # its pilot was shut out
    COLLECTED = "collected"  # its object was already given up: upload again, under a new name
    CLOSED = "closed"  # the campaign accepts no more
    IMPOSTOR = "impostor"  # another object with this coverage was accepted
    ELSEWHERE = "elsewhere"  # it does not start at the seal, or holds nothing new
    HAVE = "have"  # it holds a block that was accepted from somebody else
    EXPIRED = "expired"  # the claim under which it was merged has ended
    UNKNOWN = "unknown"  # nobody was ever told to make it
