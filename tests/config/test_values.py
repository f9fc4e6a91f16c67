"""Tests of the values that keys may hold."""

import copy
import math
import pickle
from typing import Annotated

import pytest
from pydantic import ValidationError, create_model

from runout.cfr.schedules import CFR_PLUS, DCFR_PLUS, VARIANTS, Schedule
from runout.config.flops import FlopsConfig
from runout.config.run import PreflopConfig
from runout.config.section import ConfigSection, tell
from runout.config.spot import SpotConfig
from runout.config.values import MAX_EXPONENT, digest_variant
from runout.errors import ConfigError
from runout.trees.betting import PreflopRules
from runout.trees.sizes import BetSize


def type_of(section, key):
    field = section.model_fields[key]
    kind = Annotated[field.annotation, key, *field.metadata]
    return create_model(key, __base__=ConfigSection, value=(kind, ...))


SPRS, FLOPS = type_of(FlopsConfig, "postflop_sprs"), type_of(FlopsConfig, "fixed_flops")
STACKS = type_of(PreflopConfig, "stacks_bb")
RAISES_BY_DEPTH = type_of(PreflopConfig, "raise_sizes")
VARIANT = type_of(SpotConfig, "cfr_variant")
BETS, RAISES = type_of(FlopsConfig, "bet_sizes"), type_of(FlopsConfig, "raise_sizes")
SPOT_BETS = type_of(SpotConfig, "bet_sizes")


def read(kind, value):
    return kind(value=value).value


def plain(kind, value):
    return kind.model_construct(value=value).to_mapping()["value"]


def problem_of(kind, value):
    with pytest.raises(ValidationError) as caught:
        read(kind, value)
    (_, *place), text = next(tell(caught.value))
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place), text


def test_stack_to_pot_ratios_keep_their_order():
    assert read(SPRS, [6, 3.5]) == (6.0, 3.5)
    assert read(SPRS, (1,)) == read(SPRS, 1) == (1.0,)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (math.nan, ".nan"),
        ("3.5", "'3.5'"),
        (None, "null"),
        ({"flop": 1}, "a mapping"),
        ("Auto", "'Auto'"),
    ],
)
def test_a_ratio_that_makes_no_sense_is_refused(value, shown):
    allowed = "a positive stack-to-pot ratio, a list of different ones, or auto"
    assert problem_of(SPRS, value) == ("", f"{shown} is not {allowed}")


@pytest.mark.parametrize(
    ("value", "where", "problem"),
    [
        ([3.5, -1], "[1]", "-1 should be greater than 0"),
        ([True], "[0]", "true is not a number"),
        ([math.inf], "[0]", ".inf should be a finite number"),
        (["auto"], "[0]", "'auto' is not a number"),
        ([1, 2, 1.0], "[2]", "1.0 is repeated"),
        ([], "", "empty, give a list of at least one value"),
    ],
)
def test_a_ratio_of_a_list_that_makes_no_sense_is_named(value, where, problem):
    assert problem_of(SPRS, value) == (where, problem)


def test_ratios_may_wait_for_the_preflop_tree():
    assert read(SPRS, "auto") is None
    assert plain(SPRS, None) == "auto"
    assert plain(SPRS, (3.5, 6.0)) == [3.5, 6.0]


def test_flops_are_read_in_any_spelling_and_keep_their_suits_and_order():
    assert read(FLOPS, ["2c 3h 4d", "AHKSqd"]) == ("2c3h4d", "AhKsQd")
    assert read(FLOPS, None) is None


@pytest.mark.parametrize(
    ("value", "where", "problem"),
    [
        (["AhKx7s"], "[0]", "'Kx': 'x' is not a suit, use one of cdhs"),
        (["AhKsQd", "AhKd"], "[1]", "2 cards, a flop has 3"),
        (["AhAhKd"], "[0]", "dealt twice"),
        ([""], "[0]", "0 cards, a flop has 3"),
        ([234], "[0]", "234 is not a flop such as AhKd7s"),
        ([None], "[0]", "null is not a flop such as AhKd7s"),
        (["AhKd7s", "7cAdKh"], "", "both are AsKh7d up to suits, each flop may come once"),
        ([], "", "the list is empty"),
        ("AhKd7s", "", "'AhKd7s' is not a list of flops such as [AhKd7s]"),
    ],
)
def test_what_is_not_a_flop_is_refused(value, where, problem):
    place, what = problem_of(FLOPS, value)
    assert place == where
    assert problem in what


def test_no_raise_sizes_mean_those_of_the_bets():
    assert read(RAISES, None) is None
    assert read(RAISES, ["2.5x"]).plain() == ["2.5x"]
    assert (
        problem_of(RAISES, 3)[1] == "3 is not a list of bet sizes, write [0.5, 1.0] or [33%, 75%]"
    )


BY_POSITION = {"sb": [["2.5bb"], ["3x"]], "bb": [["3bb"], ["allin"]]}


def test_one_stack_is_that_of_both_players():
    assert read(STACKS, 25) == read(STACKS, [25, 25.0]) == (25.0, 25.0)
    assert read(STACKS, [25, 40]) == (25.0, 40.0)
    assert plain(STACKS, (25.0, 25.0)) == 25.0
    assert plain(STACKS, (25.0, 40.0)) == [25.0, 40.0]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (1e300, "1e+300"),
        (-3, "-3"),
        (True, "true"),
        ("25bb", "'25bb'"),
        (math.inf, ".inf"),
        (math.nan, ".nan"),
        ({"sb": 25}, "a mapping"),
        ([25], "[25]"),
        ([25, 25, 25], "[25, 25, 25]"),
        ([], "[]"),
    ],
)
def test_stacks_that_make_no_sense_are_refused(value, shown):
    allowed = "a positive number of big blinds up to 100,000, or a list [sb, bb] of two"
    assert problem_of(STACKS, value) == ("", f"{shown} is not {allowed}")


def test_a_stack_of_two_that_makes_no_sense_is_named():
    assert problem_of(STACKS, [25, -3]) == ("[1]", "-3 should be greater than 0")
    assert problem_of(STACKS, [None, 25]) == ("[0]", "null is not a number")


@pytest.mark.parametrize(
    "value",
    [
        [["2.5bb", "3bb"], ["3x"], ["allin"]],
        ["2.5bb, 3bb", "3x", "allin"],
        [["2.50bb", "3 bb".replace(" ", "")], "3.0x", ["ALL-IN"]],
        "2.5bb, 3bb; 3x; a",
        (("2.5bb", "3bb"), ("3x",), ("allin",)),
    ],
)
def test_sizes_by_depth_have_many_forms_and_one_meaning(value):
    sizes = read(RAISES_BY_DEPTH, value)
    assert sizes == PreflopRules.parse(25, "2.5bb, 3bb; 3x; allin").raise_sizes
    assert plain(RAISES_BY_DEPTH, sizes) == [["2.5bb", "3bb"], ["3x"], ["allin"]]
    assert read(RAISES_BY_DEPTH, {"sb": value, "bb": value}) == sizes


def test_sizes_may_differ_by_position():
    sizes = read(RAISES_BY_DEPTH, BY_POSITION)
    assert sizes == PreflopRules.parse(25, BY_POSITION).raise_sizes
    assert plain(RAISES_BY_DEPTH, sizes) == BY_POSITION
    assert read(RAISES_BY_DEPTH, {"sb": sizes.at("sb"), "bb": sizes.at("bb")}) == sizes


def test_no_sizes_are_a_choice_too():
    assert read(RAISES_BY_DEPTH, []).at("sb") == read(RAISES_BY_DEPTH, "").at("bb") == ()
    assert read(RAISES_BY_DEPTH, [[], ["allin"]]).at("sb")[0] == ()


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ([["2.5bb", "1x"]], "[0][1]", "'1x' is not a raise, the factor must be above 1"),
        ([["2.5bb"], ["big"]], "[1][0]", "'big' is not a raise size, write 2.5bb (big blinds)"),
        (["2.5bb", "3x, big"], "[1][1]", "'big' is not a raise size"),
        ("2.5bb; 3x, 0p", "[1][1]", "'0p' is not a positive pot fraction"),
        ([["0bb"]], "[0][0]", "'0bb' is not a positive number of big blinds"),
        ([["5c"]], "[0][0]", "'5c' is in chips, but the game is in big blinds: write 3bb"),
        ([["2.5"]], "[0][0]", "'2.5' has no unit, write 2.5bb for"),
        ([[2.5]], "[0][0]", "2.5 has no unit, write 2.5bb for big blinds"),
        ([3], "[0]", "3 has no unit, write 3bb for big blinds"),
        ([[None]], "[0][0]", "None is not a raise size"),
        ([None], "[0]", "None is not a raise size"),
        ([[True]], "[0][0]", "True is not a raise size"),
        ([math.nan], "[0]", "nan has no unit"),
        ([["2bb", ["3bb"]]], "[0][1]", "['3bb'] is not a raise size"),
        ([{"sb": "2bb"}], "[0]", "{'sb': '2bb'} is not a raise size"),
        (2.5, "", "2.5 is not a list by raise depth, write [2.5bb, 3x]"),
        (None, "", "None is not a list by raise depth"),
        ({}, "", "sb is missing, give sb and bb"),
        ({"sb": ["2bb"]}, "", "bb is missing, give sb and bb"),
        (BY_POSITION | {"oop": []}, ".oop", "unknown key, give sb and bb"),
        (BY_POSITION | {"bbb": []}, ".bbb", "unknown key, did you mean bb?"),
        (BY_POSITION | {"bb": None}, ".bb", "None is not a list by raise depth"),
        (BY_POSITION | {"bb": [["3bb"], ["x"]]}, ".bb[1][0]", "'x' is not a raise size"),
        (BY_POSITION | {"sb": [[1]]}, ".sb[0][0]", "1 has no unit, write 1bb for big blinds"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(value, suffix, problem):
    where, what = problem_of(RAISES_BY_DEPTH, value)
    assert where == suffix
    assert what.startswith(problem)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([["2bb", "3bb"]], [["3bb", "2.0bb", "2bb"]]),
        (["2bb", "3x"], ["2bb", "3x", "3x", "3x"]),
        ([], [[]]),
        (["2bb"], {"sb": "2bb", "bb": "2bb"}),
    ],
)
def test_sizes_that_mean_the_same_have_the_same_digest(one, other):
    digests = [PreflopConfig(raise_sizes=value).digest_mapping() for value in (one, other)]
    assert digests[0] == digests[1]


def test_other_sizes_have_another_digest():
    values = (["2bb", "3x"], ["2bb"], ["2bb", "3x", "2bb"], ["3x", "2bb"], BY_POSITION, [])
    digests = [str(PreflopConfig(raise_sizes=value).digest_mapping()) for value in values]
    assert len(set(digests)) == len(values)


NESTED = {"flop": ["33%"], "turn": {"oop": [0.75], "ip": [0.5, 1]}, "river": ["75%", "e"]}


def test_one_list_is_for_everybody():
    choice = read(BETS, [0.5, 1, "33.0%"])
    assert choice.plain() == ["50%", "100%", "33%"]
    assert choice.at("turn", "ip") == tuple(BetSize("%", fraction) for fraction in (0.5, 1.0, 0.33))


def test_a_text_with_commas_is_a_list():
    assert read(BETS, "33%, E").plain() == ["33%", "e"]


def test_sizes_may_differ_by_street_and_player():
    choice = read(BETS, NESTED)
    assert choice.at("flop", "oop") == (BetSize("%", 0.33),)
    assert choice.at("turn", "oop") == (BetSize("%", 0.75),)
    assert choice.at("turn", "ip")[1] == BetSize("%", 1.0)
    assert choice.at("river", "ip")[1] == BetSize("e")


def test_sizes_may_differ_by_player_alone():
    choice = read(RAISES, {"ip": ["3x"], "oop": [1]})
    assert choice.at("river", "ip") == (BetSize("x", 3.0),)
    assert choice.at("flop", "oop") == (BetSize("%", 1.0),)


def test_tables_read_like_what_was_given_and_read_back_the_same():
    choice = read(BETS, NESTED)
    turn = {"oop": ["75%"], "ip": ["50%", "100%"]}
    assert choice.plain() == {"flop": ["33%"], "turn": turn, "river": ["75%", "e"]}
    assert str(choice) == "flop 33%; turn oop 75%; turn ip 50%, 100%; river 75%, e"
    assert read(BETS, choice) == choice
    assert hash(read(BETS, choice)) == hash(choice)
    assert pickle.loads(pickle.dumps(choice)) == copy.deepcopy(choice) == choice


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ([0.5, -0.5], "[1]", "-0.5 is not a positive pot fraction"),
        ([0], "[0]", "0 is not a positive pot fraction"),
        ([50], "[0]", "50 is 50 times the pot, write 0.5 or '50%' for a percentage"),
        (["half"], "[0]", "'half' is not a bet size"),
        (["0.5"], "[0]", "'0.5' has no unit"),
        (["100c"], "[0]", "'100c' is in chips"),
        (["2.5x"], "[0]", "for raises only"),
        ([True], "[0]", "True is not a bet size, write 0.5 or 50%"),
        ([None], "[0]", "None is not a bet size"),
        ([float("nan")], "[0]", "nan is not a positive pot fraction"),
        ([float("inf")], "[0]", "inf is not a positive pot fraction"),
        ([10**400], "[0]", "is not a positive pot fraction"),
        ([[0.5]], "[0]", "[0.5] is not a bet size"),
        ([{"flop": 1}], "[0]", "{'flop': 1} is not a bet size"),
        ([], "", "empty, give at least one bet size"),
        ("", "", "empty, give at least one bet size"),
        (0.5, "", "0.5 is not a list of bet sizes, write [0.5, 1.0] or [33%, 75%]"),
        (None, "", "None is not a list of bet sizes"),
        ({}, "", "flop is missing, give flop, turn and river"),
        ({"flop": [1], "turn": [1]}, "", "river is missing, give flop, turn and river"),
        ({"oop": [1]}, "", "ip is missing, give oop and ip"),
        (NESTED | {"turm": [1]}, ".turm", "unknown key, did you mean turn?"),
        (NESTED | {"xyz": [1]}, ".xyz", "unknown key, give flop, turn and river"),
        (NESTED | {"flop": []}, ".flop", "empty"),
        (NESTED | {"flop": [1, "b"]}, ".flop[1]", "'b' is not a bet size"),
        (NESTED | {"turn": {"oop": [1]}}, ".turn", "ip is missing, give oop and ip"),
        (NESTED | {"turn": {"oop": [1], "ip": [-1]}}, ".turn.ip[0]", "-1 is not a positive"),
        ({"oop": [1], "ip": NESTED}, ".ip", "is not a list of bet sizes"),
        (NESTED | {"turn": {"oop": [1], "pi": [1]}}, ".turn.pi", "unknown key, did you mean ip?"),
    ],
)
def test_errors_name_the_part_that_is_at_fault(value, suffix, problem):
    where, what = problem_of(BETS, value)
    assert where == suffix
    assert problem in what


def test_a_multiple_of_the_last_bet_is_above_one():
    assert problem_of(RAISES, ["1x"]) == (
        "[0]",
        "'1x' is not a raise, the factor must be above 1",
    )


def test_a_spot_has_chips_and_empty_lists_and_leaves_streets_out():
    sizes = {"turn": [], "river": {"oop": "100c", "ip": ["50%"]}}
    choice = read(SPOT_BETS, sizes)
    assert choice.plain() == {"turn": [], "river": {"oop": ["100c"], "ip": ["50%"]}}
    assert choice.at("turn", "oop") == ()


EXPONENTS = {"alpha": 1.5, "beta": -math.inf, "gamma": 4}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_have_names(name):
    assert plain(VARIANT, read(VARIANT, name)) == name


def test_variants_may_be_given_by_their_exponents():
    assert read(VARIANT, EXPONENTS) == DCFR_PLUS
    assert plain(VARIANT, DCFR_PLUS) == "dcfr+"
    own = EXPONENTS | {"gamma": 3.5}
    assert plain(VARIANT, read(VARIANT, own)) == own
    assert read(VARIANT, DCFR_PLUS) == DCFR_PLUS


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ("dcrf", "", "dcfr-spot, or a mapping of alpha, beta and gamma, did you mean dcfr?"),
        (
            3,
            "",
            "3 is not one of vanilla, linear, cfr+, dcfr, dcfr+, dcfr4, dcfr6, dcfr-spot, or a",
        ),
        ([], "", "[] is not one of vanilla"),
        ({"alpha": 1, "beta": 1}, "", "gamma is missing"),
        (EXPONENTS | {"gama": 1}, ".gama", "unknown key, did you mean gamma?"),
        (EXPONENTS | {"x": 1}, ".x", "unknown key, allowed are alpha, beta, gamma"),
        (EXPONENTS | {"alpha": "1"}, ".alpha", "'1' is not a number from -20 to 20, .inf or -.inf"),
        (EXPONENTS | {"alpha": math.nan}, ".alpha", ".nan is not a number from -20 to 20"),
        (EXPONENTS | {"beta": True}, ".beta", "true is not a number"),
        (EXPONENTS | {"beta": -21}, ".beta", "-21 is not a number from -20 to 20"),
        (EXPONENTS | {"gamma": -1}, ".gamma", "-1 should be greater than or equal to 0"),
        (EXPONENTS | {"gamma": math.inf}, ".gamma", ".inf should be a finite number"),
    ],
)
def test_variants_that_do_not_exist_are_refused(value, suffix, problem):
    with pytest.raises(ConfigError) as caught:
        FlopsConfig.parse({"cfr_variant": value})
    assert caught.value.where == f"postflop_model.cfr_variant{suffix}"
    assert problem in caught.value.problem


def test_a_schedule_that_rises_can_be_written():
    rising = {"alpha": 1.75, "beta": 0.5, "gamma": 4.0, "num_rising": 150, "first_alpha": 1.25}
    config = FlopsConfig.parse({"cfr_variant": rising})
    assert config.schedule() == VARIANTS["dcfr-spot"]
    assert config.to_mapping()["cfr_variant"] == "dcfr-spot"
    own = FlopsConfig.parse({"cfr_variant": rising | {"num_rising": 7}})
    assert own.schedule().num_rising == 7
    assert FlopsConfig.parse(own.to_mapping()) == own
    assert FlopsConfig(cfr_variant=own.schedule()) == own


def test_a_schedule_of_ones_own_is_refused_by_configs():
    class Own(Schedule):
        pass

    with pytest.raises(ConfigError, match="is a schedule of your own"):
        FlopsConfig.parse({"cfr_variant": Own(1.0, 1.0, 1.0)})


@pytest.mark.parametrize("exponent", [-MAX_EXPONENT, MAX_EXPONENT, math.inf, -math.inf])
def test_allowed_exponents_never_overflow(exponent):
    schedule = read(VARIANT, {"alpha": exponent, "beta": exponent, "gamma": MAX_EXPONENT})
    assert isinstance(schedule, Schedule)
    assert all(0.0 <= weight <= 1.0 for weight in schedule.weights(10**9))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_name_and_its_exponents_are_the_same_schedule(name):
    schedule = VARIANTS[name]
    exponents = {key: float(number) for key, number in digest_variant(schedule).items()}
    exponents |= {key: int(exponents[key]) for key in exponents if key == "num_rising"}
    assert read(VARIANT, exponents) == read(VARIANT, name) == read(VARIANT, schedule) == schedule


def test_a_digest_spells_out_what_json_does_not_know():
    assert digest_variant(CFR_PLUS) == {"alpha": "inf", "beta": "-inf", "gamma": 1.0}
