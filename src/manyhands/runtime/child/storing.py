"""Objects put into the store and merged in the background, while the application computes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyhands.model.failures import FailureCause
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.failing import note_failure
from manyhands.runtime.layout import STORE
from manyhands.runtime.objects import Torn, get, put
from manyhands.statistics.tallies import Tallies

Told = dict[str, Any]
Say = Callable[..., None]


class Storing:
    """The store's side of one child; each order is done by a thread of its own."""

    def __init__(self, folder: Path, brief: Brief, say: Say) -> None:
        self._folder = folder
        self._store = folder / STORE
        self._seed = brief.seed
        self._say = say

    def store(self, order: Told, result: Tallies) -> None:
        """Store a result that nobody changes any more, then say so."""
        threading.Thread(target=self._put, args=(order, result)).start()

    def merge(self, order: Told) -> None:
        """Merge stored objects into one, then say so."""
        threading.Thread(target=self._merge, args=(order,)).start()

    def _put(self, order: Told, result: Tallies) -> None:
        begun_s = time.monotonic()
        asked = {"task": order["task"], "asked": order["name"]}
        try:
            name = put(self._store, order["name"], result.to_bytes())
        except (OSError, MemoryError) as error:
            cause = FailureCause.UPLOAD_FAILED.value
            self._say("uploaded", **asked, cause=cause, why=str(error))
            return
        upload_us = round(1e6 * (time.monotonic() - begun_s))
        digest, sums = name.rpartition("/")[2], list(result.sums())
        self._say("uploaded", **asked, name=name, digest=digest, sums=sums, upload_us=upload_us)

    def _merge(self, order: Told) -> None:
        claim = order["claim"]
        try:
            name = put(self._store, order["name"], self._merged(order["inputs"]).to_bytes())
        except Torn as torn:
            cause = FailureCause.DOWNLOAD_FAILED if torn.missing else FailureCause.OBJECT_TORN
            self._say("merged", claim=claim, cause=cause.value, bad=torn.name)
        except (OSError, MemoryError):
            self._say("merged", claim=claim, cause=FailureCause.UPLOAD_FAILED.value, bad=None)
        except Exception as error:
            note_failure(self._folder, self._seed, error)
            self._say("merged", claim=claim, cause=FailureCause.MERGE_REFUSED.value, bad=None)
        else:
            self._say("merged", claim=claim, name=name, digest=name.rpartition("/")[2])

    def _merged(self, inputs: list[list[str]]) -> Tallies:
        merged: Tallies | None = None
        for name, digest in inputs:
            one = Tallies.from_bytes(get(self._store, name, digest))
            if merged is None:
                merged = one
            else:
                merged.merge(one)
        assert merged is not None, "a claim has inputs"
        return merged
