"""Every key of a config file has its entry in the glossary."""

import re
from pathlib import Path

import pytest

from runout.config.flops import BACKENDS, JointConfig, PotSizesConfig
from runout.config.run import PreflopConfig, RunConfig
from runout.config.spot import SpotConfig

GLOSSARY = (Path(__file__).parents[2] / "GLOSSARY.md").read_text()
SECTIONS = (
    RunConfig,
    JointConfig,
    PotSizesConfig,
    PreflopConfig,
    SpotConfig,
    *BACKENDS.values(),
)
KEYS = sorted({"preset", *(key for section in SECTIONS for key in section.model_fields)})


@pytest.mark.parametrize("key", KEYS)
def test_every_config_key_has_an_entry(key):
    entries = [line.split("|")[1] for line in GLOSSARY.splitlines() if line.startswith("|")]
    assert any(re.search(rf"`{key}`", entry) for entry in entries), f"GLOSSARY.md lacks {key}"
