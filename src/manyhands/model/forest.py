"""Merging in a fixed order of combination whatever the order of arrival.

A merge that is not a sum (a program's own float merger, a user's command) gives other bits if it is
grouped otherwise. So a partial is an ordered forest: aligned dyadic nodes, a node (start, level)
holding the 2^level blocks from `start`. Merging is a union, after which two neighbours of one level
combine, left with right, if together they are aligned at the next level. Each node is then combined
in exactly one way, and the answer over all blocks is the tree of RFC 6962, section 2.1, whoever
merged what and when. The price is up to log2(n) + 1 outputs for n blocks from an aligned start,
and 2·log2(n + 2) - 2 from any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from manyhands.model.checks import require, require_count
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span

T = TypeVar("T")


@dataclass(frozen=True)
class Node(Generic[T]):
    """The merged data of the 2^level blocks from `start`."""

    start: int
    level: int
    data: T

    def __post_init__(self) -> None:
        require_count("level", self.level)
        require_count("start", self.start)
        aligned = self.start % (1 << self.level) == 0
        require(aligned, "start", self.start, f"a multiple of 2^level = {1 << self.level}")

    @property
    def end(self) -> int:
        """The first block after it."""
        return self.start + (1 << self.level)

    @property
    def span(self) -> Span:
        """Its blocks."""
        return Span(BLOCK_LINE, self.start, self.end)


@dataclass(frozen=True)
class Forest(Generic[T]):
    """The nodes of a partial by start: disjoint, and no two left that could combine."""

    nodes: tuple[Node[T], ...] = ()

    def __post_init__(self) -> None:
        require(type(self.nodes) is tuple, "nodes", self.nodes, "a tuple of Node")
        for left, right in zip(self.nodes, self.nodes[1:]):
            if left.end > right.start or _are_siblings(left, right):
                expected = f"behind {left} and not to be combined with it (merge does this)"
                require(False, "nodes", right, expected)

    @property
    def coverage(self) -> Coverage:
        """The blocks it holds."""
        return Coverage.of(node.span for node in self.nodes)


def leaf(block: int, data: T) -> Forest[T]:
    """The forest of one block."""
    return Forest((Node(block, 0, data),))


def merge(a: Forest[T], b: Forest[T], combine: Callable[[T, T], T]) -> Forest[T]:
    """The forest of all blocks of both, which must be disjoint (else Overlap)."""
    nodes = sorted(a.nodes + b.nodes, key=lambda node: node.start)
    # All are looked at before any is combined: combining may cost minutes.
    _refuse_overlap(nodes)
    merged: list[Node[T]] = []
    for node in nodes:
        merged.append(node)
        # Like the carries of a binary counter: only the last two can have become siblings.
        while len(merged) > 1 and _are_siblings(merged[-2], merged[-1]):
            right, left = merged.pop(), merged.pop()
            merged.append(Node(left.start, left.level + 1, combine(left.data, right.data)))
    return Forest(tuple(merged))


def answer(forest: Forest[T], blocks: int, combine: Callable[[T, T], T]) -> T:
    """The data of blocks 0 to blocks - 1, which must be exactly those of the forest."""
    require_count("blocks", blocks, 1)
    _require_exactly(Coverage((Span(BLOCK_LINE, 0, blocks),)), forest.coverage)
    *others, last = forest.nodes
    result = last.data
    for node in reversed(others):
        result = combine(node.data, result)
    return result


def _are_siblings(left: Node[T], right: Node[T]) -> bool:
    return (
        left.level == right.level
        and left.end == right.start
        and left.start % (2 << left.level) == 0
    )


def _require_exactly(wanted: Coverage, held: Coverage) -> None:
    if held != wanted:
        lacking, beyond = (wanted - held).spans, (held - wanted).spans
        expected = f"{wanted.spans}: {lacking} are lacking, {beyond} are too much"
        require(False, "forest.coverage", held.spans, expected)


def _refuse_overlap(nodes: Iterable[Node[T]]) -> None:
    """Raise Overlap if two of the nodes, sorted by start, have a common block."""
    Coverage.of(node.span for node in nodes)
