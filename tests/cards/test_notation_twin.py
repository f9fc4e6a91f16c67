import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.cards.deck import HAND_NAMES, NUM_COMBOS, NUM_HANDS
from runout.cards.ranges import SMALLEST_WEIGHT, Range
from runout.errors import RangeError
from tests.reference import range_groups

HAND_PAIRS = [(a, b) for a in range(NUM_HANDS) for b in range(NUM_HANDS)]
JOINABLE = [ends for ends in HAND_PAIRS if range_groups.can_be_joined(*ends)]

any_hand = st.integers(0, NUM_HANDS - 1)
any_group = st.one_of(
    st.builds(range_groups.hand_group, any_hand),
    st.builds(range_groups.plus_group, any_hand),
    st.builds(range_groups.combo_group, st.integers(0, NUM_COMBOS - 1)),
    st.builds(range_groups.dash_group, st.sampled_from(JOINABLE)),
)


def combos_named_by(group):
    return [combo for combo in range(NUM_COMBOS) if group.names(combo)]


@pytest.mark.parametrize("hand", range(NUM_HANDS), ids=HAND_NAMES)
def test_each_hand_alone_and_with_a_plus_names_what_its_twin_names(hand):
    for group in (range_groups.hand_group(hand), range_groups.plus_group(hand)):
        combos = np.flatnonzero(Range(group.text).weights)
        assert combos.tolist() == combos_named_by(group)


def test_a_dash_joins_the_hands_that_its_twin_joins_and_no_others():
    for ends in HAND_PAIRS[::7]:
        group = range_groups.dash_group(ends)
        if range_groups.can_be_joined(*ends):
            combos = np.flatnonzero(Range(group.text).weights)
            assert combos.tolist() == combos_named_by(group)
        else:
            with pytest.raises(RangeError, match="a dash joins"):
                Range(group.text)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(st.tuples(any_group, st.floats(0.0, 1.0)), min_size=1, max_size=8))
def test_parsing_equals_asking_each_combo_for_its_earliest_group(weighted_groups):
    text = ",".join(f"{group.text}:{weight!r}" for group, weight in weighted_groups)
    expected = [
        next((weight for group, weight in weighted_groups if group.names(combo)), 0.0)
        for combo in range(NUM_COMBOS)
    ]
    expected = [weight if weight >= SMALLEST_WEIGHT else 0.0 for weight in expected]
    np.testing.assert_array_equal(Range(text).weights, expected)
