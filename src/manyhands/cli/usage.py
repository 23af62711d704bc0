"""A user's mistake."""

from __future__ import annotations

from manyhands.model.checks import Mistake


class UsageError(Mistake):
    """On the command line."""
