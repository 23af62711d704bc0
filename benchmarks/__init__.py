"""Measurements of what must be fast; `make bench` runs them all."""
