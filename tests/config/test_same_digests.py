"""Digests of the shipped configs are those of commit 86d1cbc: runs and values are found by them."""

import json
from pathlib import Path

import pytest

from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.config.yaml_text import parse_yaml
from runout.storage.bundle import digest_config

TABLE = json.loads(Path(__file__).with_name("digests_of_86d1cbc.json").read_text())


def mappings(text):
    """What decides the results of a config, and of its game alone where that is kept apart."""
    keys = set(parse_yaml(text))
    if "method: joint" in text and "compact_precision" not in text:  # stored configs have all keys
        text = text.replace("solve_type: compact", "solve_type: compact\n  compact_precision: 32")
    if "preflop" in keys:
        config = parse_config(text, RunConfig)
        is_joint = config.method == "joint"
        return [config.digest_mapping(), *([config.game_mapping()] if is_joint else [])]
    if keys == {"postflop_model"}:
        return [parse_config(text, FlopsConfig).digest_mapping()]
    return [parse_config(text, SpotConfig).game_mapping()]


@pytest.mark.parametrize("name", TABLE)
def test_a_config_has_the_digest_that_stored_results_have(name):
    text, digests = TABLE[name]
    assert [digest_config(mapping) for mapping in mappings(text)] == digests
