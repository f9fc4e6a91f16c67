"""Tests of `runout.solutions.flop`."""

import mmap
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import NUM_COMBOS, format_card, live_combos, parse_cards
from runout.config.spot import SpotConfig
from runout.errors import BundleError, CardError, TreeError
from runout.execution.context import RunContext
from runout.runs.spot import solve_spot
from runout.solutions.flop import find_position, walk_to
from runout.solutions.flop_bundles import (
    PARTS,
    SPOT_KIND,
    SPOT_NAMES,
    SPOT_SCHEMAS,
    StoredArrays,
    convert_spot,
    decode_shares,
    encode_shares,
    encode_values,
    has_solution,
    load_spot,
    normalize_sums,
)
from runout.solutions.node import NodeKind
from runout.storage.bundle import load_bundle
from runout.trees.betting import Street
from tests.samples.small_spots import make_spot

# --------------------------------------------------------------------------------------------------
# Probabilities and values of 16 bits: what comes back, and how far off it can be.


COUNTS = np.array([3, 2])


def test_probabilities_come_back_within_their_step():
    sums = np.random.default_rng(0).random((5, 400)) ** 4
    codes = encode_shares(sums, COUNTS)
    for rows in (slice(0, 3), slice(3, 5)):
        exact = sums[rows] / sums[rows].sum(axis=0)
        found = decode_shares(codes[rows])
        assert np.abs(found - exact).max() < 2e-5
        np.testing.assert_allclose(found.sum(axis=0), 1.0)


def test_what_is_hardly_ever_done_is_not_forgotten():
    sums = np.array([[1.0, 1.0], [1e-7, 1e-9]])
    found = decode_shares(encode_shares(sums, [2]))
    assert found[1] == pytest.approx([1e-7, 1e-9], rel=0.3)


def test_where_nothing_was_ever_done_all_actions_are_alike():
    codes = encode_shares(np.zeros((5, 2)), COUNTS)
    assert decode_shares(np.zeros((2, 1), np.uint16)).tolist() == [[0.5], [0.5]]  # as once kept
    assert decode_shares(codes[:3]).tolist() == [[1 / 3] * 2] * 3


@pytest.mark.parametrize("dtype", [np.uint16, np.float32, np.float64])
def test_sums_become_shares_of_their_decision(dtype):
    sums = np.array([[1, 0], [3, 0], [2, 7], [0, 7], [0, 0]], dtype=dtype)
    shares = normalize_sums(sums, [2, 3])
    expected = [[0.25, 0.5], [0.75, 0.5], [1.0, 0.5], [0.0, 0.5], [0.0, 0.0]]
    np.testing.assert_array_equal(shares, expected)
    assert shares.dtype.kind == "f"


def test_what_was_never_done_is_equally_likely():
    shares = normalize_sums(np.full((3, 2), 1e-42, np.float32), [3])
    np.testing.assert_array_equal(shares, np.full((3, 2), np.float32(1.0) / 3))
    assert normalize_sums(np.zeros((0, 4)), []).shape == (0, 4)


def test_eight_bits_are_shares_of_255():
    found = decode_shares(np.array([[51, 0], [204, 0]], dtype=np.uint8))
    assert found.tolist() == [[0.2, 0.5], [0.8, 0.5]]


def test_values_come_back_within_half_a_step_of_their_row():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 300)) * 10.0 ** np.arange(-2, 4)[:, None]
    values[rng.random(values.shape) < 0.1] = np.nan
    found = encode_values(values)[...]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    spread = np.nanmax(values, axis=1) - np.nanmin(values, axis=1)
    assert (np.nanmax(np.abs(found - values), axis=1) <= spread / 100_000).all()


@pytest.mark.parametrize("row", [[np.nan, np.nan], [3.5, 3.5], [np.nan, -2.0]])
def test_rows_of_one_value_or_none(row):
    found = encode_values(np.array([row]))[...]
    np.testing.assert_array_equal(found, [row])


def test_single_rows_are_decoded_alone():
    encoded = encode_values(np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(encoded[1], encoded[...][1])


# --------------------------------------------------------------------------------------------------
# Paths through a spot: what they lead to, and what errors say.


FLOP = make_spot("QsJh2h", "AA,KQs", "KK,JTs", "50%", 20, 100, max_raises=1)
JAMS = make_spot("QsJh2h", "AA,KQs", "KK,JTs", "a", 20, 100)


@pytest.mark.parametrize("path", ["", "  ", "r:0", " R:0 "])
def test_the_root_has_several_names(path):
    position = find_position(FLOP, path)
    assert (position.path, position.node, position.kind) == ("", 0, NodeKind.DECISION)
    assert position.board == FLOP.board


def test_a_path_crosses_streets():
    position = find_position(FLOP, "r:0:b10:c:8h:x:x:2c:b20:f")
    assert position.path == "b10:c:8h:x:x:2c:b20:f"
    assert position.kind == NodeKind.FOLD
    assert position.street == Street.RIVER
    assert position.dealt == parse_cards("8h2c")
    assert FLOP.tree.path(position.node) == "b10:c:x:x:b20:f"


def test_kinds_along_a_path():
    kinds = [find_position(FLOP, path).kind for path in ("x", "x:x", "x:x:2c", "x:x:2c:x:x:3c:x:x")]
    assert kinds == ["decision", "chance", "decision", "showdown"]


def test_only_cards_of_the_deck_can_come():
    spot = replace(FLOP, deck=parse_cards("AsAhKsKhQsQhJsJhTsTh"))
    assert find_position(spot, "x:x").next_cards() == parse_cards("AsAhKsKhQhJsTsTh")
    assert find_position(spot, "x:x:Ts").board == parse_cards("QsJh2hTs")


def test_a_called_all_in_is_dealt_out():
    for path, kind, num_cards in [("a:c", "chance", 49), ("a:c:2c", "chance", 48)]:
        position = find_position(JAMS, path)
        assert position.kind == kind
        assert len(position.next_cards()) == num_cards
    assert find_position(JAMS, "a:c:2c:3c").kind == NodeKind.SHOWDOWN
    assert find_position(JAMS, "a:c:2c:3c").next_cards() == ()


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("c", "x"),
        ("r10", "b10"),
        ("b10:b30", "b10:r30"),
        ("X:B10:C:8H", "x:b10:c:8h"),
        ("r:0:x-b10-c-8h", "x:b10:c:8h"),
    ],
)
def test_other_ways_to_write_an_action(written, canonical):
    assert find_position(FLOP, written).path == canonical


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("r:0:b10:c:8h:c:b30", "b10:c:8h:x:b20"),
        ("r:0:c:b10:b30:c:8h:c:c:2c:b70", "x:b10:r30:c:8h:x:x:2c:b40"),
        ("r:0:b10:c:8h:x:b20", "b10:c:8h:x:b20"),
    ],
)
def test_bets_of_piosolver_are_totals_of_all_streets(written, ours):
    assert find_position(FLOP, written).path == ours


def test_an_all_in_may_be_written_with_its_amount():
    assert find_position(JAMS, "b100:c").path == "a:c"


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (
            "b11",
            TreeError,
            "path 'b11', step 1: 'b11' is not an action at the root; possible: x, b10",
        ),
        ("r:0:x:8h", TreeError, "step 2: '8h' is not an action after 'x'; possible: x, b10"),
        ("b10:x", TreeError, "step 2: 'x' is not an action after 'b10'; possible: f, c, r30"),
        ("x::x", TreeError, "step 2: '' is not an action after 'x'; possible: x, b10"),
        ("b10:f:x", TreeError, "step 3: 'x' is not an action after 'b10:f'; the betting is over"),
        ("x:x:x", CardError, "step 3: 'x': a card is a rank and a suit, such as Ah; the turn is"),
        ("x:x:8x", CardError, "step 3: '8x': 'x' is not a suit, use one of cdhs; the turn is"),
        ("x:x:2h", CardError, "step 3: 2h is on the board QsJh2h already, deal another card"),
        ("x:x:2c:x:x:2c", CardError, "step 6: 2c is on the board QsJh2h2c already"),
    ],
)
def test_an_error_names_the_step_and_what_is_allowed(path, error, message):
    with pytest.raises(error) as caught:
        find_position(FLOP, path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --------------------------------------------------------------------------------------------------
# Who arrives at a node of a spot, and what was done on the way.


SPOT = make_spot("QsJh2h8c", "AA,KQs", "KK,JTs", "50%", 20, 100, max_raises=1)


def everybody(board):
    weights = np.zeros((2, NUM_COMBOS))
    weights[:, live_combos(board)] = 1.0
    return weights


def even(node):
    num_actions = int(SPOT.tree.layout.num_children[node])
    return np.full((num_actions, NUM_COMBOS), 1.0 / num_actions)


def test_every_decision_and_card_is_on_the_trail():
    position = find_position(SPOT, "x:b10:c:3c:x")
    _, trail = walk_to(position, {(): (everybody(position.board), ())}, even)
    assert [step.taken for step in trail] == ["x", "b10", "c", "3c", "x"]
    assert [step.label for step in trail] == ["OOP", "IP", "OOP", "river", "OOP"]
    assert [step.path for step in trail] == ["", "x", "x:b10", "x:b10:c", "x:b10:c:3c"]
    assert [len(step.actions) for step in trail] == [2, 2, 3, 0, 2]
    assert trail[0].frequencies == pytest.approx((0.5, 0.5))


def test_weights_shrink_by_what_the_player_does():
    position = find_position(SPOT, "x:b10:c:3c:x")
    weights, _ = walk_to(position, {(): (everybody(position.board), ())}, even)
    live = live_combos(position.board)
    assert weights[0, live] == pytest.approx(0.5 * (1 / 3) * 0.5)
    assert weights[1, live] == pytest.approx(0.5)


def test_the_root_is_reached_by_everybody():
    start = everybody(SPOT.board), ()
    assert walk_to(find_position(SPOT, ""), {(): start}, even) == start


# --------------------------------------------------------------------------------------------------
# A saved solution says what the solver says that it was saved from, up to rounding.


FLOP_TEST_STORED_SPOT = {
    "board": "QsJh2h",
    "oop": "AA,QQ,JTs,54s,A5s:0.5",
    "ip": "KK,T9s,AQo,76s",
    "pot": 20,
    "stack": 60,
    "bet_sizes": "50%",
    "max_raises_per_street": 1,
    "max_iterations": 15,
}
TURN = FLOP_TEST_STORED_SPOT | {"board": "QsJh2h8c"}
RIVER = FLOP_TEST_STORED_SPOT | {"board": "QsJh2h8c3d"}
LOCKS = [
    {"node": "r:0", "strategy": {"x": 0.25, "b10": 0.75}},
    {"node": "x:b10", "strategy": {"QQ": {"c": 1}}},
]
SPOTS = {
    "flop": FLOP_TEST_STORED_SPOT,
    "flop, 16 bits": FLOP_TEST_STORED_SPOT | {"precision": 16},
    "flop, compact": FLOP_TEST_STORED_SPOT | {"rivers": "compact", "river_buckets": 16},
    "flop, compact, 16 bits": FLOP_TEST_STORED_SPOT
    | {"rivers": "compact", "river_buckets": 16, "precision": 16},
    "flop, turns in buckets": FLOP_TEST_STORED_SPOT
    | {"rivers": "compact", "river_buckets": 16, "turn_buckets": 3},
    "flop, all suits apart": FLOP_TEST_STORED_SPOT | {"merges_suits": False, "ip": "KK,T9s"},
    "flop, raked and locked": FLOP_TEST_STORED_SPOT
    | {"rake_rate": 0.05, "rake_cap": 3, "locks": LOCKS},
    "turn, raked": TURN | {"rake_rate": 0.05},
    "turn, locked": TURN | {"locks": LOCKS},
    "river, raked": RIVER | {"rake_rate": 0.1, "rake_cap": 2},
}
#: Lines on the first street, and what follows the cards after it; decisions, ends and all-ins.
LINES = [
    "",
    "x",
    "b10",
    "x:b10",
    "x:b10:f",
    "x:b10:c",
    "x:x",
    "b10:r25:c",
    "b10:r25",
    "b10:a:c",
    "b10:a",
]
CARDS = ["8h", "Kc", "2s"]


def paths(config):
    """Yields paths to nodes of every kind on every street."""
    num_cards = 5 - len(config["board"]) // 2
    yield from LINES
    if num_cards:
        for card in CARDS:
            if card in config["board"]:
                continue
            for before in ("x:x", "b10:c"):
                for after in ("", ":x", ":x:x"):
                    yield f"{before}:{card}{after}"
        if num_cards == 2:
            for river in ("7h", "3c"):
                for after in ("", ":x", ":x:x"):
                    yield f"x:b10:c:8h:x:x:{river}{after}"


def rounding(node):
    """Returns how far means against a range can be off.

    A weight is off by 2e-5 for each of a few decisions: the less of a range arrives, the more.
    """
    arriving = min(node.combos(player) / node.is_held[player].sum() for player in (0, 1))
    return 1e-4 + 1e-4 / max(arriving, 1e-9)


@pytest.fixture(scope="module", params=SPOTS, ids=SPOTS)
def both(request, tmp_path_factory):
    """Returns the keys, the view of the solver and that of the files."""
    path = tmp_path_factory.mktemp("spot") / "spot"
    keys = SPOTS[request.param]
    solution = solve_spot(SpotConfig.parse(keys), RunContext(1), directory=path)
    return keys, solution.view, load_spot(path)


def test_every_kind_of_node_says_the_same(both):
    keys, live, stored = both
    for path in paths(keys):
        one, other = live.node(path), stored.node(path)
        assert (one.path, one.kind, one.actions, one.actor) == (
            other.path,
            other.kind,
            other.actions,
            other.actor,
        )
        loose = rounding(one)
        close = (1e-4 + loose) * one.pot
        assert one.is_locked == other.is_locked
        assert (one.pot, one.stacks, one.next_cards) == (other.pot, other.stacks, other.next_cards)
        np.testing.assert_array_equal(one.is_held, other.is_held)
        np.testing.assert_allclose(other.strategy, one.strategy, atol=4e-5, err_msg=path)
        np.testing.assert_allclose(other.weights, one.weights, atol=1e-4, err_msg=path)
        np.testing.assert_allclose(other.equity, one.equity, atol=loose, err_msg=path)
        np.testing.assert_allclose(other.ev, one.ev, atol=close, err_msg=path)
        np.testing.assert_allclose(other.action_ev, one.action_ev, atol=close, err_msg=path)
        assert other.reach == pytest.approx(one.reach, abs=1e-4)
        assert [step.taken for step in other.trail] == [step.taken for step in one.trail]
        for player in (0, 1):
            assert other.range_ev(player) == pytest.approx(one.range_ev(player), abs=close), path


def test_quality_is_that_of_the_solve(both):
    _, live, stored = both
    assert stored.quality.exploitability == pytest.approx(live.quality.exploitability)
    assert stored.quality.meaning == live.quality.meaning
    assert stored.quality.curve == live.quality.curve
    assert stored.quality.curve[0][0] == 10
    assert stored.quality.curve[-1] == (stored.quality.iterations, stored.quality.exploitability)
    assert stored.quality.manifest.config_digest


def test_tables_stay_in_their_files(both):
    _, _, stored = both
    for of_street in stored.tables.strategy:
        for table in (shares.codes[0, :1] for shares in of_street):
            while isinstance(table, np.ndarray):
                assert not table.flags.owndata
                table = table.base
            assert isinstance(table, memoryview | mmap.mmap)


@pytest.fixture(scope="module")
def saved_turn(tmp_path_factory):
    """The directory of a solved turn; not to be written into."""
    path = tmp_path_factory.mktemp("turn") / "spot"
    solve_spot(SpotConfig.parse(TURN), RunContext(1), directory=path)
    return path


def test_a_solve_without_its_resume_part_can_only_be_looked_at(tmp_path, saved_turn):
    keys = TURN | {"keep_resume": False}
    solution = solve_spot(SpotConfig.parse(keys), RunContext(1), directory=tmp_path / "small")
    small, whole = (
        sum(file.stat().st_size for file in path.glob("*.npy"))
        for path in (tmp_path / "small", saved_turn)
    )
    assert small < whole / 3
    found = load_spot(tmp_path / "small").node("b10")
    assert found.frequency() == pytest.approx(solution.view.node("b10").frequency(), abs=1e-4)
    with pytest.raises(BundleError, match="keeps nothing to go on from"):
        solve_spot(
            SpotConfig.parse(keys | {"max_iterations": 50}),
            RunContext(1),
            directory=tmp_path / "small",
        )


def test_what_was_saved_on_the_way_has_no_solution(tmp_path):
    solution = solve_spot(SpotConfig.parse(RIVER), RunContext(1))
    solution.begin_saving(tmp_path / "spot")()
    assert not has_solution(tmp_path / "spot")
    with pytest.raises(BundleError, match="has no array solution_shares"):
        load_spot(tmp_path / "spot")


def look_everywhere(turn):
    """Looks at all rivers behind two checks."""
    for card in turn.node("x:x").next_cards:
        turn.node(f"x:x:{format_card(card)}")


@pytest.mark.parametrize("part", ["shares", "values", "bounds"])
def test_a_damaged_solution_is_refused(tmp_path, saved_turn, part):
    path = shutil.copytree(saved_turn, tmp_path / "spot")
    file = path / f"solution_{part}.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(BundleError, match=f"solution_{part}.npy: was changed"):
        look_everywhere(load_spot(path))
    file.write_bytes(content[:-8])
    with pytest.raises(BundleError, match="bytes, the manifest says"):
        load_spot(path)


def test_looking_takes_no_numba(saved_turn):
    code = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from runout.solutions.flop_bundles import load_spot
view = load_spot({str(saved_turn)!r})
nodes = [view.node(path) for path in ("", "x:x", "b10:c:8h:x", "x:b10:f")]
print("numba" in sys.modules, len(nodes))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "4"]


def test_threads_may_look_at_once(saved_turn):
    stored = load_spot(saved_turn)
    asked = [path for path in paths(TURN) for _ in range(2)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stored.node, asked))
    for path, node in zip(asked, found, strict=True):
        np.testing.assert_array_equal(node.ev, stored.node(path).ev)


@pytest.fixture(scope="module")
def kept(samples):
    """Returns the parts of a compact flop, its streets and its cards."""
    stored = load_spot(samples / "flop_compact")
    arrays = load_bundle(samples / "flop_compact", SPOT_KIND, SPOT_SCHEMAS).arrays
    converted = convert_spot(arrays, stored.layouts, stored.cards)
    parts = {part: converted[name] for part, name in SPOT_NAMES.items() if name in converted}
    return parts, stored.layouts, stored.cards


def changed(array, number):
    copy = np.array(array)
    copy[0] = number
    return copy


@pytest.mark.parametrize(
    ("part", "damage", "problem"),
    [
        ("shares", lambda a: a.astype(object), "is object"),
        ("shares", lambda a: a.astype(np.complex64), "is complex64"),
        ("shares", lambda a: a[:-1], "this version builds uint16"),
        ("shares", lambda a: a.reshape(2, -1), "this version builds uint8 or uint16"),
        ("river_oop_bucket", lambda a: a[:, 1:], "this version builds uint8"),
        ("river_game", lambda a: changed(a, -1), "has numbers below 0"),
        ("values", lambda a: a.astype(np.float32), "is float32"),
        ("values", lambda a: None, "has no array"),
        ("bounds", lambda a: changed(a, np.inf), "has numbers that are not finite"),
        ("equity", lambda a: a.T[1:], "this version builds uint16"),
    ],
)
def test_an_array_that_does_not_fit_is_named(kept, part, damage, problem):
    parts, streets, cards = kept
    names = {each: f"my_{each}" for each in PARTS}
    arrays = {names[each]: array for each, array in parts.items()}
    StoredArrays("spot", arrays, names).read(streets, cards)
    if (array := damage(arrays.pop(names[part]))) is not None:
        arrays[names[part]] = array
    with pytest.raises(BundleError, match=f"my_{part}.*{problem}|{problem} my_{part}") as caught:
        StoredArrays("spot", arrays, names).read(streets, cards)
    assert caught.value.where == "spot"
