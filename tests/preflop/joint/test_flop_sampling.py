import numpy as np
import pytest

from runout.cards.flops import subset_flops
from runout.errors import FlopListError
from runout.preflop.joint.flop_sampling import FlopSampler

WEIGHTS = subset_flops(25).weights


def test_by_default_every_flop_is_visited_once():
    drawn = FlopSampler(WEIGHTS).draw(3)
    assert drawn.number.tolist() == list(range(25))
    assert (drawn.scale == 1.0).all()


def test_an_iteration_draws_the_same_flops_whenever_it_is_asked():
    sampler = FlopSampler(WEIGHTS, 5, seed=1)
    first, again, other = sampler.draw(7), sampler.draw(7), sampler.draw(8)
    np.testing.assert_array_equal(first.number, again.number)
    assert first.number.tolist() != other.number.tolist()


def test_as_many_flops_are_drawn_as_asked_for_and_none_twice():
    for count in (1, 5, 24):
        for iteration in range(50):
            number = FlopSampler(WEIGHTS, count).draw(iteration).number
            assert len(set(number.tolist())) == len(number) == count


def test_flops_are_drawn_as_often_as_their_probability_says():
    sampler = FlopSampler(WEIGHTS, 6)
    counts = np.zeros(25)
    for iteration in range(4000):
        counts[sampler.draw(iteration).number] += 1
    np.testing.assert_allclose(counts / 4000, sampler.probabilities(), atol=0.03)


def test_scaled_sums_have_the_mean_of_sums_over_all_flops():
    sampler = FlopSampler(WEIGHTS, 6)
    values = np.random.default_rng(0).random(25)
    sums = []
    for iteration in range(4000):
        drawn = sampler.draw(iteration)
        sums.append((WEIGHTS[drawn.number] * values[drawn.number] * drawn.scale).sum())
    assert np.mean(sums) == pytest.approx((WEIGHTS * values).sum(), rel=0.01)


def test_a_flop_heavier_than_the_spacing_is_always_drawn():
    sampler = FlopSampler(np.array([0.7, 0.1, 0.1, 0.1]), 2)
    np.testing.assert_allclose(sampler.probabilities(), [1.0, 1 / 3, 1 / 3, 1 / 3])
    assert all(0 in sampler.draw(iteration).number for iteration in range(20))


@pytest.mark.parametrize("count", [0, 26])
def test_an_impossible_number_of_flops_is_refused(count):
    with pytest.raises(FlopListError, match=f"{count} cannot be drawn of 25 flops"):
        FlopSampler(WEIGHTS, count)
