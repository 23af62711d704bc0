"""Run a Monte-Carlo computation on whatever machines can be had, losing and doubling nothing."""

__version__ = "0.1.0"
