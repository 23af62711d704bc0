"""A user's mistake."""

from __future__ import annotations


class UsageError(Exception):
    """One line: what is wrong, where, and what would be right."""
