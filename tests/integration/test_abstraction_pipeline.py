"""A card abstraction from beginning to end: generate, save, load and look up."""

import numpy as np
import pytest

from runout.abstraction import (
    AbstractionConfig,
    BoundaryGenerator,
    CardAbstraction,
    DuplicateCardError,
    Street,
    SurveyMode,
    build_card_abstraction,
)
from runout.abstraction.survey import deal_random
from runout.cards.deck import parse_board, parse_cards


def sampled_config(flop: int, turn: int, river: int, samples_per_street: int) -> AbstractionConfig:
    return AbstractionConfig(
        flop, turn, river, samples_per_street=samples_per_street, mode=SurveyMode.SAMPLED
    )


def test_full_pipeline_generates_saves_and_loads(tmp_path):
    boundaries = BoundaryGenerator(sampled_config(10, 10, 20, 50)).generate(12345)
    abstraction = CardAbstraction.from_boundaries(boundaries)
    path = tmp_path / "test_boundaries"
    abstraction.save(path)
    loaded = CardAbstraction.load(path)
    assert loaded.num_buckets(Street.FLOP) == 10
    assert loaded.num_buckets(Street.TURN) == 10
    assert loaded.num_buckets(Street.RIVER) == 20


def test_bucket_lookup_returns_a_valid_index():
    boundaries = BoundaryGenerator(sampled_config(100, 100, 200, 100)).generate(42)
    abstraction = CardAbstraction.from_boundaries(boundaries)
    bucket = abstraction.get_bucket(parse_board("AsKsQhJd2c"), parse_cards("Ts9s"))
    assert 0 <= bucket < 200
    # A hundred deals cannot make 200 buckets. Any ten makes this straight, so some are stronger.
    assert 90 <= abstraction.num_buckets(Street.RIVER) <= 100
    assert 80 <= bucket < abstraction.num_buckets(Street.RIVER) - 1


def test_duplicate_card_is_rejected():
    boundaries = BoundaryGenerator(sampled_config(10, 10, 10, 10)).generate(1)
    abstraction = CardAbstraction.from_boundaries(boundaries)
    with pytest.raises(DuplicateCardError, match=r"^As: this card is dealt twice$"):
        abstraction.get_bucket(parse_board("AsKsQhJd2c"), parse_cards("As9h"))


def test_a_loaded_abstraction_puts_new_deals_where_the_built_one_does(tmp_path):
    built = build_card_abstraction(sampled_config(8, 8, 8, 30), seed=6)
    built.save(tmp_path / "a")
    loaded = CardAbstraction.load(tmp_path / "a")
    for street in Street:
        deals = deal_random(street, 10, np.random.default_rng(9))
        np.testing.assert_array_equal(loaded.get_buckets(deals), built.get_buckets(deals))
