"""Tests of `runout.abstraction.card_abstraction`."""

import dataclasses
import json
import mmap
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from runout.abstraction import card_abstraction as module
from runout.abstraction import survey as survey_module
from runout.abstraction.bucket_map import FlopBuckets
from runout.abstraction.card_abstraction import (
    DEALS_PER_BUCKET,
    KIND,
    SCHEMA_VERSION,
    AbstractionConfig,
    BucketBoundaries,
    BucketStatistics,
    CardAbstraction,
    PercentileBuckets,
    build_card_abstraction,
    cut_surveys,
    survey_street,
)
from runout.abstraction.survey import (
    StreetSurvey,
    StrengthFeature,
    deal_indexer,
    deal_random,
    street_of_board,
    survey_sample,
)
from runout.cards.deck import (
    NUM_COMBOS,
    combo_cards,
    live_combos,
    parse_board,
    parse_card,
    parse_cards,
)
from runout.cards.flops import SUIT_MAPPINGS, CanonicalBoard
from runout.errors import AbstractionError, BundleError, CardError, ExecutionError
from runout.events import Event, PhaseEnded
from runout.execution.context import RunContext
from runout.storage.bundle import load_bundle
from runout.storage.writer import write_bundle
from runout.trees.betting import Street
from tests.reference.hand_isomorphism import canonicalize_holding
from tests.samples.bucket_boundaries import make_boundaries
from tests.samples.few_boards import BOARDS, board_classes, deals_on

HUNDREDTHS = np.arange(1, 100) / 100
BOUNDARIES = make_boundaries(HUNDREDTHS, np.arange(1, 50) / 50, np.arange(1, 200) / 200)
WITHOUT_TABLES = CardAbstraction(BOUNDARIES)

DEALS = [
    ("7c6d2s", "9h8h"),  # rainbow
    ("AhKh7c", "Qh2d"),  # two-tone
    ("9s6s2s", "AcKs"),  # monotone
    ("AhAd7d", "7h7s"),  # paired
    ("5c5d5h", "AsKd"),  # trips
    ("2s8sTcQd", "As5s"),
    ("9s6s2sKs", "AdQh"),  # monotone
    ("8h8d3s3c", "Ac8s"),  # two pairs
    ("5c5d5h5s", "AcAd"),
    ("AsKsQsJs9d", "7h2c"),
    ("9s6s2sKs3s", "AsAd"),  # monotone
    ("8h8d3s3c2c", "3h3d"),
]


def bucket_of(abstraction: CardAbstraction, board: str, holding: str) -> int:
    card_a, card_b = parse_cards(holding)
    return abstraction.get_bucket(parse_board(board), (card_a, card_b))


@pytest.fixture(scope="module")
def with_tables() -> CardAbstraction:
    """Tables of flop and turn that are right on a few boards and 0 elsewhere."""
    tables = {}
    for street in BOARDS:
        scores, _ = survey_module._score_classes(
            street, StrengthFeature.EHS2, board_classes(street), RunContext(1)
        )
        values = survey_module._to_strength(street, StrengthFeature.EHS2, scores)
        tables[street] = BOUNDARIES.buckets_of(street, values)
    survey = StreetSurvey(Street.FLOP, np.arange(1, 101) / 100, np.arange(1, 101))
    statistics = {Street.FLOP: BucketStatistics.of_survey(survey, BOUNDARIES)}
    origin = {"seed": 5, "mode": "exhaustive"}
    return CardAbstraction(BOUNDARIES, StrengthFeature.EHS2, tables, statistics, origin)


@pytest.fixture(scope="module")
def saved(with_tables, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "abstraction"
    with_tables.save(path)
    return path


@pytest.fixture
def small(tmp_path) -> Path:
    """A saved abstraction without tables, to be damaged."""
    path = tmp_path / "abstraction"
    WITHOUT_TABLES.save(path)
    return path


# Buckets.


def test_isomorphic_hands_get_the_same_bucket():
    first = bucket_of(WITHOUT_TABLES, "AhKd7c", "QsQc")
    assert first == bucket_of(WITHOUT_TABLES, "AsKh7d", "QcQd")


@pytest.mark.parametrize(("board", "holding"), DEALS)
def test_all_24_renamings_of_suits_get_the_same_key_and_bucket(board, holding):
    cards, (card_a, card_b) = parse_board(board), parse_cards(holding)
    street = street_of_board(len(cards))
    indexer = deal_indexer(street)
    table = np.zeros(indexer.size, dtype=np.uint16)
    table[indexer.index((card_a, card_b, *cards))] = 54_321  # a bucket that no other class has
    from_table = CardAbstraction(BOUNDARIES, StrengthFeature.EHS2, {street: table}, {}, {})
    found = set()
    for mapping in SUIT_MAPPINGS:
        renamed, holding = mapping.map_cards(cards), mapping.map_cards((card_a, card_b))
        assert from_table.get_bucket(renamed, holding) == 54_321
        assert from_table.get_bucket(renamed[::-1], holding[::-1]) == 54_321
        canonical = CanonicalBoard.from_cards(renamed)
        found.add(
            (
                canonical.cards,
                canonicalize_holding(canonical, *holding),
                indexer.index((*holding, *renamed)),
                WITHOUT_TABLES.get_bucket(renamed, holding),
            )
        )
    assert len(found) == 1


@pytest.mark.parametrize("board", ["AhKd7s", "9s6s2s", "2s8sTcQd", "5c5d5h5s", "AsKsQsJs9d"])
@pytest.mark.parametrize("feature", StrengthFeature)
def test_all_combos_of_a_board_get_the_bucket_of_each(board, feature):
    abstraction, cards = CardAbstraction(BOUNDARIES, feature), parse_board(board)
    found = abstraction(cards)
    assert found.shape == (NUM_COMBOS,)
    live = live_combos(cards)
    np.testing.assert_array_equal(found[live], abstraction.get_buckets(deals_on([cards])))
    for combo in live[::97].tolist():
        assert found[combo] == abstraction.get_bucket(cards, combo_cards(combo))
    assert not np.delete(found, live).any()


def test_buckets_of_a_flop_are_those_of_its_boards():
    flop = parse_board("9s9h4d")
    buckets = FlopBuckets.of(flop, WITHOUT_TABLES)
    assert buckets.merges_suits
    for to_come in ("", "2c", "2cKh"):
        board = (*flop, *parse_cards(to_come))
        live = live_combos(board)
        asked, given = WITHOUT_TABLES(board)[live], buckets(board)[live]
        pairs = set(zip(asked.tolist(), given.tolist(), strict=True))  # empty buckets are left out
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
        assert [b for _, b in sorted(pairs)] == sorted(b for _, b in pairs)


# Percentile buckets of a config: a directory, or built on the way.

NUMBERS = (6, 5, 4)


@pytest.fixture
def keeping(monkeypatch, tmp_path):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RUNOUT_CACHE_MB", "10")


@pytest.mark.usefixtures("keeping")
def test_percentiles_are_built_once_from_ten_deals_a_bucket(monkeypatch):
    events: list[Event] = []
    opened = PercentileBuckets(NUMBERS, seed=3).open(events.append)
    told = [event.phase for event in events if isinstance(event, PhaseEnded)]
    assert told[:3] == ["flop strengths", "turn strengths", "river strengths"]
    config = AbstractionConfig(*NUMBERS, DEALS_PER_BUCKET * max(NUMBERS))
    expected = build_card_abstraction(config, 3).boundaries
    monkeypatch.setattr(module, "build_card_abstraction", None)  # is not called again
    again = PercentileBuckets(NUMBERS, seed=3)
    for street in Street:
        cuts = expected.by_street[street]
        np.testing.assert_array_equal(opened.boundaries.by_street[street], cuts)
        np.testing.assert_array_equal(again.open().boundaries.by_street[street], cuts)
    assert again.digest is None


def test_percentiles_of_a_directory_are_those_that_were_saved(small):
    found = PercentileBuckets(NUMBERS, directory=small)
    board = parse_board("AhKd7s2c")
    np.testing.assert_array_equal(found(board), WITHOUT_TABLES(board))
    assert found.digest == load_bundle(small, KIND, SCHEMA_VERSION).manifest.content_digest
    sent = pickle.dumps(found)
    assert len(sent) < 500  # not the buckets, which another process opens for itself
    assert pickle.loads(sent) == found
    np.testing.assert_array_equal(pickle.loads(sent)(board), found(board))


def test_a_directory_without_percentiles_is_one_line(tmp_path):
    with pytest.raises(AbstractionError) as caught:
        PercentileBuckets(NUMBERS, directory=tmp_path / "no")(parse_board("AhKd7s"))
    text = f"{tmp_path / 'no'} has none, `runout abstraction build` writes them"
    assert str(caught.value) == f"bucket_directory: {text}"


def test_deals_that_are_not_isomorphic_have_different_keys():
    """On a monotone board the suit of an offsuit ace matters only if it is the board's."""
    indexer = deal_indexer(Street.FLOP)
    board = parse_board("9s6s2s")
    assert indexer.index((*parse_cards("AcKd"), *board)) == indexer.index(
        (*parse_cards("AdKh"), *board)
    )
    assert indexer.index((*parse_cards("AcKs"), *board)) != indexer.index(
        (*parse_cards("AsKc"), *board)
    )


@pytest.mark.parametrize("street", BOARDS, ids=lambda street: street.label)
def test_tables_hold_the_buckets_that_are_computed_without(with_tables, street):
    rng = np.random.default_rng(0)
    for board in BOARDS[street]:
        deals = deals_on([parse_board(board)])
        looked_up = with_tables.get_buckets(deals)
        computed = WITHOUT_TABLES.get_buckets(deals)
        np.testing.assert_array_equal(looked_up, computed)
        for row in rng.choice(len(deals), 5, replace=False):
            low, high, *cards = deals[row].tolist()
            assert with_tables.get_bucket(cards, (low, high)) == looked_up[row]
            assert WITHOUT_TABLES.get_bucket(cards, (high, low)) == looked_up[row]


@pytest.mark.parametrize("feature", StrengthFeature)
@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_many_deals_get_the_buckets_that_they_get_alone(street, feature):
    abstraction = CardAbstraction(BOUNDARIES, feature)
    deals = deal_random(street, (20, 100, 300)[street], np.random.default_rng(1))
    many = abstraction.get_buckets(deals)
    assert many.dtype == np.uint16
    alone = [abstraction.get_bucket(deal[2:], (deal[0], deal[1])) for deal in deals.tolist()]
    assert many.tolist() == alone


def test_features_make_different_buckets():
    squared = CardAbstraction(BOUNDARIES, StrengthFeature.EHS_SQUARED)
    assert bucket_of(WITHOUT_TABLES, "7c6d2s", "9h8h") == 49  # EHS2 is 0.49498
    assert bucket_of(squared, "7c6d2s", "9h8h") != 49


def test_worked_examples_fall_into_the_buckets_of_their_strength():
    assert bucket_of(WITHOUT_TABLES, "2s8sTcQd", "As5s") == 25  # 0.51558 in steps of 0.02
    assert bucket_of(WITHOUT_TABLES, "AsKsQsJs9d", "7h2c") == 15  # 0.07778 in steps of 0.005
    assert bucket_of(WITHOUT_TABLES, "KdKcQsQc", "5d2c") == 9  # 0.182, not 0.342


def test_numbers_of_buckets_are_those_of_the_boundaries():
    assert [WITHOUT_TABLES.num_buckets(street) for street in Street] == [100, 50, 200]


@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_no_deals_have_no_buckets(street):
    none = np.empty((0, 2 + street.num_board_cards), dtype=np.uint8)
    assert WITHOUT_TABLES.get_buckets(none).tolist() == []


# Impossible deals.


@pytest.mark.parametrize("num_cards", [0, 1, 2, 6])
def test_boards_of_no_street_are_refused(with_tables, num_cards):
    for abstraction in (with_tables, WITHOUT_TABLES):
        with pytest.raises(CardError, match=f"{num_cards} cards, a board has 3"):
            abstraction.get_bucket(range(num_cards), (50, 51))
        with pytest.raises(AbstractionError, match="2 hole cards and 3, 4 or 5 board cards"):
            abstraction.get_buckets(np.zeros((1, num_cards + 2), dtype=np.uint8))


@pytest.mark.parametrize("shape", [(5,), (1, 1), (2, 5, 1)], ids=str)
def test_deals_that_are_no_rows_of_cards_are_refused(shape):
    with pytest.raises(AbstractionError) as raised:
        WITHOUT_TABLES.get_buckets(np.zeros(shape, dtype=np.uint8))
    expected = f"deals of shape {shape}: a row is 2 hole cards and 3, 4 or 5 board cards"
    assert str(raised.value) == expected


@pytest.mark.parametrize("holding", ["As9h", "9hAs"])
def test_a_card_that_is_dealt_twice_is_named(with_tables, holding):
    for abstraction in (with_tables, WITHOUT_TABLES):
        for board in ("AsKsQh", "AsKsQhJd", "AsKsQhJd2c"):
            with pytest.raises(CardError, match=r"^As: dealt twice in"):
                bucket_of(abstraction, board, holding)


def test_a_card_that_is_dealt_twice_in_a_row_is_named(with_tables):
    deals = np.array([parse_cards("AsKsQhJd2c"), (0, 1, 2, 3, 0)], dtype=np.uint8)
    for abstraction in (with_tables, WITHOUT_TABLES):
        with pytest.raises(CardError, match=r"row 1 '2c2d2h2s2c': dealt twice"):
            abstraction.get_buckets(deals)


@pytest.mark.parametrize("card", [-1, 52])
def test_numbers_that_are_no_cards_are_refused(with_tables, card):
    for abstraction in (with_tables, WITHOUT_TABLES):
        with pytest.raises(CardError, match=f"card {card}: card ids are 0 to 51"):
            abstraction.get_bucket(parse_board("AsKsQh"), (card, parse_card("2c")))


# Files.


def test_everything_comes_back_from_a_file(with_tables, saved):
    loaded = CardAbstraction.load(saved)
    assert loaded.feature is with_tables.feature
    assert loaded.origin == with_tables.origin
    assert loaded.boundaries.requested == with_tables.boundaries.requested
    assert list(loaded.tables) == list(with_tables.tables) == [Street.FLOP, Street.TURN]
    assert list(loaded.statistics) == [Street.FLOP]
    for street in Street:
        np.testing.assert_array_equal(
            loaded.boundaries.by_street[street], with_tables.boundaries.by_street[street]
        )
        assert loaded.num_buckets(street) == with_tables.num_buckets(street)
    for street, table in with_tables.tables.items():
        np.testing.assert_array_equal(loaded.tables[street], table)
    for field in ("population", "lowest", "mean", "highest"):
        found = getattr(loaded.statistics[Street.FLOP], field)
        np.testing.assert_array_equal(found, getattr(with_tables.statistics[Street.FLOP], field))


def test_loaded_tables_stay_on_disk_and_give_the_same_buckets(with_tables, saved):
    loaded = CardAbstraction.load(saved)
    for street in BOARDS:
        base = loaded.tables[street].base
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base, mmap.mmap)
        assert not loaded.tables[street].flags.writeable
        deals = deals_on([parse_board(BOARDS[street][1])])
        np.testing.assert_array_equal(loaded.get_buckets(deals), with_tables.get_buckets(deals))
        low, high, *board = deals[100].tolist()
        expected = with_tables.get_bucket(board, (low, high))
        assert loaded.get_bucket(board, (low, high)) == expected


def test_the_seed_is_in_the_manifest(saved):
    assert load_bundle(saved, KIND, SCHEMA_VERSION).manifest.seed == 5


@pytest.mark.parametrize("feature", StrengthFeature)
def test_the_feature_is_remembered(tmp_path, feature):
    CardAbstraction(BOUNDARIES, feature).save(tmp_path / "a")
    assert CardAbstraction.load(tmp_path / "a").feature is feature


def test_a_street_with_one_bucket_comes_back(tmp_path):
    none = np.empty(0)
    boundaries = BucketBoundaries((none, HUNDREDTHS, HUNDREDTHS), (7, 100, 100))
    CardAbstraction(boundaries).save(tmp_path / "a")
    loaded = CardAbstraction.load(str(tmp_path / "a"))
    assert loaded.num_buckets(Street.FLOP) == 1
    assert loaded.boundaries.requested[Street.FLOP] == 7


def test_an_existing_abstraction_is_replaced_only_on_request(small):
    before = (small / "manifest.json").read_bytes()
    with pytest.raises(BundleError, match="exists already"):
        WITHOUT_TABLES.save(small)
    assert (small / "manifest.json").read_bytes() == before
    CardAbstraction(BOUNDARIES, StrengthFeature.EHS_SQUARED).save(small, overwrite=True)
    assert CardAbstraction.load(small).feature is StrengthFeature.EHS_SQUARED


def test_an_abstraction_can_replace_the_file_that_it_was_loaded_from(saved, tmp_path):
    path = shutil.copytree(saved, tmp_path / "copy")
    CardAbstraction.load(path).save(path, overwrite=True)
    assert CardAbstraction.load(path).get_buckets(deals_on([parse_board("9s6s2s")])).any()


def test_what_cannot_be_written_is_a_serialization_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BundleError, match="is a file"):
        WITHOUT_TABLES.save(tmp_path / "file")
    odd = CardAbstraction(BOUNDARIES, StrengthFeature.EHS2, {}, {}, {"notes": object()})
    with pytest.raises(BundleError, match="cannot be written as JSON"):
        odd.save(tmp_path / "odd")
    assert not (tmp_path / "odd").exists()


def truncate(path: Path) -> None:
    file = path / "turn_boundaries.npy"
    file.write_bytes(file.read_bytes()[:-8])


def edit_array(path: Path) -> None:
    file = path / "river_boundaries.npy"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)


def edit_facts(path: Path) -> None:
    file = path / "abstraction.json"
    text = file.read_text()
    assert "ehs2" in text
    file.write_text(text.replace("ehs2", "ehs3"))


def edit_manifest(path: Path) -> None:
    change_manifest(path, seed=99)


def make_future_version(path: Path) -> None:
    change_manifest(path, schema_version=SCHEMA_VERSION + 1)


def make_other_kind(path: Path) -> None:
    change_manifest(path, kind="postflop_values")


def change_manifest(path: Path, **fields: object) -> None:
    file = path / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def remove_array(path: Path) -> None:
    (path / "flop_boundaries.npy").unlink()


def remove_manifest(path: Path) -> None:
    (path / "manifest.json").unlink()


def remove_all(path: Path) -> None:
    shutil.rmtree(path)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (truncate, r"turn_boundaries.npy: has 512 bytes, the manifest says 520"),
        (edit_array, r"river_boundaries.npy: was changed: bytes 0 to 1,720 do not have the sha256"),
        (edit_facts, r"abstraction.json: was changed: it does not have the sha256"),
        (edit_manifest, r"manifest.json: was edited"),
        (make_future_version, r"manifest.json: has schema version 2, expected 1"),
        (make_other_kind, r"is of kind 'postflop_values', expected 'card_abstraction'"),
        (remove_array, r"flop_boundaries.npy: is missing, the manifest lists it"),
        (remove_manifest, r"manifest.json: is missing, so this is no bundle"),
        (remove_all, r"abstraction: does not exist"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_damaged_abstraction_is_refused(small: Path, damage: Callable[[Path], None], problem):
    damage(small)
    with pytest.raises(BundleError, match=problem):
        CardAbstraction.load(small)


def test_a_damaged_table_is_refused(saved, tmp_path):
    path = shutil.copytree(saved, tmp_path / "copy")
    with (path / "turn_table.npy").open("r+b") as file:
        file.seek(10_000_000)
        file.write(b"\xff")
    with pytest.raises(BundleError, match=r"turn_table.npy: was changed"):
        CardAbstraction.load(path)


FACTS = {"requested": [3, 3, 3], "feature": "ehs2", "origin": {}}
PARTS = {f"{street.label}_boundaries": np.array([0.3, 0.6]) for street in Street}


def write_by_hand(path: Path, arrays: dict, documents: dict) -> None:
    """Writes a bundle whose digests are right and whose contents need not be."""
    write_bundle(
        path,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        arrays=arrays,
        documents=documents,
    )


@pytest.mark.parametrize(
    ("arrays", "facts", "problem"),
    [
        ({"flop_boundaries": None}, {}, "flop_boundaries"),
        ({"flop_table": np.zeros(9, dtype=np.uint16)}, {}, r"flop_table of shape \(9,\)"),
        ({"turn_population": np.ones(3, dtype=np.int64)}, {}, "turn_lowest"),
        ({}, {"feature": "emd"}, "'emd' is not a valid StrengthFeature"),
        ({}, {"requested": [3, 3]}, "not enough values"),
        ({}, {"requested": 3}, "not iterable"),
        ({}, {"origin": None, "feature": None}, "None is not a valid StrengthFeature"),
    ],
)
def test_a_bundle_with_other_contents_is_refused(tmp_path, arrays, facts, problem):
    arrays = {name: array for name, array in (PARTS | arrays).items() if array is not None}
    write_by_hand(tmp_path / "a", arrays, {"abstraction": FACTS | facts})
    with pytest.raises(BundleError, match=f"missing or invalid entry.*{problem}"):
        CardAbstraction.load(tmp_path / "a")


@pytest.mark.parametrize("documents", [{}, {"abstraction": []}, {"abstraction": {}}], ids=str)
def test_a_bundle_without_its_facts_is_refused(tmp_path, documents):
    write_by_hand(tmp_path / "a", PARTS, documents)
    with pytest.raises(BundleError, match="missing or invalid entry"):
        CardAbstraction.load(tmp_path / "a")


def test_a_bundle_with_unsorted_boundaries_is_refused(tmp_path):
    arrays = PARTS | {"turn_boundaries": np.array([0.6, 0.3])}
    write_by_hand(tmp_path / "a", arrays, {"abstraction": FACTS})
    with pytest.raises(
        BundleError, match="missing or invalid entry: turn boundaries: are not in strictly"
    ):
        CardAbstraction.load(tmp_path / "a")


SAMPLED = AbstractionConfig(10, 10, 10, samples_per_street=100)
FEW = dataclasses.replace(SAMPLED, samples_per_street=20)


# Small samples.


def test_generator_produces_valid_boundaries():
    boundaries = build_card_abstraction(SAMPLED, 42).boundaries
    for street in Street:
        part = boundaries.by_street[street]
        assert len(part) == 9  # 10 buckets have 9 boundaries
        assert (np.diff(part) > 0.0).all()
        assert 0.0 < part[0] < part[-1] < 1.0


# Defaults, samples, every deal and wrong input.


def test_by_default_every_deal_is_surveyed_for_30000_buckets():
    config = AbstractionConfig()
    assert [config.num_buckets(street) for street in Street] == [5_000, 5_000, 20_000]
    assert config.samples_per_street is None
    assert config.facts["mode"] == "exhaustive"
    assert config.feature is StrengthFeature.EHS2


def test_a_sample_size_asks_for_a_sample():
    assert AbstractionConfig(samples_per_street=100).facts["mode"] == "sampled"


def test_the_same_seed_gives_the_same_boundaries():
    first, second = (build_card_abstraction(FEW, 7).boundaries for _ in range(2))
    for street in Street:
        np.testing.assert_array_equal(first.by_street[street], second.by_street[street])


@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_different_seeds_give_different_samples(street):
    first, second = (survey_street(FEW, street, seed, RunContext(1)).values for seed in (0, 1))
    assert first.tolist() != second.tolist()


def test_sampled_boundaries_do_not_depend_on_the_number_of_workers():
    alone, together = (
        build_card_abstraction(FEW, 7, RunContext(workers)).boundaries for workers in (1, 3)
    )
    for street in Street:
        np.testing.assert_array_equal(alone.by_street[street], together.by_street[street])


@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_samples_are_those_that_saved_boundaries_were_cut_from(street):
    """A street's stream is numbered by the cards of its board."""
    rng = np.random.default_rng([3, {"flop": 3, "turn": 4, "river": 5}[street.label]])
    deals = deal_random(street, FEW.samples_per_street, rng)
    expected = survey_sample(street, FEW.feature, deals).values
    np.testing.assert_array_equal(survey_street(FEW, street, 3, RunContext(1)).values, expected)


def test_one_street_does_not_depend_on_the_others():
    """Each has a stream of its own: asked for alone or last, its sample is the same."""
    river_first = survey_street(FEW, Street.RIVER, 3, RunContext(1)).values
    survey_street(FEW, Street.TURN, 3, RunContext(1))
    np.testing.assert_array_equal(
        survey_street(FEW, Street.RIVER, 3, RunContext(1)).values, river_first
    )


def test_streets_do_not_share_one_stream(monkeypatch):
    dealt = []

    def deal_and_remember(street, num_deals, rng):
        dealt.append(deal_random(street, num_deals, rng))
        return dealt[-1]

    monkeypatch.setattr(survey_module, "deal_random", deal_and_remember)
    for street in (Street.TURN, Street.RIVER):
        survey_street(FEW, street, 3, RunContext(1))
    turn, river = dealt
    assert not (turn[:, :2] == river[:, :2]).all(axis=1).any()


def test_a_sample_says_how_many_buckets_it_can_support():
    config = AbstractionConfig(samples_per_street=100)
    assert [config.num_supported(street) for street in Street] == [1, 1, 1]
    config = AbstractionConfig(samples_per_street=100_000)
    assert [config.num_supported(street) for street in Street] == [1_000, 1_000, 1_000]
    config = AbstractionConfig(10, 20, 30, samples_per_street=2_500)
    assert [config.num_supported(street) for street in Street] == [10, 20, 25]
    assert AbstractionConfig().num_supported(Street.RIVER) == 20_000


def test_a_hundred_samples_cannot_make_five_thousand_buckets():
    config = AbstractionConfig(samples_per_street=100)
    turn = survey_street(config, Street.TURN, 0, RunContext(1))
    boundaries = cut_surveys(config, {street: turn for street in Street})
    num_distinct = len(np.unique(turn.values))
    assert boundaries.requested[Street.TURN] == 5_000
    assert boundaries.num_buckets(Street.TURN) == num_distinct <= 100


def test_a_support_of_a_hundred_deals_knows_a_share_to_a_tenth():
    """The reason for the number 100: the spread of a binomial count of that mean."""
    rng = np.random.default_rng(0)
    counts = rng.binomial(50_000, 100 / 50_000, 20_000)
    assert counts.std() / counts.mean() == pytest.approx(0.1, abs=0.003)


def test_every_deal_is_surveyed_by_default_and_the_seed_does_not_matter(monkeypatch):
    asked = []

    def survey_all(street, feature, run):
        asked.append((street, feature))
        return StreetSurvey(street, np.array([0.1, 0.5, 0.9]), np.array([1, 2, 1]))

    monkeypatch.setattr(survey_module, "survey_all", survey_all)
    config = AbstractionConfig(2, 4, 4, feature=StrengthFeature.EHS_SQUARED)
    boundaries = build_card_abstraction(config, 0).boundaries
    assert asked == [(street, StrengthFeature.EHS_SQUARED) for street in Street]
    assert boundaries.by_street[0].tolist() == [0.5]
    assert boundaries.by_street[1].tolist() == boundaries.by_street[2].tolist() == [0.1, 0.5]
    assert (
        build_card_abstraction(config, 1).boundaries.by_street[0].tolist()
        == boundaries.by_street[0].tolist()
    )


def test_features_have_boundaries_of_their_own():
    squared = dataclasses.replace(FEW, feature=StrengthFeature.EHS_SQUARED)
    plain = survey_street(FEW, Street.RIVER, 0, RunContext(1)).values
    np.testing.assert_allclose(
        survey_street(squared, Street.RIVER, 0, RunContext(1)).values, plain**2, rtol=1e-15
    )


def test_a_feature_may_be_given_as_text():
    config = AbstractionConfig(feature="ehs_squared")
    assert config.feature is StrengthFeature.EHS_SQUARED


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"flop_buckets": 0}, "flop_buckets: 0, allowed are 1 to 65536"),
        ({"turn_buckets": 65_537}, "turn_buckets: 65537, allowed are 1 to 65536"),
        ({"river_buckets": -1}, "river_buckets: -1, allowed are 1 to 65536"),
        ({"samples_per_street": 0}, "samples_per_street: 0 is not a positive number of deals"),
        ({"feature": "emd"}, "feature: 'emd', allowed are ehs2, ehs_squared"),
    ],
)
def test_configs_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(AbstractionError) as raised:
        AbstractionConfig(**wrong)
    assert str(raised.value) == message


def test_a_sample_needs_a_seed_from_zero():
    with pytest.raises(AbstractionError, match="seed: -1, allowed are whole numbers from 0"):
        build_card_abstraction(FEW, -1)


def test_no_workers_are_an_error():
    with pytest.raises(ExecutionError, match="0 is not a positive number of workers"):
        build_card_abstraction(FEW, 0, RunContext(num_workers=0))
