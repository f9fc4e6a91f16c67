from dataclasses import replace

import pytest

from runout.cfr.discounting import DCFR_SPOT
from runout.config.load import parse_postflop_config
from runout.errors import ConfigError
from runout.holdem.tables import Precision
from runout.postflop.exact.exact import DEFAULT_SAMPLE, ExactBackend
from runout.postflop.exact.settings import ExactConfig


def test_the_backend_has_the_precision_and_the_seed():
    config = ExactConfig(exact_precision=16, seed=7)
    sample = replace(DEFAULT_SAMPLE, seed=7)
    expected = ExactBackend(config.stopping_rule(), DCFR_SPOT, Precision.HALF, sample)
    assert config.make_backend() == expected


@pytest.mark.parametrize("value", [8, 64, "32", True, None])
def test_other_precisions_are_refused(value):
    with pytest.raises(ConfigError, match=r"exact_precision: .* is not one of 32, 16"):
        parse_postflop_config({"solve_type": "exact", "exact_precision": value})
