"""The first result of a campaign in free mode says what all others must look like.

Without this, results that cannot be added would be found out when they are: in the end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from manyhands.model.codec import from_plain, to_plain
from manyhands.runtime.layout import FORMS
from manyhands.statistics.forms import Form


def agreed(folder: Path) -> dict[str, Form] | None:
    """What the first result of all was; None if there is none yet."""
    try:
        plain = json.loads((folder / FORMS).read_text(encoding="utf-8"))
    except OSError:
        return None
    return {name: from_plain(one, Form) for name, one in plain.items()}


def agree(folder: Path, forms: Mapping[str, Form]) -> dict[str, Form]:
    """Leave what this result is, if nobody was faster; what has been left."""
    growing = folder / f"{FORMS}.{os.getpid()}"
    try:
        plain = {name: to_plain(one, Form) for name, one in forms.items()}
        growing.write_text(json.dumps(plain), encoding="utf-8")
        os.link(growing, folder / FORMS)
    except OSError:
        pass  # somebody was faster, or the disk is full: then each process goes by its own first
    try:
        growing.unlink()
    except OSError:
        pass  # it was never there
    return agreed(folder) or dict(forms)
