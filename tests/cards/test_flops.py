"""Tests of `runout.cards.flops`."""

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from runout.cards.deck import (
    NUM_CARDS,
    SUITS,
    card_suit,
    combo_cards,
    combo_index,
    format_cards,
    live_combos,
    make_card,
    parse_board,
    parse_card,
    parse_cards,
)
from runout.cards.flops import (
    LABELS,
    NUM_FLOPS,
    SHIPPED_SUBSET_SIZES,
    SHIPPED_SUBSETS,
    SUBSETS_FILE,
    SUIT_MAPPINGS,
    CanonicalBoard,
    GivenFlop,
    RunoutSubset,
    SuitMapping,
    TextureKind,
    all_flops,
    canonical_flop,
    combo_images,
    describe_texture,
    enumerate_runouts,
    explicit_flops,
    flop_multiplicity,
    random_flops,
    subset_flops,
    suit_stabilizer,
)
from runout.errors import CardError, FlopListError
from tests.reference.hand_isomorphism import canonicalize_holding


def test_all_flops_are_the_1755_classes_with_their_share_of_22100():
    counts = Counter(CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3))
    flops = all_flops()
    assert len(flops) == 1_755
    assert dict(zip(flops.flops, flops.weights * NUM_FLOPS, strict=True)) == pytest.approx(counts)
    assert flops.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("text", ["AhKd7s", "7s Kd Ah", "9c6c2c", "2h2d2c", "KdKc7d"])
def test_a_given_flop_keeps_its_cards_and_is_solved_as_the_canonical_one(text):
    given = GivenFlop.parse(text)
    assert given.name == text.replace(" ", "")
    assert given.canonical == canonical_flop(parse_cards(text))


def test_a_given_flop_is_three_different_cards():
    for text in ("AhKd", "AhAh2d"):
        with pytest.raises(CardError):
            GivenFlop.parse(text)


def test_all_flops_fall_from_aces_to_deuces():
    flops = all_flops().flops
    assert [format_cards(flop) for flop in flops[:3]] == ["AsAhAd", "AsAhKs", "AsAhKd"]
    assert format_cards(flops[-1]) == "2s2h2d"
    assert list(flops) == sorted(flops, reverse=True)


def test_weights_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        all_flops().weights[0] = 1


def test_explicit_flops_keep_their_order_and_get_true_proportions():
    flops = explicit_flops(["7c Kd Ah", parse_cards("2h2d2c"), "9d8d7d", "QhQd4h"])
    assert [format_cards(flop) for flop in flops.flops] == ["AsKh7d", "2s2h2d", "9s8s7s", "QsQh4s"]
    np.testing.assert_allclose(flops.weights, np.array([24, 4, 4, 12]) / 44)


def test_one_explicit_flop_has_all_the_weight():
    flops = explicit_flops(["AhKd7c"])
    assert len(flops) == 1
    assert flops.weights.tolist() == [1.0]
    assert flops == explicit_flops([parse_board("AsKh7d")])
    assert flops != explicit_flops(["AhKd7d"])


def test_flops_that_coincide_are_refused_in_both_spellings():
    with pytest.raises(FlopListError, match=r"^flops AhKd7c and AsKh7d: both are AsKh7d up to"):
        explicit_flops(["Ah Kd 7c", "2c2d2h", "AsKh7d"])
    with pytest.raises(FlopListError, match=r"^flops AhKd7c and 7dAcKh: "):
        explicit_flops([parse_cards("AhKd7c"), parse_cards("7dAcKh")])


def test_empty_lists_are_refused():
    with pytest.raises(FlopListError, match=r"^flops: the list is empty$"):
        explicit_flops([])


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("AhKd", "2 cards, a flop has 3"),
        ("AhKd7c2s", "4 cards, a flop has 3"),
        ("AhKdAh", "Ah: dealt twice"),
        ("AhKdXx", "'X' is not a rank"),
        ((0, 1, 60), "card 60: card ids are"),
    ],
)
def test_entries_that_are_no_flops_are_refused(entry, problem):
    with pytest.raises(CardError, match=problem):
        explicit_flops(["2s2h2d", entry])


@pytest.mark.parametrize("count", [1, 25, 920, 921, 1_300, 1_700, 1_754, 1_755])
def test_random_flops_are_different_and_their_weights_sum_to_one(count):
    flops = random_flops(count, seed=1)
    assert len(flops) == len(set(flops.flops)) == count
    assert set(flops.flops) <= set(all_flops().flops)
    assert list(flops.flops) == sorted(flops.flops, reverse=True)
    assert flops.weights.min() > 0
    assert flops.weights.sum() == pytest.approx(1)


def test_random_flops_depend_on_the_seed_only():
    assert random_flops(50, seed=7) == random_flops(50, seed=7)
    assert random_flops(50, seed=7) != random_flops(50, seed=8)


def test_drawing_all_flops_gives_all_flops():
    flops = random_flops(1_755, seed=3)
    assert flops.flops == all_flops().flops
    np.testing.assert_allclose(flops.weights, all_flops().weights)


@pytest.mark.parametrize("count", [30, 1_200])
def test_random_weights_are_unbiased(count):
    # The mean weight over seeds (0 where not drawn) is the flop's true share.
    num_seeds = 1_000
    index_by_flop = {flop: index for index, flop in enumerate(all_flops().flops)}
    mean = np.zeros(1_755)
    for seed in range(num_seeds):
        flops = random_flops(count, seed)
        mean[[index_by_flop[flop] for flop in flops.flops]] += flops.weights / num_seeds
    shares = all_flops().weights
    # 1 / count per draw at most: a draw is binary, so its variance is below share * 24 / 22100.
    largest_weight = max(1 / count, 24 / NUM_FLOPS)
    standard_errors = np.sqrt(shares * largest_weight / num_seeds)
    assert np.abs(mean - shares).max() < 5 * standard_errors.max()
    for multiplicity in (4, 12, 24):
        group = np.rint(shares * NUM_FLOPS) == multiplicity
        assert mean[group].sum() == pytest.approx(shares[group].sum(), rel=0.03)


@pytest.mark.parametrize("count", [0, -1, 1_756])
def test_impossible_sample_sizes_are_refused(count):
    with pytest.raises(FlopListError, match=f"^{count} random flops: between 1 and 1755"):
        random_flops(count, seed=0)


@pytest.mark.parametrize(("size", "draw"), SHIPPED_SUBSETS)
def test_shipped_subsets_hold_different_canonical_flops(size, draw):
    flops = subset_flops(size, draw)
    assert len(flops) == len(set(flops.flops)) == size
    assert set(flops.flops) <= set(all_flops().flops)
    assert flops.weights.min() > 0
    assert flops.weights.sum() == pytest.approx(1)
    assert not flops.weights.flags.writeable


@pytest.mark.parametrize("size", [25, 50, 100, 200])
def test_draws_of_a_size_have_no_flop_in_common(size):
    assert not set(subset_flops(size).flops) & set(subset_flops(size, 1).flops)


def test_larger_subsets_have_smaller_errors():
    errors = [
        json.loads(SUBSETS_FILE.read_text())[str(size)]["errors"] for size in SHIPPED_SUBSET_SIZES
    ]
    for name in ("matchup_rms", "matchup_max", "hand_rms", "hand_max", "deal_rms"):
        values = [error[name] for error in errors]
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("size", "draw"), SHIPPED_SUBSETS)
def test_shipped_subsets_have_nearly_the_true_share_of_each_suit_pattern(size, draw):
    flops = subset_flops(size, draw)
    largest_error = 0.02 if size >= 25 else 0.5 / size  # a flop cannot be halved
    for pattern, share in [("rainbow", 0.3976), ("two-tone", 0.5506), ("monotone", 0.0518)]:
        is_pattern = [describe_texture(flop)["suits"] == pattern for flop in flops.flops]
        assert flops.weights[is_pattern].sum() == pytest.approx(share, abs=largest_error)


def test_unknown_subset_sizes_are_refused():
    with pytest.raises(
        FlopListError,
        match=r"^flop subset of 30: the shipped subsets have 8, 13, 25, 50, 100, 200 flops$",
    ):
        subset_flops(30)
    with pytest.raises(FlopListError, match=r"^draw 1 of 8 flops: shipped: 0, from 25"):
        subset_flops(8, 1)


@pytest.mark.parametrize(
    ("text", "multiplicity"),
    [("AhKd7c", 24), ("AhKh7c", 12), ("AhKh7h", 4), ("AhAd7c", 12), ("AhAd7d", 12), ("8h8d8c", 4)],
)
def test_multiplicity_counts_the_flops_that_are_the_same(text, multiplicity):
    assert flop_multiplicity(parse_board(text)) == multiplicity


def test_canonical_flop_refuses_other_boards():
    with pytest.raises(CardError, match="4 cards, a flop has 3"):
        canonical_flop(parse_cards("AhKd7c2s"))


def test_flops_keep_the_names_that_they_were_given():
    listed = explicit_flops(["7s Ah Kd", parse_cards("Tc9h2d")])
    assert listed.names == ("7sAhKd", "Tc9h2d")
    assert [format_cards(flop) for flop in listed.flops] == ["AsKh7d", "Ts9h2d"]
    assert listed == explicit_flops(["AsKh7d", "Ts9h2d"])


def test_flops_that_nobody_named_are_called_by_their_canonical_cards():
    listed = subset_flops(SHIPPED_SUBSET_SIZES[0])
    assert listed.names == tuple(map(format_cards, listed.flops))


CLUBS, DIAMONDS, HEARTS, SPADES = range(len(SUITS))

BOARDS = [
    "AhKd7c",  # rainbow
    "AhKh7c",  # two-tone
    "AhKh7h",  # monotone
    "AhAd7c",  # paired, rainbow
    "AhAd7d",  # paired, two-tone
    "8h8d8c",  # trips
    "AhKd7c2s",
    "AhKh7c2c",  # two suits of two cards
    "AhAd7h7d",
    "8h8d8c8s",
    "AhKd7c2s2c",
    "Th9h8h7h6h",
    "QhQdQcJhJd",
    "KhKd5h5d3c",
]


def canonical(text: str) -> CanonicalBoard:
    return CanonicalBoard.from_cards(parse_board(text))


# Examples by hand.


def test_identity_mapping_preserves_suits():
    assert [SuitMapping.identity().new_suits[suit] for suit in range(4)] == [0, 1, 2, 3]


def test_identity_mapping_preserves_cards():
    assert SuitMapping.identity().map_card(parse_card("Ah")) == parse_card("Ah")


def test_rainbow_flop_orders_suits_by_highest_card():
    assert format_cards(canonical("AhKd7c").cards) == "AsKh7d"


def test_monotone_flop_becomes_spades():
    assert format_cards(canonical("AhKh7h").cards) == "AsKs7s"


def test_two_tone_flop_makes_the_common_suit_spades():
    assert format_cards(canonical("AhKh7c").cards) == "AsKs7h"


def test_isomorphic_boards_have_the_same_canonical_board():
    assert canonical("AhKd7c").cards == canonical("AsKh7d").cards


def test_holding_is_mapped_consistently_with_the_board():
    holding = canonicalize_holding(canonical("AhKd7c"), *parse_cards("QhJh"))
    assert format_cards(holding) == "QsJs"


# All boards, and what holds for any.


def test_most_common_suit_becomes_spades_even_with_low_cards():
    assert format_cards(canonical("Ac7d2d").cards) == "Ah7s2s"


def test_equal_counts_are_ordered_by_the_second_rank_too():
    assert format_cards(canonical("AcAd9c8d").cards) == "AsAh9s8h"
    assert format_cards(canonical("AcAd8c9d").cards) == "AsAh9s8h"


@pytest.mark.parametrize("text", BOARDS)
def test_suits_and_dealing_order_do_not_change_the_canonical_board(text):
    board = parse_board(text)
    expected = canonical(text).cards
    for mapping in SUIT_MAPPINGS:
        for dealt in permutations(mapping.map_cards(board)):
            assert CanonicalBoard.from_cards(dealt).cards == expected


@pytest.mark.parametrize("text", BOARDS)
def test_the_mapping_leads_to_the_canonical_board(text):
    result = canonical(text)
    mapped = result.mapping.map_cards(parse_board(text))
    assert tuple(sorted(mapped, reverse=True)) == result.cards


@pytest.mark.parametrize("text", BOARDS)
def test_canonical_board_is_its_own_canonical_board(text):
    again = CanonicalBoard.from_cards(canonical(text).cards)
    assert again.cards == canonical(text).cards
    assert again.mapping == SuitMapping.identity()


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.parametrize("holding_text", ["QsJs", "5c4s", "6d6s", "As2d", "9c3h"])
def test_suits_and_order_do_not_change_the_canonical_holding(text, holding_text):
    board, (card_a, card_b) = parse_board(text), parse_cards(holding_text)
    if {card_a, card_b} & set(board):
        pytest.skip("the board holds the card")
    expected = canonicalize_holding(canonical(text), card_a, card_b)
    for mapping in SUIT_MAPPINGS:
        a, b = mapping.map_cards((card_a, card_b))
        dealt = CanonicalBoard.from_cards(mapping.map_cards(reversed(board)))
        assert canonicalize_holding(dealt, a, b) == expected
        assert canonicalize_holding(dealt, b, a) == expected


def count_holdings(flop: tuple[int, ...]) -> int:
    """Returns the orbits of holdings under the flop's symmetries, by Burnside's lemma."""
    stabilizer = suit_stabilizer(flop)
    live = [card for card in range(52) if card not in flop]
    num_fixed = 0
    for mapping in stabilizer:
        num_kept = sum(mapping.map_card(card) == card for card in live)
        is_swap = mapping.then(mapping) == SuitMapping.identity()
        num_swaps = (len(live) - num_kept) // 2 if is_swap else 0
        num_fixed += num_kept * (num_kept - 1) // 2 + num_swaps
    return num_fixed // len(stabilizer)


@pytest.mark.parametrize(
    ("text", "num_classes"),
    [("AhKd7c", 1176), ("AhKh7c", None), ("AhKh7h", 344), ("AhAd7c", None), ("8h8d8c", None)],
)
def test_holdings_fall_into_as_many_classes_as_the_symmetries_leave(text, num_classes):
    board = parse_board(text)
    live = [card for card in range(52) if card not in board]
    classes = {canonicalize_holding(canonical(text), *pair) for pair in combinations(live, 2)}
    assert len(classes) == count_holdings(board)
    assert num_classes is None or len(classes) == num_classes


def test_flops_fall_into_1755_classes_whose_sizes_are_the_orbits_of_suits():
    sizes = Counter(CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3))
    assert len(sizes) == 1755
    assert sum(sizes.values()) == 22_100
    for flop, size in sizes.items():
        assert size == 24 // len(suit_stabilizer(flop))


def test_holding_and_flop_classes_number_1286792():
    flops = {CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3)}
    assert sum(map(count_holdings, flops)) == 1_286_792


@pytest.mark.parametrize("mapping", SUIT_MAPPINGS, ids=lambda mapping: str(mapping.new_suits))
def test_inverse_undoes_every_mapping(mapping):
    cards = tuple(range(52))
    assert mapping.inverse().map_cards(mapping.map_cards(cards)) == cards
    assert mapping.then(mapping.inverse()) == SuitMapping.identity()
    assert mapping.inverse().then(mapping) == SuitMapping.identity()


def test_a_cycle_of_three_suits_is_not_its_own_inverse():
    cycle = SuitMapping((DIAMONDS, HEARTS, CLUBS, SPADES))
    assert cycle.new_suits[CLUBS] == DIAMONDS
    assert cycle.inverse().new_suits[DIAMONDS] == CLUBS
    assert cycle.inverse() == cycle.then(cycle) != cycle


def test_composition_applies_the_left_mapping_first():
    for first in SUIT_MAPPINGS:
        for second in SUIT_MAPPINGS:
            expected = [second.new_suits[first.new_suits[suit]] for suit in range(4)]
            assert list(first.then(second).new_suits) == expected


@pytest.mark.parametrize(
    ("cards", "size"),
    [("", 24), ("As", 6), ("AsKs", 6), ("AsKh", 2), ("AsAh", 4), ("AsAhAd", 6), ("AsKhQd", 1)],
)
def test_stabilizer_has_the_permutations_that_keep_the_cards(cards, size):
    stabilizer = suit_stabilizer(parse_cards(cards))
    assert len(stabilizer) == size
    assert stabilizer[0] == SuitMapping.identity()


@pytest.mark.parametrize(
    ("board", "problem"),
    [
        ((), "0 cards, a board has 3"),
        ((0, 1), "2 cards, a board has 3"),
        ((0, 1, 2, 3, 4, 5), "6 cards, a board has 3"),
        ((0, 1, 0), "2c: dealt twice"),
        ((0, 1, 52), "card 52: card ids are 0 to 51"),
    ],
)
def test_invalid_boards_are_refused(board, problem):
    with pytest.raises(CardError, match=problem):
        CanonicalBoard.from_cards(board)


@pytest.mark.parametrize(
    ("text", "texture"),
    [
        ("AhKd7c", ["A high", "rainbow", "unpaired", "disconnected"]),
        ("AhKhTc", ["A high", "two-tone", "unpaired", "connected"]),
        ("Ah2h5h", ["A high", "monotone", "unpaired", "connected"]),
        ("6h2d3c", ["6 high", "rainbow", "unpaired", "connected"]),
        ("7h2d3c", ["7 high", "rainbow", "unpaired", "disconnected"]),
        ("Ah2d6c", ["A high", "rainbow", "unpaired", "disconnected"]),
        ("KhAd2c", ["A high", "rainbow", "unpaired", "disconnected"]),
        ("JhJdTd", ["J high", "two-tone", "paired", "disconnected"]),
        ("8h8d8c", ["8 high", "rainbow", "trips", "disconnected"]),
    ],
)
def test_textures_are_what_players_call_them(text, texture):
    assert list(describe_texture(parse_board(text)).values()) == texture


def test_textures_have_their_exact_shares():
    shares: Counter[str] = Counter()
    flops = all_flops()
    for flop in flops.flops:
        for label in describe_texture(flop).values():
            shares[label] += flop_multiplicity(flop)
    assert shares["monotone"] == 4 * 286
    assert shares["two-tone"] == 12 * (3 * 286 + 156)
    assert shares["rainbow"] == 24 * 286 + 12 * 156 + 4 * 13
    assert (shares["unpaired"], shares["paired"], shares["trips"]) == (18_304, 3_744, 52)
    # Ranks within a span of five: 6 triples with each lowest rank A..T, 3 with J, 1 with Q.
    assert shares["connected"] == 64 * 64


def count_labels(weigh):
    """Returns the weight of all flops with each label."""
    counts: Counter[str] = Counter()
    for flop in all_flops().flops:
        for label in describe_texture(flop).values():
            counts[label] += weigh(flop)
    return counts


def test_every_flop_has_one_label_of_each_kind():
    for flop in all_flops().flops:
        labels = describe_texture(flop)
        assert list(labels) == list(TextureKind)
        assert all(label in LABELS[kind] for kind, label in labels.items())


def test_the_1755_flops_are_counted_by_suits_pairs_and_straights():
    """Three different ranks have 286 forms, a pair and a kicker 156, trips 13.

    Three ranks come in one suit, in two in three ways, or in three; a pair and a kicker in two or
    three; trips in three. Straights take ranks within five: 64 of the 286 forms, in 5 ways each.
    """
    counts = count_labels(lambda flop: 1)
    assert counts["monotone"] == 286
    assert counts["two-tone"] == 3 * 286 + 156 == 1_014
    assert counts["rainbow"] == 286 + 156 + 13 == 455
    assert (counts["unpaired"], counts["paired"], counts["trips"]) == (5 * 286, 2 * 156, 13)
    assert counts["connected"] == 5 * 64
    assert counts["disconnected"] == 1_755 - 5 * 64


def test_high_cards_have_their_share_of_all_deals():
    """Flops whose highest rank is r are those of the cards up to r less those below it."""
    counts = count_labels(flop_multiplicity)
    for rank, label in enumerate(reversed(LABELS[TextureKind.HIGH])):
        up_to, below = 4 * (rank + 1), 4 * rank
        assert counts[label] == choose_three(up_to) - choose_three(below)
    assert counts["A high"] == 4_804


def choose_three(number):
    return number * (number - 1) * (number - 2) // 6


# Board, suit permutations that keep it, and completions up to them (by Burnside's lemma).
BOARDS_TEST_RUNOUTS = [
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


@pytest.mark.parametrize(("board", "num_symmetries", "num_classes"), BOARDS_TEST_RUNOUTS)
def test_weights_count_every_completion(board, num_symmetries, num_classes):
    cards = parse_board(board)
    runouts = enumerate_runouts(cards)
    assert len(runouts.symmetries) == num_symmetries
    assert runouts.weight.sum() == {3: 1_176, 4: 48, 5: 1}[len(cards)]
    assert len(runouts.boards) == len(runouts.weight) == num_classes


@pytest.mark.parametrize("board", [board for board, _, _ in BOARDS_TEST_RUNOUTS])
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


@pytest.mark.parametrize("board", [board for board, _, _ in BOARDS_TEST_RUNOUTS])
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


def classes_after(board):
    """Returns the cards that can come after a board, each by itself."""
    return [(card,) for card in range(NUM_CARDS) if card not in board]


@pytest.mark.parametrize(
    ("board", "subset"), [("QsTs5h", RunoutSubset(12)), ("QsTs5h2s", RunoutSubset(rivers=12))]
)
def test_each_card_has_mean_weight_one_over_seeds(board, subset):
    cards = parse_board(board)
    classes = classes_after(cards)
    drawn = [replace(subset, seed=seed).draw(cards, classes) for seed in range(3000)]
    assert all(weights.sum() == pytest.approx(len(classes)) for weights in drawn)
    np.testing.assert_allclose(np.mean(drawn, axis=0), 1.0, atol=0.17)  # 0.03 of one deviation
    assert np.mean(drawn) == pytest.approx(1.0)


def test_a_draw_depends_on_board_and_seed_alone():
    classes = classes_after(parse_board("QsTs5h"))
    first, again = (RunoutSubset(12).draw(parse_board("QsTs5h"), classes) for _ in range(2))
    other = RunoutSubset(12, seed=1).draw(parse_board("QsTs5h"), classes)
    np.testing.assert_array_equal(first, again)
    assert (first > 0).sum() == 12
    assert (first != other).any()


def test_a_draw_has_its_share_of_flush_cards():
    board = parse_board("QsTs5h")
    is_spade = np.array([card_suit(card) == 3 for (card,) in classes_after(board)])
    for seed in range(20):
        drawn = RunoutSubset(14, seed=seed).draw(board, classes_after(board)) > 0
        assert drawn[is_spade].sum() in (3, 4)


def test_rivers_of_one_rank_that_bring_no_flush_come_together():
    board = parse_board("QsTs5h2d")
    weights = RunoutSubset(rivers=8).draw(board, classes_after(board))
    by_card = dict(zip([card for (card,) in classes_after(board)], weights, strict=True))
    for rank in range(13):
        alike = {
            by_card[make_card(rank, suit)] for suit in range(3) if make_card(rank, suit) in by_card
        }
        assert len(alike) <= 1
