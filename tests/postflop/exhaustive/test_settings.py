import pytest

from runout.cfr.discounting import DCFR_PLUS
from runout.config.load import parse_postflop_config
from runout.errors import ConfigError
from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend
from runout.postflop.exhaustive.settings import ExhaustiveConfig


def test_the_backend_updates_as_the_config_says():
    config = ExhaustiveConfig(cfr_updates="simultaneous", cfr_strategy_delta_threshold=0.01)
    assert config.stopping_rule().strategy_delta == 0.01
    assert config.make_backend() == ExhaustiveBackend(config.stopping_rule(), DCFR_PLUS, True)
    assert not ExhaustiveConfig().make_backend().is_simultaneous


@pytest.mark.parametrize("value", [3, True, None, ["alternating"], "alternate"])
def test_other_updates_are_refused(value):
    with pytest.raises(ConfigError, match=r"cfr_updates: .* is not one of alternating, simult"):
        parse_postflop_config({"solve_type": "exhaustive", "cfr_updates": value})
