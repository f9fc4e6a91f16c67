"""A card abstraction from beginning to end: generate, save, load and look up."""

import numpy as np
import pytest

from runout.abstraction.card_abstraction import (
    AbstractionConfig,
    CardAbstraction,
    build_card_abstraction,
)
from runout.abstraction.survey import deal_random
from runout.cards.deck import parse_board, parse_cards
from runout.errors import CardError
from runout.trees.betting import Street


def sampled_config(flop: int, turn: int, river: int, samples_per_street: int) -> AbstractionConfig:
    return AbstractionConfig(flop, turn, river, samples_per_street=samples_per_street)


def test_full_pipeline_generates_saves_and_loads(tmp_path):
    boundaries = build_card_abstraction(sampled_config(10, 10, 20, 50), 12345).boundaries
    abstraction = CardAbstraction(boundaries)
    path = tmp_path / "test_boundaries"
    abstraction.save(path)
    loaded = CardAbstraction.load(path)
    assert loaded.num_buckets(Street.FLOP) == 10
    assert loaded.num_buckets(Street.TURN) == 10
    assert loaded.num_buckets(Street.RIVER) == 20


def test_bucket_lookup_returns_a_valid_index():
    boundaries = build_card_abstraction(sampled_config(100, 100, 200, 100), 42).boundaries
    abstraction = CardAbstraction(boundaries)
    bucket = abstraction.get_bucket(parse_board("AsKsQhJd2c"), parse_cards("Ts9s"))
    assert 0 <= bucket < 200
    # A hundred deals cannot make 200 buckets. Any ten makes this straight, so some are stronger.
    assert 90 <= abstraction.num_buckets(Street.RIVER) <= 100
    assert 80 <= bucket < abstraction.num_buckets(Street.RIVER) - 1


def test_duplicate_card_is_rejected():
    boundaries = build_card_abstraction(sampled_config(10, 10, 10, 10), 1).boundaries
    abstraction = CardAbstraction(boundaries)
    with pytest.raises(CardError, match=r"^As: dealt twice in"):
        abstraction.get_bucket(parse_board("AsKsQhJd2c"), parse_cards("As9h"))


def test_a_loaded_abstraction_puts_new_deals_where_the_built_one_does(tmp_path):
    built = build_card_abstraction(sampled_config(8, 8, 8, 30), seed=6)
    built.save(tmp_path / "a")
    loaded = CardAbstraction.load(tmp_path / "a")
    for street in Street:
        deals = deal_random(street, 10, np.random.default_rng(9))
        np.testing.assert_array_equal(loaded.get_buckets(deals), built.get_buckets(deals))
