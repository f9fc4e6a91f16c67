from dataclasses import replace

import pytest

from runout.cfr.discounting import DCFR6
from runout.config.load import parse_postflop_config
from runout.errors import ConfigError
from runout.holdem.tables import Precision
from runout.postflop.compact.compact import CHECK_EVERY, DEFAULT_SAMPLE, CompactBackend
from runout.postflop.compact.settings import CompactConfig


def test_the_backend_has_all_settings():
    config = CompactConfig(river_buckets=32, river_blockers="on", compact_precision=16, seed=7)
    sample = replace(DEFAULT_SAMPLE, seed=7)
    rule = replace(config.stopping_rule(), check_every=CHECK_EVERY)
    expected = CompactBackend(rule, DCFR6, 32, "on", Precision.HALF, sample)
    assert config.make_backend() == expected


@pytest.mark.parametrize("value", [0, 20, 256, "48"])
def test_other_numbers_of_buckets_are_refused(value):
    with pytest.raises(ConfigError, match=r"river_buckets: .* a multiple of 16 from 16 to 240"):
        parse_postflop_config({"solve_type": "compact", "river_buckets": value})
