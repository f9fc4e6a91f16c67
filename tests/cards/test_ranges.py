"""Tests of `runout.cards.ranges`."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.cards.deck import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    parse_canonical_hand,
    parse_cards,
    parse_combo,
)
from runout.cards.ranges import Range
from runout.equity.matchups import equity
from runout.errors import CardError, RangeError

BRACKETS = "brackets give a weight in percent: [50]AKs,QQ[/50]"


def range_of(**weight_by_combo):
    weights = np.zeros(NUM_COMBOS)
    for combo, weight in weight_by_combo.items():
        weights[parse_combo(combo)] = weight
    return Range(weights)


def test_the_full_range_is_all_combos():
    full = Range("random")
    assert full.num_combos == 1326.0
    assert full.percentage == 100.0
    assert not full.is_empty
    np.testing.assert_array_equal(full.hand_weights(), np.ones(NUM_HANDS))


def test_a_range_without_weight_is_empty():
    empty = Range(np.zeros(NUM_COMBOS))
    assert empty.is_empty
    assert empty.num_combos == 0.0
    assert not range_of(AhKh=1e-30).is_empty


@pytest.mark.parametrize("weight", [1e-31, 1e-40, 1e-320])
def test_a_weight_that_32_bits_cannot_hold_is_none(weight):
    assert range_of(AhKh=weight).is_empty
    assert Range(f"AA,AhKh:{weight}") == Range("AA")


def test_weights_count_as_parts_of_combos():
    hand_range = range_of(AhKh=0.5, AsKs=0.25)
    assert hand_range.num_combos == 0.75
    assert hand_range.percentage == pytest.approx(100 * 0.75 / 1326)


def test_hand_weights_are_means_over_the_combos_of_the_hand():
    hand_weights = range_of(AhKh=0.5, AsKs=1.0, AhKd=0.6, AhAd=0.3).hand_weights()
    assert hand_weights.shape == (NUM_HANDS,)
    assert hand_weights[parse_canonical_hand("AKs")] == pytest.approx(1.5 / 4)
    assert hand_weights[parse_canonical_hand("AKo")] == pytest.approx(0.6 / 12)
    assert hand_weights[parse_canonical_hand("AA")] == pytest.approx(0.3 / 6)
    assert np.count_nonzero(hand_weights) == 3


def test_hand_weights_add_up_to_the_number_of_combos():
    hand_range = Range(np.random.default_rng(0).random(NUM_COMBOS))
    sizes = [len(combos) for combos in COMBOS_BY_HAND]
    assert hand_range.hand_weights() @ sizes == pytest.approx(hand_range.num_combos)


def test_dead_cards_take_their_combos_out_and_leave_the_rest():
    full = Range("random")
    assert full.without_cards(parse_cards("Ah")).num_combos == 1326 - 51
    flop = full.without_cards(parse_cards("AhKd7s"))
    assert flop.num_combos == 49 * 48 // 2
    assert flop.weights[parse_combo("AhQc")] == 0.0
    assert flop.weights[parse_combo("AcQc")] == 1.0
    assert full.without_cards(()) == full
    assert range_of(AhKh=0.5).without_cards(parse_cards("Kh")).is_empty


def test_dead_cards_must_exist_and_differ():
    with pytest.raises(CardError, match="card 52: card ids are 0 to 51"):
        Range("random").without_cards([52])
    with pytest.raises(CardError, match="Ah: dealt twice"):
        Range("random").without_cards(parse_cards("Ah") * 2)


def test_equal_weights_make_equal_ranges_with_equal_hashes():
    assert range_of(AhKh=0.5) == range_of(AhKh=0.5)
    assert hash(range_of(AhKh=0.5)) == hash(range_of(AhKh=0.5))
    assert range_of(AhKh=0.5) != range_of(AhKh=0.25)
    assert range_of(AhKh=0.5) != "AhKh:0.5"
    assert len({Range("random"), Range("random"), range_of(AhKh=0.5)}) == 2


def test_negative_zero_is_zero():
    zero, negative_zero = Range(np.zeros(NUM_COMBOS)), Range(-np.zeros(NUM_COMBOS))
    assert zero == negative_zero
    assert hash(zero) == hash(negative_zero)


def test_weights_cannot_be_changed_from_inside_or_outside():
    weights = np.zeros(NUM_COMBOS)
    hand_range = Range(weights)
    weights[0] = 1.0
    assert hand_range.is_empty
    with pytest.raises(ValueError, match="read-only"):
        hand_range.weights[0] = 1.0
    with pytest.raises(AttributeError):
        hand_range.weights = weights


@pytest.mark.parametrize("weight", [-0.1, 1.0000001, np.nan, np.inf])
def test_weights_outside_zero_to_one_are_refused(weight):
    with pytest.raises(RangeError, match="is not a number from 0 to 1") as error:
        range_of(AhKh=weight)
    assert error.value.where == "AhKh"


def test_weights_of_another_shape_are_refused():
    with pytest.raises(RangeError, match=r"weights: shape \(169,\), a range needs \(1326,\)"):
        Range(np.ones(NUM_HANDS))


def test_the_representation_says_how_large_the_range_is():
    assert repr(range_of(AhKh=1.0, AsKs=0.5)) == "<Range AsKs:0.5,AhKh: 1.5 combos, 0.11%>"
    assert repr(Range(np.zeros(NUM_COMBOS))) == "<Range empty: 0 combos, 0.00%>"
    assert len(repr(Range("random").without_cards([0]))) < 80


deterministic = settings(derandomize=True, deadline=None)


def hands_in(text):
    """The names of the hands that a range holds wholly, in canonical order."""
    hand_weights = Range(text).hand_weights()
    assert set(hand_weights.tolist()) <= {0.0, 1.0}
    return " ".join(HAND_NAMES[hand] for hand in np.flatnonzero(hand_weights))


def weight_of(hand_range, combo):
    return hand_range.weights[parse_combo(combo)]


# Reading


@pytest.mark.parametrize(
    ("text", "num_combos", "percentage"),
    [
        ("AA", 6, 0.45),
        ("AKs", 4, 0.30),
        ("AKo", 12, 0.90),
        ("AK", 16, 1.21),
        ("AhKh", 1, 0.08),
        ("22+", 78, 5.88),
        ("A2s+", 48, 3.62),
        ("A2o+", 144, 10.86),
        ("32s+", 48, 3.62),
        ("QQ+,AK", 34, 2.56),
        ("77+,A9s+,KTs+,QJs,AJo+,KQo", 132, 9.95),
        ("66+,A4s+,K8s+,Q9s+,J9s+,T9s,A9o+,KTo+,QTo+,JTo", 270, 20.36),
        ("random", 1326, 100.0),
    ],
)
def test_well_known_ranges_have_their_well_known_sizes(text, num_combos, percentage):
    hand_range = Range(text)
    assert hand_range.num_combos == num_combos
    assert hand_range.percentage == pytest.approx(percentage, abs=0.005)


def test_pairs_climb_to_aces():
    assert hands_in("JJ+") == "AA KK QQ JJ"
    assert hands_in("AA+") == "AA"


def test_connectors_climb_both_ranks():
    assert hands_in("76s+") == "AKs KQs QJs JTs T9s 98s 87s 76s"
    assert hands_in("T9o+") == "AKo KQo QJo JTo T9o"
    assert hands_in("KQ+") == "AKs KQs AKo KQo"


def test_other_hands_climb_the_kicker_only():
    assert hands_in("A9s+") == "AKs AQs AJs ATs A9s"
    assert hands_in("K9o+") == "KQo KJo KTo K9o"
    assert hands_in("J9s+") == "JTs J9s"
    assert hands_in("AJ+") == "AKs AQs AJs AKo AQo AJo"


@pytest.mark.parametrize("ending", ["s", "o", ""])
def test_ace_king_cannot_climb(ending):
    assert Range(f"AK{ending}+") == Range(f"AK{ending}")


def test_a_dash_joins_hands_with_the_same_top_card():
    assert hands_in("KTo-K8o") == "KTo K9o K8o"
    assert hands_in("A5s-A2s") == "A5s A4s A3s A2s"
    assert hands_in("KT-K9") == "KTs K9s KTo K9o"


def test_a_dash_joins_hands_with_the_same_gap():
    assert hands_in("QQ-88") == "QQ JJ TT 99 88"
    assert hands_in("87s-54s") == "87s 76s 65s 54s"
    assert hands_in("T8o-75o") == "T8o 97o 86o 75o"
    assert hands_in("JT-98") == "JTs T9s 98s JTo T9o 98o"


@pytest.mark.parametrize("text", ["KTo-K8o", "QQ-88", "87s-54s", "KT-K8", "AKs-AKs"])
def test_the_ends_of_a_dash_may_come_in_either_order(text):
    left, right = text.split("-")
    assert Range(f"{right}-{left}") == Range(text)


@pytest.mark.parametrize(
    ("text", "spelled_out"),
    [
        ("AK", "AKs,AKo"),
        ("A9+", "A9s+,A9o+"),
        ("T9+", "T9s+,T9o+"),
        ("KT-K8", "KTs-K8s,KTo-K8o"),
        ("87-54", "87s-54s,87o-54o"),
    ],
)
def test_a_hand_without_an_ending_means_suited_and_offsuit(text, spelled_out):
    assert Range(text) == Range(spelled_out)


def test_a_combo_is_one_pair_of_cards_in_either_order():
    assert Range("AhKh").num_combos == 1
    assert Range("KhAh") == Range("AhKh")
    assert weight_of(Range("AhAd:0.5"), "AdAh") == 0.5


def test_random_is_every_combo_and_takes_a_weight():
    assert Range("random") == Range("random")
    assert Range("Random:0.25") == Range(np.full(NUM_COMBOS, 0.25))


@pytest.mark.parametrize(
    ("text", "weight"),
    [("0", 0.0), ("1", 1.0), ("1.", 1.0), (".5", 0.5), ("0.125", 0.125), ("5E-2", 0.05)],
)
def test_weights_are_plain_numbers_from_zero_to_one(text, weight):
    assert weight_of(Range(f"AKs:{text}"), "AhKh") == weight


def test_the_earliest_group_wins():
    assert Range("AKs:0.5,AKs") == Range("AKs:0.5")
    assert Range("AKs,AKs:0.5") == Range("AKs")
    hand_range = Range("AhKh,AKs:0.25,A2s+:0.125")
    assert [weight_of(hand_range, combo) for combo in ("AhKh", "AsKs", "AhQh")] == [1, 0.25, 0.125]


def test_a_weight_of_zero_takes_hands_out_of_later_groups():
    assert Range("AA:0,random").num_combos == 1320
    assert Range("AA:0").is_empty


def test_case_spaces_and_line_breaks_do_not_matter():
    expected = Range("22+,A2s+:0.5,KTo-K8o,AhKh")
    assert Range("  22+ ,\n a2S + : 0.5,\tktO - k8o,\naHKH\n") == expected


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("", "range", "empty, write hands such as 22+,AKs:0.5 or random for all"),
        (" \n", "range", "empty, write hands such as 22+,AKs:0.5 or random for all"),
        (" , ;\n", "range", "empty, write hands such as 22+,AKs:0.5 or random for all"),
        ("AA,KX,QQ", "'KX'", "'X' is not a rank, use one of 23456789TJQKA"),
        ("10s", "'10s'", "Ts is one card, a combo is two without a space: AhKh"),
        ("Ah Kh", "'Ah'", "Ah is one card, a combo is two without a space: AhKh"),
        ("AKx", "'AKx'", "'x' is neither s (suited) nor o (offsuit)"),
        ("AK++", "'AK++'", "'+' is neither s (suited) nor o (offsuit)"),
        ("22s", "'22s'", "a pair has no ending, write 22"),
        ("aax", "'aax'", "a pair has no ending, write AA"),
        ("22o+", "'22o+'", "a pair has no ending, write 22"),
        ("[50]AA", "[50]", "is not closed, write [/50] after its hands"),
        ("[50]AA[/60]", "'[/60]'", "closes [50], write [/50]"),
        ("[50]AA:0.5[/50]", "'AA:0.5'", "has a weight, and stands in [50]"),
        ("[150]AA[/150]", "'[150]'", "weight '150%' is not a percentage from 0 to 100"),
        ("AA[/50]", "'[/50]'", "brackets give a weight in percent: [50]AKs,QQ[/50]"),
        ("[50]AA,[20]KK", "'[20]'", f"stands in [50]; {BRACKETS}"),
        ("[50AA", "'[50AA'", BRACKETS),
        ("101%", "'101%'", "the top hands are 0.46% (AA) to 100%"),
        ("top 0.4%", "'top0.4%'", "the top hands are 0.46% (AA) to 100%"),
        (f"0.5 {'1 ' * 1324}", "weights", "shape (1325,), a range needs (1326,)"),
        (f"2 {'1 ' * 1325}", "2d2c", "weight 2.0 is not a number from 0 to 1"),
        ("AhAh", "'AhAh'", "Ah: dealt twice in AhAh"),
        ("AhKx", "'AhKx'", "'Kx': 'x' is not a suit, use one of cdhs"),
    ],
)
def test_an_error_names_the_group_and_says_what_is_allowed(text, where, problem):
    with pytest.raises(RangeError) as error:
        Range(text)
    assert (error.value.where, error.value.problem) == (where, problem)


@pytest.mark.parametrize(
    "weight",
    [
        "-0.5",
        "-0",
        "+1",
        "nan",
        "inf",
        "1e999",
        "half",
        "1e3",
        "",
        ".",
        "1_0",
        "\u0661",
    ],
)
def test_any_other_weight_is_refused(weight):
    with pytest.raises(RangeError) as error:
        Range(f"AA,AKs:{weight},QQ")
    assert error.value.where == repr(f"AKs:{weight}")
    assert error.value.problem == f"weight {weight!r} is not a number from 0 to 1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("AKs:50", "weight '50' is not a number from 0 to 1, write 50% for percent"),
        ("AKs:150%", "weight '150%' is not a percentage from 0 to 100"),
        ("AKs@101", "weight '101' is not a percentage from 0 to 100"),
        ("AKs@", "weight '' is not a percentage from 0 to 100"),
        ("AKs@0.5", "@ takes percent, write :0.5 or @50"),
    ],
)
def test_a_fraction_is_not_mistaken_for_percent(text, problem):
    with pytest.raises(RangeError) as error:
        Range(f"AA,{text},QQ")
    assert (error.value.where, error.value.problem) == (repr(text), problem)


@pytest.mark.parametrize(
    "text",
    ["87s-53s", "AKs-QQ", "AK-QQ", "AA-AK", "AKs-AQo", "AKs-AQ", "AQ-AJs", "KTo-Q8o", "A2s-32s"],
)
def test_a_dash_between_other_hands_is_refused(text):
    with pytest.raises(RangeError, match="a dash joins pairs, or hands of one ending") as error:
        Range(text)
    assert error.value.where == repr(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("A", "A"),
        ("+", ""),
        ("22-", ""),
        (":0.5", ""),
        ("AAKK", "AAKK"),
        ("AKsu", "AKsu"),
        ("AhKhQd", "AhKhQd"),
        ("AhKh+", "AhKh"),
        ("AhKh-AhQh", "AhKh"),
        ("A5s-A2s+", "A2s+"),
        ("randomly", "randomly"),
    ],
)
def test_anything_else_is_not_a_hand(text, part):
    with pytest.raises(RangeError) as error:
        Range(text)
    assert error.value.where == repr(text)
    assert error.value.problem.startswith(f"{part!r} is not a hand such as AA, AKs, AKo or AK")


@deterministic
@given(st.text(alphabet="AKQ2sohcd+-:,.01 \n", max_size=12) | st.text(max_size=6))
def test_any_text_is_a_range_or_a_one_line_error(text):
    try:
        hand_range, message = Range(text), ""
    except RangeError as error:
        hand_range, message = None, str(error)
    assert len(message.splitlines()) == (hand_range is None)


# Writing


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("AA,KK,QQ", "QQ+"),
        ("AK", "AKs,AKo"),
        ("88-QQ,AA", "AA,QQ-88"),
        ("KTo,A5s-A2s,AKs,AQs,22+", "22+,AQs+,A5s-A2s,KTo"),
        ("54s+", "54s+"),
        ("54s-QJs", "QJs-54s"),
        ("T8s,97s,86s", "T8s-86s"),
        ("JTs+,A2s+", "A2s+,KQs-JTs"),
        ("AJs+,KTs+,Q9s+,J8s+", "AJs+,KTs+,Q9s+,J8s+"),
        ("AKs:0.5,A9s+", "AKs:0.5,AQs-A9s"),
        ("AKs:0.1,QQ:0.25,QJs:0.10", "QQ:0.25,AKs:0.1,QJs:0.1"),
        ("AA:1e-5", "AA:1e-05"),
        ("AhKh:0.5,AKs,22", "22,AsKs,AhKh:0.5,AdKd,AcKc"),
        ("AhKh:0,AKs", "AsKs,AdKd,AcKc"),
        ("AcKc,AdKd,AhKh,AsKs", "AKs"),
        ("22:0", ""),
    ],
)
def test_ranges_are_written_in_groups(text, formatted):
    assert str(Range(text)) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "22+",
        "A2s+",
        "77+,A9s+,KTs+,QJs,AJo+,KQo",
        "66+,A4s+,K8s+,Q9s+,J9s+,T9s,A9o+,KTo+,QTo+,JTo",
    ],
)
def test_ranges_as_players_write_them_stay_as_they_are(text):
    assert str(Range(text)) == text


def test_the_full_range_is_written_without_the_word_random():
    text = str(Range("random"))
    assert text.startswith("22+,A2s+,K2s+,Q2s+,")
    assert text.endswith(",42o+,32o")
    assert Range(text) == Range("random")


def test_a_range_on_a_board_is_written_and_read_back():
    on_flop = Range("22+,A2s+,KQ:0.3").without_cards(parse_cards("AhKd7s"))
    assert Range(str(on_flop)) == on_flop


weights = st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0])


@deterministic
@given(
    st.lists(weights, min_size=NUM_HANDS, max_size=NUM_HANDS),
    st.dictionaries(st.integers(0, NUM_COMBOS - 1), weights, max_size=20),
)
def test_every_range_is_read_back_exactly(hand_weights, weight_by_combo):
    combo_weights = np.array(hand_weights)[HAND_BY_COMBO]
    for combo, weight in weight_by_combo.items():
        combo_weights[combo] = weight
    hand_range = Range(combo_weights)
    text = str(hand_range)
    if hand_range.is_empty:
        assert text == ""
    else:
        assert Range(text) == hand_range


@deterministic
@given(st.sets(st.integers(0, NUM_HANDS - 1), min_size=1))
def test_written_groups_never_overlap(hands):
    hand_range = Range(np.isin(HAND_BY_COMBO, list(hands)).astype(np.float64))
    sizes = [Range(group).num_combos for group in str(hand_range).split(",")]
    assert sum(sizes) == hand_range.num_combos


@pytest.mark.parametrize("seed", range(3))
def test_a_range_of_1326_different_weights_is_read_back_exactly(seed):
    hand_range = Range(np.random.default_rng(seed).random(NUM_COMBOS))
    assert Range(str(hand_range)) == hand_range


def test_ranges_combine_like_sets():
    pairs, kings = Range("22+"), Range("KK,AKs:0.5")
    assert pairs | kings == Range("22+,AKs:0.5")
    assert pairs & kings == Range("KK")
    assert pairs - kings == Range("QQ-22,AA")
    assert Range("AKs") - kings == Range("AKs:0.5")
    assert ~Range("random") == Range(np.zeros(NUM_COMBOS))
    assert (~kings).num_combos == 1326 - 8
    assert "KK" in kings
    assert "AKs" not in kings
    assert Range("AKs:0.5") in kings


def test_a_range_of_a_range_is_the_same():
    assert Range(Range("22+")) == Range("22+")


def test_a_range_can_be_pickled_and_stays_read_only():
    copy = pickle.loads(pickle.dumps(Range("22+:0.3")))
    assert copy == Range("22+:0.3")
    assert not copy.weights.flags.writeable


def test_a_notebook_shows_the_grid():
    html = Range("AA:0.25,72o")._repr_html_()
    assert html.count("<td") == NUM_HANDS
    assert 'title="AA 0.25"' in html
    assert html.index(">AA<") < html.index(">AKs<") < html.index(">AKo<") < html.index(">22<")


@pytest.mark.parametrize("wrong", [["AA"], {"AA": 1.0}])
def test_neither_text_nor_weights_is_one_line(wrong):
    with pytest.raises(RangeError, match=r"is neither text such as 22\+,AKs:0.5 nor 1,326 weights"):
        Range(wrong)


# The notations of other programs


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("AA:0.5 2d2c:0.25", "AA:0.5,2d2c:0.25"),
        ("AA-22,AKs,[50.0]JTs,KJo[/50.0]", "22+,AKs,JTs:0.5,KJo:0.5"),
        ("[25]AA[/25] [50%] KK, QQ [ / 50 % ]", "AA:0.25,KK:0.5,QQ:0.5"),
        ("AKs@50,QQ:25%,JJ@12.5%", "AKs:0.5,QQ:0.25,JJ:0.125"),
        ("AA KK;QQ\r\n\tJJ,;, TT,\n", "TT+"),
        ("KAs,2To,29", "AKs,T2o,92"),
        ("8K-5K, 45s+", "K8-K5,54s+"),
        ("10s9s,A10s+,1010,K10o-K8o:0.10", "Ts9s,ATs+,TT,KTo-K8o:0.1"),
        ("A\u2660K\u2660,A\u2665\ufe0fK\u2663\ufe0f,Q\u2662Q\u2667", "AsKs,AhKc,QdQc"),
        ("A5s\u2013A2s,22\u201455,K9s\u2212K7s", "A5s-A2s,55-22,K9s-K7s"),
        ("AKs : 0.5 , KTo - K8o , 22 +", "AKs:0.5,KTo-K8o,22+"),
        ("100%", "random"),
        ("100%:0.5", "random:0.5"),
        ("top 0.5%", "AA"),
        ("Top 1 %, 72o", "KK+,72o"),
    ],
)
def test_other_notations_say_the_same(text, ours):
    assert Range(text) == Range(ours)


def test_hands_of_a_percentage_are_the_best_against_a_random_hand():
    equities = [(equity(name, "random").equity, name) for name in HAND_NAMES]
    names = [name for _, name in sorted(equities, reverse=True)]
    total = np.cumsum([Range(name).num_combos for name in names])
    for percentage in (0.5, 1.0, 5.0, 20.0, 37.5, 50.0, 99.0, 100.0):
        number = int((total <= percentage * 13.26 + 1e-9).sum())
        assert Range(f"{percentage}%") == Range(",".join(names[:number]))
        assert Range(f"top {percentage}%").percentage <= percentage + 1e-9


def test_1326_numbers_are_weights_in_the_order_of_piosolver():
    order = "2d2c 2h2c 2h2d 2s2c 2s2d 2s2h 3c2c 3c2d".split()
    for position, combo in enumerate([*order, "AsAh"]):
        numbers = ["0"] * NUM_COMBOS
        numbers[position if combo != "AsAh" else -1] = "0.25"
        assert Range(" ".join(numbers)) == Range(f"{combo}:0.25")
        assert Range(f"{combo}:0.25").to_text("weights") == " ".join(numbers)


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("runout", "QQ+,AKs:0.5,72o:0.001,AhKd:0.333"),
        ("pio", "AA,KK,QQ,AKs:0.5,AhKd:0.333,72o:0.001"),
        ("gto+", "AA,KK,QQ,[50.0]AKs[/50.0],[33.3]AhKd[/33.3],[0.1]72o[/0.1]"),
        ("percent", "AA,KK,QQ,AKs@50,AhKd@33.3,72o:0.1%"),
    ],
)
def test_a_range_is_written_in_the_notation_of_other_programs(notation, text):
    hand_range = Range("QQ+,AKs:0.5,AhKd:0.333,72o:0.001")
    assert hand_range.to_text(notation) == text
    assert Range(text) == hand_range


def test_an_unknown_notation_is_refused():
    with pytest.raises(RangeError, match="notation: 'upi' is not one of runout, pio, gto"):
        Range("AA").to_text("upi")


@deterministic
@given(
    st.lists(weights, min_size=NUM_HANDS, max_size=NUM_HANDS),
    st.dictionaries(st.integers(0, NUM_COMBOS - 1), weights, max_size=20),
    st.sampled_from(["pio", "gto+", "percent", "weights"]),
)
def test_every_range_is_read_back_from_other_notations(hand_weights, by_combo, notation):
    combo_weights = np.array(hand_weights)[HAND_BY_COMBO]
    combo_weights[list(by_combo)] = list(by_combo.values())
    text = Range(combo_weights).to_text(notation)
    if text:
        np.testing.assert_allclose(Range(text).weights, combo_weights, rtol=0.0, atol=0.6e-6)
    else:
        assert combo_weights.max() < 1e-6


@settings(derandomize=True, deadline=None, max_examples=400)
@given(
    st.lists(
        st.sampled_from(
            "A K Q T 10 9 2 s o h c d + - : @ % . , ; [ ] / 50 0.5 1 top random \u2660 \n".split(
                " "
            )
        ),
        max_size=14,
    )
)
def test_pieces_of_all_notations_make_a_range_or_a_line_that_helps(pieces):
    text = "".join(pieces)
    try:
        hand_range = Range(text)
    except RangeError as error:
        hand_range, message = None, str(error)
    else:
        message = ""
        assert hand_range.is_empty or Range(str(hand_range)) == hand_range
    assert len(message.splitlines()) == (hand_range is None)
    assert hand_range is not None or len(message) > 20
