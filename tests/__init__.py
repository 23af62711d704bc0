"""Tests, laid out like src/manyhands, and `tidy`, which keeps the house in order."""
