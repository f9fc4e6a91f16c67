from pathlib import Path

import pytest
from pydantic import ValidationError

from runout.cfr.schedules import DCFR_SPOT
from runout.config.load import load_config, parse_config
from runout.config.spot import NodeLock, SpotConfig
from runout.errors import ConfigError
from runout.trees.betting import Street
from runout.trees.sizes import BetSize

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("spot_*.yaml"))
TEXT = """\
board: QsJh2h
oop: 22+,A2s+
ip: 77
pot: 180
stack: 910
"""


def load(**keys):
    return parse_config(TEXT, SpotConfig, keys)


def problem(text):
    with pytest.raises(ConfigError) as caught:
        parse_config(text, SpotConfig)
    return str(caught.value)


def test_five_keys_are_enough():
    config = load()
    assert config.first_street == Street.FLOP
    assert config.target == 0.005
    assert config.cfr_variant == DCFR_SPOT
    rule = config.stopping_rule()
    assert (rule.max_iterations, rule.max_seconds, rule.exploitability) == (10_000, None, 0.9)
    assert config.tree().stakes.pot == 180


def test_a_pair_of_digits_is_a_range_though_yaml_reads_a_number():
    assert load().ip == "77"
    assert load().ranges()[1].num_combos == 6


def test_sizes_are_for_everybody_or_by_street_and_player():
    config = load(
        bet_sizes={"flop": "33%", "turn": {"oop": ["50%", "100c"], "ip": "e"}, "river": "a"},
        raise_sizes={"oop": "2.5x", "ip": []},
        donk_sizes=[],
    )
    flop, turn, river = config.betting_rules().menus
    assert flop[0].bets == flop[1].bets == (BetSize("%", 0.33),)
    assert turn[0].bets == (BetSize("%", 0.5), BetSize("c", 100.0))
    assert turn[1].bets == (BetSize("e"),)
    assert river[0].bets == (BetSize("a"),)
    assert river[1].raises == ()
    assert river[0].donks == ()
    assert load().betting_rules().menus[0][0].donks is None


def test_a_later_board_needs_no_sizes_of_earlier_streets():
    sizes = {"river": {"oop": "33%", "ip": "50%"}}
    rules = load(board="QsJh2h8c3d", bet_sizes=sizes).betting_rules()
    assert rules.menus[2][1].bets == (BetSize("%", 0.5),)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_samples_can_be_read_and_come_back(path):
    config = load_config(path, SpotConfig)
    assert parse_config(config.to_yaml(), SpotConfig) == config
    assert config.tree().num_nodes > 10


def test_every_form_comes_back():
    config = load(
        bet_sizes={"flop": "33%", "turn": {"oop": ["50%", "100c"], "ip": "3e200%"}, "river": "a"},
        raise_sizes=[0.5, "2.5x"],
        donk_sizes=[],
        add_all_in_threshold=float("inf"),
        cfr_variant={"alpha": 1.5, "beta": 0.5, "gamma": 3.0},
        target=None,
        rake_rate=0.05,
        rake_cap=3,
        locks=[
            {"node": "r:0", "strategy": {"x": "40%", "b59": 0.6}},
            {"node": "x", "strategy": {"AA": {"x": 1}, "random": {"x": 0.5, "b59": 0.5}}},
            {"node": "x:x:8h", "strategy": {"KK": {"x": 1}}, "locks_alike": True},
        ],
    )
    again = parse_config(config.to_yaml(), SpotConfig)
    assert again == config
    assert again.game_mapping() == config.game_mapping()
    assert config.locks[0] == NodeLock(node="r:0", strategy={"x": "40%", "b59": 0.6})
    assert config.locks[2].locks_alike


def test_the_game_is_the_same_in_other_words_and_whatever_ends_the_solve():
    config = load(bet_sizes="33%,75%")
    other = load(
        board="2hQsJh", oop="A2s+,22+", bet_sizes=["75%", 0.33], target="0.1%", max_iterations=7
    )
    assert other.game_mapping() == config.game_mapping()
    assert load(precision=16).game_mapping() != config.game_mapping()
    assert load(pot=181).game_mapping() != config.game_mapping()


def test_keys_that_are_given_win_and_stand_on_no_line():
    with pytest.raises(ConfigError) as caught:
        load(oop="KX")
    assert str(caught.value) == "oop: 'KX': 'X' is not a rank, use one of 23456789TJQKA"
    assert load(pot=50).pot == 50


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "QsJh2h",
            "QsJhQs",
            "board: Qs: dealt twice in QsJhQs (line 1)",
        ),
        ("QsJh2h", "[Qs]", "board: ['Qs'] is not a board such as QsJh2h (line 1)"),
        ("ip: 77", "ip: QsJh", "ip: no hand of the range avoids the board QsJh2h (line 3)"),
        ("ip: 77", "ip: AA:0", "ip: every weight is 0, no hand is left (line 3)"),
        ("ip: 77", "ip: [77]", "ip: [77] is not a range such as 22+,AKs:0.5 (line 3)"),
        (
            "stack: 910",
            "stack: 1.0e+308",
            "stack: 1e+308 should be less than or equal to 1000000000 (line 5)",
        ),
        (
            "pot: 180",
            "pot: 0",
            "pot: 0 should be greater than or equal to 0.001 (line 4)",
        ),
        (
            "stack: 910",
            "stack: -1",
            "stack: -1 should be greater than or equal to 0.001 (line 5)",
        ),
        ("ip: 77\n", "", "config: ip is missing"),
        ("pot", "pots", "pots: unknown key, did you mean pot? (line 4); 1 more error"),
    ],
)
def test_a_wrong_game_is_one_line(old, new, expected):
    assert problem(TEXT.replace(old, new)) == expected


def test_hands_that_cannot_meet_are_one_line():
    text = TEXT.replace("22+,A2s+", "AhKh").replace("77", "AhKd")
    expected = "ip: every hand of the range shares a card with every hand of oop (line 3)"
    assert problem(text) == expected


NO_TARGET = "is not a percentage of the pot such as 0.5%, above 0% and up to 100%, or null"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("target: 0%", f"0% {NO_TARGET}"),
        ("target: 0", f"0 {NO_TARGET}"),
        (
            "target: 0.5",
            "0.5 has no unit, write 50% if this is a fraction of the pot, or 0.5%",
        ),
        ("target: '0'", f"0 {NO_TARGET}"),
        (
            "target: '0.5'",
            "0.5 has no unit, write 50% if this is a fraction of the pot, or 0.5%",
        ),
        ("target: -1%", f"-1% {NO_TARGET}"),
        (f"target: {'9' * 5_000}%", f"{'9' * 300}... {NO_TARGET}"),
        ("target: [1]", f"[1] {NO_TARGET}"),
        ("precision: 64", "64 is not one of 32, 16"),
        ("rake_rate: 5", "5 should be less than or equal to 1"),
        ("max_iterations: 0", "0 should be greater than or equal to 1"),
        ("merging_threshold: -1", "-1 should be greater than or equal to 0"),
        ("locks: 1", "1 is not a list"),
        ("turn_buckets: 16\nrivers: exact", "needs rivers: compact"),
    ],
)
def test_a_wrong_key_is_one_line(key, expected):
    assert problem(TEXT + key) == f"{key.split(':')[0]}: {expected} (line 6)"


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("2.5x", "bet_sizes[0]: '2.5x' multiplies a bet, but there is none yet: for raises only"),
        ("33%, 1000c", "bet_sizes[1]: '1000c' cannot be bet, the stack is 910"),
        ("50", "bet_sizes: 50 is not a list of bet sizes, write [0.5, 1.0] or [33%, 75%]"),
        ("0%", "bet_sizes[0]: '0%' is not a positive pot fraction"),
        ("{oop: 50%}", "bet_sizes: ip is missing, give oop and ip"),
        (
            "{flop: a, turn: {oop: 911c, ip: a}, river: a}",
            "bet_sizes.turn.oop[0]: '911c' cannot be bet, the stack is 910",
        ),
    ],
)
def test_a_size_that_cannot_be_bet_is_one_line(sizes, expected):
    assert problem(f"{TEXT}bet_sizes: {sizes}") == f"{expected} (line 6)"


@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        ("{node: x}", "[0]: strategy is missing"),
        ("x", "[0]: 'x' is not a mapping of keys to values"),
        ("{node: 1, strategy: {x: 1}}", "[0].node: 1 is not text"),
        (
            "{node: x, strategy: {x: 2}}",
            "[0].strategy.x: 2 is not a probability such as 0.4 or 40%",
        ),
        (
            "{node: x, strategy: [1]}",
            "[0].strategy: [1] is not a mapping of actions, write {x: 40%, b60: 60%}",
        ),
        (
            "{node: x, strategy: {AX: {x: 1}}}",
            "[0].strategy.AX: 'AX' is not a range ('AX': 'X' is not a rank, use one of "
            "23456789TJQKA)",
        ),
        (
            "{node: x, strategy: {AA: {x: 1}, KK: 1}}",
            "[0].strategy.KK: 1 is not a mapping of actions, write {x: 40%, b60: 60%}",
        ),
        (
            "{node: x, strategy: {x: 20%, a: 0.3}}",
            "[0].strategy: the probabilities sum to 0.5, not to 1",
        ),
        (
            "{node: x, strategy: {AA: {x: 1}, KK: {x: 0.9}}}",
            "[0].strategy.KK: the probabilities sum to 0.9, not to 1",
        ),
        ("{node: x, strategy: {x: 1}, locks_alike: 1}", "[0].locks_alike: 1 is not true or false"),
    ],
)
def test_a_wrong_lock_is_one_line(lock, expected):
    assert problem(f"{TEXT}locks: [{lock}]") == f"locks{expected} (line 6)"


def test_in_python_it_raises_what_pydantic_raises():
    with pytest.raises(ValidationError):
        SpotConfig(board="QsJh2h")


def test_lines_are_read_as_text_or_as_lists_of_amounts():
    config = load(added_lines=["0 12  38", [0, 12, 12], "X:B12", "0 12 38"])
    assert config.added_lines == ("0 12 38", "0 12 12", "x:b12")
    assert SpotConfig.parse(config.to_mapping()) == config
    assert problem(f"{TEXT}added_lines: [12, 12q]") == (
        "added_lines[1]: line '12q': '12q' is not an action, write 0 12 38 (put in since the root, "
        "an amount for each action) or x:b12:r38 (line 6)"
    )


def test_keys_of_lines_count_in_the_digest_once_they_are_given():
    plain, extra = load().digest_mapping(), {"added_lines": ["0 20", "0 40"]}
    assert not plain.keys() & {"added_lines", "removed_lines", "force_all_in_share"}
    given = load(added_lines=["0 40", "0 20"], force_all_in_share=0.5)
    assert given.digest_mapping() == plain | extra | {"force_all_in_share": 0.5}
