from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.combos import combo_cards, combo_index, live_combos
from runout.cards.isomorphism import suit_stabilizer
from runout.equity.runouts import combo_images, enumerate_runouts

# Board, suit permutations that keep it, and completions up to them (by Burnside's lemma).
BOARDS = [
    ("AhKsQd", 1, 1_176),  # rainbow: every suit is told apart
    ("AhKhQd", 2, 721),  # two-tone: the two absent suits can be swapped
    ("AhKhQh", 6, 344),  # monotone: three suits can be permuted
    ("AhAdKs", 2, 744),
    ("AhAdAs", 6, 378),
    ("AhAdKhKd", 4, 24),
    ("AhKsQd7c", 1, 48),
    ("AhKhQh7h", 6, 22),
    ("AhAdAsAc", 24, 12),
    ("AhKhQh7h2d", 2, 1),
]


@pytest.mark.parametrize(("board", "num_symmetries", "num_classes"), BOARDS)
def test_weights_count_every_completion(board, num_symmetries, num_classes):
    cards = parse_board(board)
    runouts = enumerate_runouts(cards)
    assert len(runouts.symmetries) == num_symmetries
    assert runouts.weight.sum() == {3: 1_176, 4: 48, 5: 1}[len(cards)]
    assert len(runouts.boards) == len(runouts.weight) == num_classes


@pytest.mark.parametrize("board", [board for board, _, _ in BOARDS])
def test_images_of_the_representatives_are_all_completions(board):
    cards = parse_board(board)
    runouts = enumerate_runouts(cards)
    images = Counter()
    for complete, weight in zip(runouts.boards.tolist(), runouts.weight.tolist(), strict=True):
        orbit = {frozenset(mapping.map_cards(complete)) for mapping in runouts.symmetries}
        assert len(orbit) == weight
        images.update(orbit)
    rest = set(range(52)) - set(cards)
    completions = {frozenset({*cards, *new}) for new in combinations(rest, 5 - len(cards))}
    assert images == Counter(completions)


@pytest.mark.parametrize("board", [board for board, _, _ in BOARDS])
def test_representatives_begin_with_the_board_and_equal_weights_are_neighbours(board):
    cards = parse_board(board)
    runouts = enumerate_runouts(cards)
    assert (runouts.boards[:, : len(cards)] == cards).all()
    assert all(len(set(complete)) == 5 for complete in runouts.boards.tolist())
    assert (np.diff(runouts.weight) >= 0).all()


def test_order_of_the_board_changes_nothing_but_the_order():
    one, other = (enumerate_runouts(parse_board(text)) for text in ("AhKhQd", "QdAhKh"))
    assert sorted(map(sorted, one.boards.tolist())) == sorted(map(sorted, other.boards.tolist()))


@pytest.mark.parametrize("board", ["AhKhQh", "AhAdKs", "AhAdAsAc"])
def test_combo_images_follow_the_cards(board):
    cards = parse_board(board)
    combos, symmetries = live_combos(cards), suit_stabilizer(cards)
    images = combo_images(combos, symmetries)
    assert images.shape == (len(symmetries), len(combos))
    np.testing.assert_array_equal(images[0], np.arange(len(combos)))  # the identity comes first
    for mapping, image in zip(symmetries, images, strict=True):
        moved = [combo_index(*mapping.map_cards(combo_cards(combo))) for combo in combos]
        assert combos[image].tolist() == moved
