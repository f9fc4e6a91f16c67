from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from runout.cards.deck import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    card_rank,
    card_suit,
    combo_cards,
    live_combos,
    parse_board,
    parse_combo,
)
from runout.cards.flops import NUM_FLOPS, all_flops
from runout.cards.hand_classes import (
    HAND_CLASS_NAMES,
    Draw,
    HandClasses,
    Kicker,
    MadeHand,
    classify_hands,
    parse_hand_classes,
)
from runout.cards.hand_ranking import HandCategory, category
from runout.errors import CardError
from tests.cards.test_hand_ranking import random_boards
from tests.reference.showdowns import strengths_on

ROOT = Path(__file__).parents[2]
MADE_NAMES = [made.label for made in MadeHand if made != MadeHand.BLOCKED]
DRAW_NAMES = [draw.label for draw in Draw]

# Board, made hand, and combos that have it.
MADE_HANDS = [
    ("Kh8d3c", "overpair", "AhAd"),
    ("Kh8d3c", "underpair", "QhQd 9h9d 7h7d 2h2d"),
    ("Kh8d3c", "top-pair", "KdQh Ks2s AcKc"),
    ("Kh8d3c", "middle-pair", "Ah8h 8c7c"),
    ("Kh8d3c", "low-pair", "Ah3h 3d2d"),
    ("Kh8d3c", "two-pair", "Kd8h Ks3s 8c3d"),
    ("Kh8d3c", "sets", "KsKd 8h8c 3h3d"),
    ("Kh8d3c", "one-overcard", "AhQd As2s"),
    ("Kh8d3c", "no-overcards", "QhJd 5s4s"),
    ("Th8d3c", "two-overcards", "AhKd QhJd"),
    # A pair on the board is nobody's.
    ("KhKd7c", "middle-pair", "Ah7h 7d2d"),
    ("KhKd7c", "trips", "AhKc Ks2s"),
    ("KhKd7c", "full-houses", "7h7d Kc7d"),
    ("KhKd7c", "overpair", "AhAd"),
    ("KhKd7c", "underpair", "QhQd 2h2d"),
    ("KhKd7c", "one-overcard", "AhQd"),
    ("KhKd7c", "no-overcards", "QhJd"),
    ("KhKd7c", "quads", "KcKs"),
    ("7h7d2c", "top-pair", ""),
    ("7h7dKc", "top-pair", "AhKh"),
    ("7h7dKc", "trips", "7cAh"),
    # Two pairs on the board: a third pair counts only if it is higher than one of them.
    ("KhKd8c8s", "no-overcards", "3h3d QhJd"),
    ("KhKd8c8s2h", "no-overcards", "3h3d Qd2d"),
    ("KhKd8c8s2h", "plays-board", ""),
    ("KhKd8c8sAh", "plays-board", "3h3d QhJd 7c6c"),
    ("KhKd8c8sAh", "underpair", "9h9d QhQd"),
    ("KhKd8c8sAh", "top-pair", "AdQd Ac2c"),
    # Counterfeited: the lower of two pairs is pushed out.
    ("8h7dKcKs", "middle-pair", "8c7c"),
    ("8h7dKcKsAd", "low-pair", "8c7c"),
    ("QhJdKcKs2d", "middle-pair", "QcJc"),
    ("8h7dKc2s", "two-pair", "8c7c"),
    # Trips and quads on the board.
    ("7h7d7c", "two-overcards", "AhKd"),
    ("7h7d7c", "no-overcards", "3h2d"),
    ("7h7d7c", "full-houses", "2h2d AhAd"),
    ("7h7d7c", "quads", "7sAh"),
    ("7h7d7cKs", "full-houses", "AhKh 2c2d"),
    ("7h7d7cKs", "one-overcard", "AhQh"),
    ("7h7d7c7s", "two-overcards", "AhAd KhQh"),
    ("7h7d7c7sQh", "one-overcard", "AhTd Kd2c"),
    ("7h7d7c7sQh", "plays-board", "JhTd QdQc Qs2c"),
    ("7h7d7c2s2h", "plays-board", "AhKd 2cAc"),
    ("7h7d7c2s2h", "full-houses", "3h3d AcAd"),
    ("7h7d7c2s2h", "quads", "7s3h 2c2d"),
    # Straights, with an ace at both ends.
    ("5h4d3c", "straights", "7h6d 6h2d Ah2d"),
    ("AhKdQc", "straights", "JhTd"),
    ("Ah2d3c", "straights", "5h4d"),
    ("KhAd2c", "one-overcard", ""),
    ("KhAd2c", "no-overcards", "4h3d"),
    ("9h8d7c6s5h", "straights", "TdAd JhTh"),
    ("9h8d7c6s5h", "plays-board", "AhKd 9d9c 4h3h 9s8s"),
    # Flushes.
    ("AhTh4h", "flushes", "KhQh 3h2h"),
    ("AhTh4h", "two-overcards", ""),
    ("AhTh4h", "no-overcards", "KhQd"),
    ("AhTh7h4h2h", "flushes", "Kh2c 3hKs"),
    ("AhTh7h5h4h", "plays-board", "AsAd 3hAc"),
    ("AhTh7h5h4h", "straight-flushes", "3h2h"),
    ("9h8h7h", "straight-flushes", "JhTh Th6h 6h5h"),
    ("9h8h7h", "straights", "JhTd"),
    ("AhKhQhJhTh", "plays-board", "9h8h AsAd 2c2d"),
    ("KhQhJhTh9h", "straight-flushes", "Ah2c"),
    ("KhQhJhTh9h", "plays-board", "8h7h"),
]


@cache
def classify(board: str) -> HandClasses:
    return classify_hands(parse_board(board))


@pytest.mark.parametrize(("board", "name", "combos"), MADE_HANDS)
def test_made_hands_are_named_by_what_the_hole_cards_add(board, name, combos):
    made = classify(board).made
    found = {combo: MadeHand(made[parse_combo(combo)]).label for combo in combos.split()}
    assert found == dict.fromkeys(combos.split(), name)
    if not combos:
        assert name not in {MadeHand(value).label for value in made}


# Board, combo, and all its draws.
DRAWS = [
    ("Kh8h3c", "AhQh", "flush-draws nut-flush-draws"),
    ("Kh8h3c", "QhJh", "flush-draws"),
    ("Ah8h3c", "KhQh", "flush-draws nut-flush-draws"),
    ("Ah8h3h", "KhQd", "flush-draws nut-flush-draws"),
    ("Ah8h3h", "KdQd", ""),
    ("Ah8h3h", "KhQh", ""),  # a flush has no flush draw
    ("Kh8h3c", "AhQd", "backdoor-flush-draws"),
    ("Kh8d3c", "AhQh", "backdoor-flush-draws"),
    ("Kh8d3c", "AhQd", ""),
    ("Kh8d3c2s", "AhQh", ""),  # too late for a backdoor
    ("Kh8d3c2h", "AhQh", "flush-draws nut-flush-draws"),
    ("Kh8h3c2c", "QcJc", "flush-draws"),
    ("Kh8h3h2h", "AdQd", ""),  # four of a suit on the board
    ("9h8d2c", "JsTs", "open-ended"),
    ("9h8d2c", "7s6s", "open-ended"),
    ("9h8d2c", "Js7s", "gutshots"),
    ("9h8d2c", "QsJs", "gutshots"),
    ("9h8d2c", "6s5s", "gutshots"),
    ("9h7d5c", "JsTs", "gutshots"),
    ("9h7d5c", "Js8s", "open-ended"),  # a double gutshot: a six or a ten
    ("9h7d3c", "6s5s", "open-ended"),  # a four or an eight
    ("Ah3d4c", "2sKs", "gutshots"),
    ("Ah3d9c", "5s4s", "gutshots"),
    ("AhKdQc", "JsJh", "gutshots"),
    ("2h3d4c", "As9s", "gutshots"),
    ("2h3d4c", "6s9s", "gutshots"),
    ("2h3d4c", "5s9s", "open-ended"),
    ("9h8d7c", "9s9d", ""),
    ("9h8d7c", "Ts9s", "open-ended"),
    ("9h8d7c", "JsTs", ""),  # a straight has no straight draw
    ("9h8d7c", "Th6h", "backdoor-flush-draws"),
    ("9h8h7c", "JhTh", "flush-draws"),
    ("9h8h2c", "JhTh", "flush-draws open-ended combo-draws"),
    ("9h8h2c", "Ah7h", "flush-draws nut-flush-draws"),
    ("9h8h5c", "Ah7h", "flush-draws nut-flush-draws gutshots combo-draws"),
    ("9h9d8c", "9s8s", ""),  # a full house
    ("8h7d6c5s", "AhKh", ""),  # the board's draw is nobody's
    ("8h7d6c5s", "ThAd", "gutshots"),
    ("8h7d6c2s", "AhTd", "gutshots"),
    ("7h7d7c7s", "AhKh", ""),
    ("Kh8h3c2c9d", "AhQh", ""),  # a river
]


@pytest.mark.parametrize(("board", "combo", "names"), DRAWS)
def test_draws_of_named_hands(board, combo, names):
    has_draw = classify(board).draws[parse_combo(combo)]
    found = [name for name, has in zip(DRAW_NAMES, has_draw, strict=True) if has]
    assert sorted(found) == sorted(names.split())


@pytest.mark.parametrize(
    ("board", "combo", "kicker"),
    [
        ("Kh8d3c", "KdAh", Kicker.TOP),
        ("Kh8d3c", "KdQh", Kicker.GOOD),
        ("Kh8d3c", "KdJh", Kicker.GOOD),
        ("Kh8d3c", "KdTh", Kicker.WEAK),
        ("Ah8d3c", "KdAd", Kicker.TOP),
        ("Ah8d3c", "Ac9d", Kicker.WEAK),
        ("Kh8d3c", "8hAd", Kicker.TOP),
        ("Kh8d3c", "AhAd", Kicker.NONE),
        ("Kh8d3c", "AhQd", Kicker.NONE),
        ("Kh8d3c", "Kd8h", Kicker.NONE),
        ("KhKd3c", "KcAh", Kicker.TOP),
        ("KhKd3c", "Kc2h", Kicker.WEAK),
        ("AhKdQc9h8d", "9cJd", Kicker.WEAK),  # the best that is left, and it does not count
        ("AhKdQc9h", "9cJd", Kicker.WEAK),
        ("AhKd9h", "9cQd", Kicker.TOP),
        ("QhJdKcKs2d", "QcJc", Kicker.WEAK),  # everybody has the jack
        ("KhKdQh8c8s", "QdAd", Kicker.TOP),
    ],
)
def test_kickers_belong_to_pairs_and_trips_of_one_hole_card(board, combo, kicker):
    assert classify(board).kicker[parse_combo(combo)] == kicker


@pytest.mark.parametrize(
    ("board", "ranks"),
    [
        ("Kh8d3c", {"KdKs": 1, "8h8c": 2, "3h3d": 3, "Kd8h": 4, "Kd3h": 5, "8h3h": 6, "AhAd": 7}),
        ("9h8h7h", {"JhTh": 1, "Th6h": 2, "6h5h": 3, "AhKh": 4}),
        ("AhKhQhJhTh", {"2c2d": 1, "9h8h": 1}),
        ("9h8d7c6s5h", {"JhTd": 1, "TdAd": 2, "AhKd": 3, "4h3h": 3}),
        ("Kh8d3c", {"KhAd": 0}),
    ],
)
def test_nut_ranks_count_the_different_hands_that_are_better(board, ranks):
    nut_rank = classify(board).nut_rank
    assert {combo: nut_rank[parse_combo(combo)] for combo in ranks} == ranks


ALLOWED_CATEGORIES = {
    MadeHand.LOW_PAIR: {HandCategory.PAIR, HandCategory.TWO_PAIR},
    MadeHand.UNDERPAIR: {HandCategory.PAIR, HandCategory.TWO_PAIR},
    MadeHand.MIDDLE_PAIR: {HandCategory.PAIR, HandCategory.TWO_PAIR},
    MadeHand.TOP_PAIR: {HandCategory.PAIR, HandCategory.TWO_PAIR},
    MadeHand.OVERPAIR: {HandCategory.PAIR, HandCategory.TWO_PAIR},
    MadeHand.TWO_PAIR: {HandCategory.TWO_PAIR},
    MadeHand.TRIPS: {HandCategory.TRIPS},
    MadeHand.SETS: {HandCategory.TRIPS},
    MadeHand.STRAIGHTS: {HandCategory.STRAIGHT},
    MadeHand.FLUSHES: {HandCategory.FLUSH},
    MadeHand.FULL_HOUSES: {HandCategory.FULL_HOUSE},
    MadeHand.QUADS: {HandCategory.QUADS},
    MadeHand.STRAIGHT_FLUSHES: {HandCategory.STRAIGHT_FLUSH},
}


def test_classes_agree_with_the_hands_that_another_evaluator_sees():
    for board in random_boards(30, seed=2):
        classes, strengths = classify_hands(board), strengths_on(board)
        live = live_combos(board)
        kinds = {value: category(value) for value in np.unique(strengths[live]).tolist()}
        unpaired_board = len({card_rank(card) for card in board}) == len(board)
        for combo in live.tolist():
            made, kind = MadeHand(classes.made[combo]), kinds[strengths[combo]]
            if made in ALLOWED_CATEGORIES:
                assert kind in ALLOWED_CATEGORIES[made]
            elif unpaired_board and made != MadeHand.PLAYS_BOARD:
                assert kind == HandCategory.HIGH_CARD
        order = np.unique(-strengths[live], return_inverse=True)[1] + 1
        assert (classes.nut_rank[live] == order).all()


def test_every_live_combo_has_one_made_hand_and_a_blocked_one_nothing():
    for board in random_boards(30, seed=3):
        classes = classify_hands(board)
        is_live = np.zeros(NUM_COMBOS, dtype=int)
        is_live[live_combos(board)] = 1
        assert (sum(classes.mask([name]).astype(int) for name in MADE_NAMES) == is_live).all()
        assert not classes.mask(HAND_CLASS_NAMES)[is_live == 0].any()
        assert not classes.kicker[is_live == 0].any()


def completing_ranks(board, combo) -> int:
    """Counts ranks that make five in a row of which a hole card is one, and no better without."""
    board_ranks = {card_rank(card) for card in board}
    held = board_ranks | {card_rank(card) for card in combo_cards(combo)}
    rows = [{12, 0, 1, 2, 3}, *(set(range(low, low + 5)) for low in range(9))]

    def best_row(ranks):
        return max((i for i, row in enumerate(rows) if row <= ranks), default=-1)

    return sum(best_row(held | {r}) > best_row(board_ranks | {r}) for r in set(range(13)) - held)


def test_draws_on_random_boards_are_those_counted_card_by_card():
    for board in random_boards(8, seed=4):
        classes = classify_hands(board)
        for combo in live_combos(board).tolist()[::7]:
            cards = combo_cards(combo)
            suits = [card_suit(card) for card in (*board, *cards)]
            most = max(suits.count(card_suit(card)) for card in cards)
            can_draw = len(board) < 5
            to_flush = can_draw and classes.made[combo] < MadeHand.FLUSHES
            to_straight = can_draw and classes.made[combo] < MadeHand.STRAIGHTS
            num_ranks = completing_ranks(board, combo)
            has_flush_draw = to_flush and most == 4
            straight_draws = [to_straight and num_ranks >= 2, to_straight and num_ranks == 1]
            draws = classes.draws[combo]
            assert draws[Draw.FLUSH_DRAWS] == has_flush_draw
            assert draws[Draw.BACKDOOR_FLUSH_DRAWS] == (to_flush and most == 3 and len(board) == 3)
            assert draws[[Draw.OPEN_ENDED, Draw.GUTSHOTS]].tolist() == straight_draws
            assert draws[Draw.COMBO_DRAWS] == (has_flush_draw and any(straight_draws))


@pytest.fixture(scope="module")
def flop_counts() -> dict[str, np.ndarray]:
    """By class, ``[169]`` how many of all 22,100 flops times a hand's combos it is."""
    flops = all_flops()
    multiplicities = np.rint(flops.weights * NUM_FLOPS).astype(np.int64)
    counts = np.zeros((len(HAND_CLASS_NAMES), NUM_COMBOS), dtype=np.int64)
    for flop, multiplicity in zip(flops.flops, multiplicities, strict=True):
        classes = classify_hands(flop)
        for row, name in zip(counts, HAND_CLASS_NAMES, strict=True):
            row[classes.mask([name])] += multiplicity
    return {
        name: np.array([row[combos].sum() for combos in COMBOS_BY_HAND])
        for row, name in zip(counts, HAND_CLASS_NAMES, strict=True)
    }


def test_flops_give_every_hand_the_classes_that_combinatorics_say(flop_counts):
    """Of the 19,600 flops that a holding can meet; in the comments, the shares in the books."""
    pairs, suited, offsuit = slice(0, 13), slice(13, 91), slice(91, 169)

    def flops_of(name, hands):
        counts = flop_counts[name][hands]
        num_combos = np.bincount(HAND_BY_COMBO)[hands]
        assert not (counts % num_combos).any()
        return counts // num_combos

    # Pocket pairs: 2 * (C(48, 2) - 72) sets, and 11.755 % with boats and quads of the pair.
    assert set(flops_of("sets", pairs)) == {2_112}
    assert set(flops_of("quads", pairs)) == {48}
    assert set(flops_of("full-houses", pairs)) == {2 * 72 + 48}
    assert (2_112 + 48 + 2 * 72) / 19_600 == pytest.approx(0.11755, abs=5e-6)
    for unpaired in (suited, offsuit):
        assert set(flops_of("two-pair", unpaired)) == {3 * 3 * 44}  # 2.02 %
        assert set(flops_of("trips", unpaired)) == {2 * 3 * 44}  # 1.35 %
        assert set(flops_of("full-houses", unpaired)) == {2 * 3 * 3}  # 0.09 %
        assert set(flops_of("quads", unpaired)) == {2}  # 0.01 %
        assert set(flops_of("pairs", unpaired)) == {2 * 3 * 44 * 43 // 2}  # 28.96 %
    flushes = flops_of("flushes", suited) + flops_of("straight-flushes", suited)
    assert set(flushes) == {165}  # 0.84 %
    assert set(flops_of("flush-draws", suited)) == {55 * 39}  # 10.94 %
    assert set(flops_of("backdoor-flush-draws", suited)) == {11 * 741}  # 41.59 %
    for two_suits in (pairs, offsuit):
        assert set(flops_of("flush-draws", two_suits)) == {2 * 220}  # monotone, 2.24 %
        assert set(flops_of("backdoor-flush-draws", two_suits)) == {2 * 66 * 38}
    aces, kings, ace_king = (HAND_NAMES.index(name) for name in ("AA", "KK", "AKo"))
    assert flops_of("overpair", [aces]) == 17_296 - 48  # no ace, no three of a kind
    assert flops_of("overpair", [kings]) == 13_244 - 44
    assert flops_of("two-overcards", [ace_king]) == 13_244 - 64  # QJT is a straight
    assert flops_of("top-pair-top-kicker", [ace_king]) == 2 * 3 * 44 * 43 // 2


def test_made_hands_of_all_flops_add_up_to_the_published_counts_of_five_cards(flop_counts):
    """Five cards are a holding and a flop in ten ways."""
    total = {name: int(counts.sum()) for name, counts in flop_counts.items()}
    assert total["straight-flushes"] == 10 * 40
    assert total["quads"] == 10 * 624
    assert total["full-houses"] == 10 * 3_744
    assert total["flushes"] == 10 * 5_108
    assert total["straights"] == 10 * 10_200
    assert sum(total[name] for name in MADE_NAMES) == 10 * 2_598_960


def test_straight_draws_of_all_flops_are_those_of_all_sets_of_ranks(flop_counts):
    """Five ranks come in 4^5 - 4 ways without a flush, four and a pair in 4 * 6 * 4^3."""
    rows = [{12, 0, 1, 2, 3}, *(set(range(low, low + 5)) for low in range(9))]
    expected = {"open-ended": 0, "gutshots": 0}
    for num_ranks, num_ways in ((5, 4**5 - 4), (4, 4 * 6 * 4**3)):
        for ranks in map(set, combinations(range(13), num_ranks)):
            missing = {frozenset(row - ranks) for row in rows}
            num_completing = sum(len(lacking) == 1 for lacking in missing)
            if frozenset() not in missing and num_completing:
                expected["gutshots" if num_completing == 1 else "open-ended"] += 10 * num_ways
    assert {name: int(flop_counts[name].sum()) for name in expected} == expected


def test_groups_are_unions():
    classes = classify("9h8h2c")
    for group, names in {
        "high-card": "plays-board,no-overcards,one-overcard,two-overcards",
        "pairs": "low-pair,underpair,middle-pair,top-pair,overpair",
        "straight-draws": "open-ended,gutshots",
        "draws": "flush-draws,open-ended,gutshots",
        "top-pair": "top-pair-top-kicker,top-pair-good-kicker,top-pair-weak-kicker",
    }.items():
        assert (classes.mask([group]) == classes.mask(parse_hand_classes(names))).all()


def test_a_mask_has_the_combos_of_any_of_its_classes():
    classes = classify("9h8h2c")
    mask = classes.mask(parse_hand_classes("sets,flush-draws"))
    assert mask.sum() == 9 + 55  # 11 hearts are left, and a set has at most one of them
    assert not classes.mask([]).any()


def test_names_are_read_in_their_order_and_once():
    assert parse_hand_classes("sets, Flush-Draws,sets") == ("sets", "flush-draws")
    assert parse_hand_classes(",".join(HAND_CLASS_NAMES)) == HAND_CLASS_NAMES


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sets,boats", "'boats' is no class of hands, use some of plays-board, "),
        ("top pair", "'top pair' is no class of hands, use some of "),
        ("blocked", "'blocked' is no class of hands, use some of "),
        ("", "a name is missing, use some of "),
        ("sets,,trips", "a name is missing, use some of "),
        ("a\nb" * 100, "'a\\nb"),
    ],
)
def test_a_name_that_is_no_class_is_refused_in_one_line(text, problem):
    with pytest.raises(CardError) as error:
        parse_hand_classes(text)
    assert str(error.value).startswith("hand classes: " + problem)
    assert "\n" not in str(error.value)


def test_a_mask_refuses_what_is_no_class():
    with pytest.raises(CardError, match="'boats' is no class of hands"):
        classify("9h8h2c").mask(["boats"])


def test_a_board_has_three_to_five_cards():
    with pytest.raises(CardError, match="2 cards"):
        classify_hands((0, 5))


def test_every_name_is_explained():
    text = (ROOT / "docs/cards.md").read_text()
    assert [name for name in HAND_CLASS_NAMES if f"`{name}`" not in text] == []
