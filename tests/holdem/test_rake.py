import pytest

from runout.errors import ConfigError
from runout.holdem.rake import NO_RAKE, Rake


@pytest.mark.parametrize(
    ("rake", "pot", "taken"),
    [
        (NO_RAKE, 100.0, 0.0),
        (Rake(0.05, 3.0), 10.0, 0.5),
        (Rake(0.05, 3.0), 60.0, 3.0),
        (Rake(0.05, 3.0), 1_000.0, 3.0),
        (Rake(0.05, 0.0), 1_000.0, 0.0),
        (Rake(0.0, 3.0), 1_000.0, 0.0),
        (Rake(1.0, 3.0), 2.0, 2.0),
    ],
)
def test_a_share_is_taken_up_to_the_cap(rake, pot, taken):
    assert rake.taken_from(pot) == pytest.approx(taken)


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan")])
def test_a_rate_is_a_fraction(rate):
    with pytest.raises(ConfigError, match=r"rake_rate: .* is not a fraction from 0 to 1"):
        Rake(rate, 1.0)


@pytest.mark.parametrize("cap", [-0.01, float("nan")])
def test_a_cap_is_not_negative(cap):
    with pytest.raises(ConfigError, match=r"rake_cap: .* is not 0 or a positive amount"):
        Rake(0.05, cap)
