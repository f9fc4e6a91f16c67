from runout.cfr.discounting import LINEAR
from runout.postflop.mccfr.mccfr import MccfrBackend
from runout.postflop.mccfr.settings import MccfrConfig


def test_the_backend_samples_as_the_config_says():
    config = MccfrConfig(
        mccfr_sampling="external", mccfr_sample_pct=0.5, value_extraction_samples=9, seed=3
    )
    expected = MccfrBackend(config.stopping_rule(), LINEAR, "external", 0.5, 9, 3)
    assert config.make_backend() == expected
