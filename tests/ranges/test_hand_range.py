import numpy as np
import pytest

from runout.cards.canonical_hands import COMBOS_BY_HAND, NUM_HANDS, parse_canonical_hand
from runout.cards.card import parse_cards
from runout.cards.combos import NUM_COMBOS, parse_combo
from runout.errors import CardError, RangeError
from runout.ranges.hand_range import HandRange


def range_of(**weight_by_combo):
    weights = np.zeros(NUM_COMBOS)
    for combo, weight in weight_by_combo.items():
        weights[parse_combo(combo)] = weight
    return HandRange(weights)


def test_the_full_range_is_all_combos():
    full = HandRange.full()
    assert full.num_combos == 1326.0
    assert full.percentage == 100.0
    assert not full.is_empty
    np.testing.assert_array_equal(full.hand_weights(), np.ones(NUM_HANDS))


def test_a_range_without_weight_is_empty():
    empty = HandRange(np.zeros(NUM_COMBOS))
    assert empty.is_empty
    assert empty.num_combos == 0.0
    assert not range_of(AhKh=1e-300).is_empty


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
    hand_range = HandRange(np.random.default_rng(0).random(NUM_COMBOS))
    sizes = [len(combos) for combos in COMBOS_BY_HAND]
    assert hand_range.hand_weights() @ sizes == pytest.approx(hand_range.num_combos)


def test_dead_cards_take_their_combos_out_and_leave_the_rest():
    full = HandRange.full()
    assert full.without_cards(parse_cards("Ah")).num_combos == 1326 - 51
    flop = full.without_cards(parse_cards("AhKd7s"))
    assert flop.num_combos == 49 * 48 // 2
    assert flop.weights[parse_combo("AhQc")] == 0.0
    assert flop.weights[parse_combo("AcQc")] == 1.0
    assert full.without_cards(()) == full
    assert range_of(AhKh=0.5).without_cards(parse_cards("Kh")).is_empty


def test_dead_cards_must_exist_and_differ():
    with pytest.raises(CardError, match="card 52: card ids are 0 to 51"):
        HandRange.full().without_cards([52])
    with pytest.raises(CardError, match="Ah: comes twice"):
        HandRange.full().without_cards(parse_cards("Ah") * 2)


def test_equal_weights_make_equal_ranges_with_equal_hashes():
    assert range_of(AhKh=0.5) == range_of(AhKh=0.5)
    assert hash(range_of(AhKh=0.5)) == hash(range_of(AhKh=0.5))
    assert range_of(AhKh=0.5) != range_of(AhKh=0.25)
    assert range_of(AhKh=0.5) != "AhKh:0.5"
    assert len({HandRange.full(), HandRange.full(), range_of(AhKh=0.5)}) == 2


def test_negative_zero_is_zero():
    zero, negative_zero = HandRange(np.zeros(NUM_COMBOS)), HandRange(-np.zeros(NUM_COMBOS))
    assert zero == negative_zero
    assert hash(zero) == hash(negative_zero)


def test_weights_cannot_be_changed_from_inside_or_outside():
    weights = np.zeros(NUM_COMBOS)
    hand_range = HandRange(weights)
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
        HandRange(np.ones(NUM_HANDS))


def test_the_representation_says_how_large_the_range_is():
    assert repr(range_of(AhKh=1.0, AsKs=0.5)) == "HandRange(1.5 combos, 0.11%)"
