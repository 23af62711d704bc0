"""Forests under a combination that is neither commutative nor associative: its own description."""

from __future__ import annotations

from functools import reduce
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.coverage import BLOCK_LINE, Coverage, Overlap, Span
from manyhands.model.forest import Forest, Node, answer, leaf, merge


def combine(left: str, right: str) -> str:
    return f"({left} {right})"


def leaves(start: int, end: int) -> list[Forest[str]]:
    return [leaf(block, str(block)) for block in range(start, end)]


def in_one_process(start: int, end: int) -> Forest[str]:
    """What a hand has that computes the blocks alone, one after the other."""
    return reduce(lambda a, b: merge(a, b, combine), leaves(start, end), Forest[str]())


def rfc_6962(start: int, end: int) -> str:
    """The tree by its definition: the left part is the largest power of two below the whole."""
    size = end - start
    if size == 1:
        return str(start)
    left = 1 << ((size - 1).bit_length() - 1)
    return combine(rfc_6962(start, start + left), rfc_6962(start + left, end))


@given(st.integers(1, 70), st.integers(0, 2**32))
def test_any_order_and_grouping_gives_the_same_tree(blocks: int, seed: int) -> None:
    random = Random(seed)
    partials = leaves(0, blocks)
    while len(partials) > 1:
        chosen = random.sample(range(len(partials)), 2)
        a, b = (partials[i] for i in chosen)
        partials = [partials[i] for i in range(len(partials)) if i not in chosen]
        partials.append(merge(a, b, combine))
    assert partials[0] == in_one_process(0, blocks)
    assert answer(partials[0], blocks, combine) == rfc_6962(0, blocks)


@given(st.integers(1, 60), st.lists(st.integers(0, 4), min_size=60, max_size=60))
def test_partials_of_scattered_blocks_merge_alike(blocks: int, owners: list[int]) -> None:
    partials = [Forest[str]() for _ in range(5)]
    for block in range(blocks):
        partials[owners[block]] = merge(leaf(block, str(block)), partials[owners[block]], combine)
    for owner, partial in enumerate(partials):
        mine = [Span(BLOCK_LINE, i, i + 1) for i in range(blocks) if owners[i] == owner]
        assert partial.coverage == Coverage.of(mine)
    whole = reduce(lambda a, b: merge(b, a, combine), partials)
    assert whole == in_one_process(0, blocks)


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 8, 100, 127, 128, 129])
def test_a_prefix_has_one_node_per_binary_digit(blocks: int) -> None:
    assert len(in_one_process(0, blocks).nodes) == bin(blocks).count("1")


def test_a_lease_has_few_nodes_wherever_it_starts() -> None:
    most = 0
    for start in range(20):
        for size in range(1, 66):
            nodes = len(in_one_process(start, start + size).nodes)
            assert 2 ** (nodes + 2) <= (size + 2) ** 2
            most = max(most, nodes)
    assert most == 10  # the bound is met: 62 blocks from block 1


def test_each_node_is_combined_once() -> None:
    combined = []

    def recording(left: str, right: str) -> str:
        combined.append(left + right)
        return left + right

    forest = reduce(lambda a, b: merge(a, b, recording), [leaf(i, "abcdefg"[i]) for i in range(7)])
    assert combined == ["ab", "cd", "abcd", "ef"]
    assert [node.data for node in forest.nodes] == ["abcd", "ef", "g"]


def test_a_common_block_is_refused_before_anything_is_combined() -> None:
    def never(left: str, right: str) -> str:
        raise AssertionError("combined too early")

    a, b = merge(leaf(0, "0"), leaf(9, "9"), never), merge(leaf(1, "1"), leaf(9, "9"), never)
    with pytest.raises(Overlap, match="start=9, end=10"):
        merge(a, b, never)
    with pytest.raises(Overlap, match="start=2, end=3"):
        merge(in_one_process(0, 4), leaf(2, "2"), never)


@pytest.mark.parametrize(
    ("forest", "blocks", "named"),
    [
        (in_one_process(0, 5), 6, "start=5, end=6"),
        (in_one_process(0, 5), 4, "start=4, end=5"),
        (in_one_process(1, 5), 5, "start=0, end=1"),
        (in_one_process(0, 5), 0, "^blocks"),
        (Forest[str](), 1, "start=0, end=1"),
    ],
)
def test_an_answer_needs_exactly_its_blocks(forest: Forest[str], blocks: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        answer(forest, blocks, combine)


@pytest.mark.parametrize(
    ("start", "level", "field"),
    [(2, 2, "start"), (1, 1, "start"), (-4, 2, "start"), (0, -1, "level"), (True, 0, "start")],
)
def test_a_node_is_aligned(start: int, level: int, field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is "):
        Node(start, level, "")


@pytest.mark.parametrize(
    "nodes",
    [
        [Node(0, 0, "")],
        (Node(4, 0, ""), Node(0, 0, "")),
        (Node(0, 2, ""), Node(3, 0, "")),
        (Node(0, 0, ""), Node(1, 0, "")),
    ],
    ids=["not a tuple", "not sorted", "not disjoint", "not combined"],
)
def test_a_forest_is_in_normal_form(nodes: Any) -> None:
    with pytest.raises(ValueError, match=r"^nodes is "):
        Forest(nodes)
    Forest((Node(1, 0, ""), Node(2, 0, "")))  # neighbours, but of two parents
