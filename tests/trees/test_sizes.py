"""Tests of `runout.trees.sizes`."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.betting import PreflopRules
from runout.trees.sizes import (
    AFTER_FLOP,
    BEFORE_FLOP,
    RAISES_BEFORE_FLOP,
    BetSize,
    SizeRules,
    Sizes,
    SizesError,
    format_bet_size,
    format_bet_sizes,
    format_sizes_by_depth,
    geometric_fraction,
    parse_bet_size,
    read_size_text,
)

RAISES = SizeRules(for_raises=True)
deterministic = settings(derandomize=True, deadline=None)

positive = st.floats(min_value=1e-6, max_value=1e6)
sizes = st.one_of(
    st.builds(BetSize, st.just("%"), positive),
    st.builds(BetSize, st.just("x"), st.floats(min_value=1.0, max_value=100.0, exclude_min=True)),
    st.builds(BetSize, st.just("c"), positive),
    st.builds(BetSize, st.just("e"), st.integers(0, 9), st.just(math.inf) | positive),
    st.just(BetSize("a")),
)


# Reading and writing


def parse_bet_sizes(values, where="bet_sizes", **rules):
    return Sizes.parse(values, SizeRules(**rules), where).at()


def parse_sizes_by_depth(values):
    sizes = Sizes.parse(values, RAISES_BEFORE_FLOP, "raise_sizes")
    assert Sizes.parse({"sb": values, "bb": values}, RAISES_BEFORE_FLOP) == sizes
    return sizes.at("sb")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("33%", BetSize("%", 0.33)),
        ("7%", BetSize("%", 0.07)),
        ("33.3%", BetSize("%", 0.333)),
        ("150%", BetSize("%", 1.5)),
        ("2.5x", BetSize("x", 2.5)),
        ("100c", BetSize("c", 100.0)),
        ("e", BetSize("e")),
        ("2e", BetSize("e", 2)),
        ("3e200%", BetSize("e", 3, 2.0)),
        ("e150%", BetSize("e", 0, 1.5)),
        ("a", BetSize("a")),
    ],
)
def test_the_usual_language_is_read_and_written(text, size):
    assert parse_bet_size(text, RAISES) == size
    assert parse_bet_size(f" {text.upper()} ", RAISES) == size
    assert format_bet_size(size) == text


def test_a_plain_number_is_a_pot_fraction():
    assert parse_bet_sizes([0.5, 1, "75%"]) == (
        BetSize("%", 0.5),
        BetSize("%", 1.0),
        BetSize("%", 0.75),
    )


def test_a_text_holds_several_sizes():
    text = "33%, 75%, e, a"
    assert parse_bet_sizes(text) == parse_bet_sizes(["33%", "75%", "e", "a"])
    assert format_bet_sizes(parse_bet_sizes(text)) == text


@deterministic
@given(sizes)
def test_every_size_survives_being_written_and_read(size):
    assert parse_bet_size(format_bet_size(size), RAISES) == size
    assert parse_bet_size(size, RAISES) == size


@deterministic
@given(st.lists(sizes, min_size=1))
def test_every_list_survives_being_written_and_read(many):
    text = format_bet_sizes(many)
    assert parse_bet_sizes(text, for_raises=True) == tuple(many)


def test_an_empty_list_is_allowed_only_where_asked_for():
    assert parse_bet_sizes([], allow_empty=True) == ()
    assert parse_bet_sizes(" ", allow_empty=True) == ()


# Errors


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, -0.5], "bet_sizes[1]: -0.5 is not a positive pot fraction"),
        ([0], "bet_sizes[0]: 0 is not a positive pot fraction"),
        ([float("nan")], "bet_sizes[0]: nan is not a positive pot fraction"),
        ([float("inf")], "bet_sizes[0]: inf is not a positive pot fraction"),
        (["-50%"], "bet_sizes[0]: '-50%' is not a positive pot fraction"),
        (["0%"], "bet_sizes[0]: '0%' is not a positive pot fraction"),
        (["2e-10%"], "bet_sizes[0]: '-10%' is not a positive pot fraction"),
        (["0c"], "bet_sizes[0]: '0c' is not a positive number of chips"),
        (["0e"], "bet_sizes[0]: '0e' is geometric over 0 streets, use 1 or more"),
        ([BetSize("%", -1.0)], "bet_sizes[0]: '-100%' is not a positive pot fraction"),
        ([33], "bet_sizes[0]: 33 is 33 times the pot, write 0.33 or '33%'"),
        (["2.5x"], "bet_sizes[0]: '2.5x' multiplies a bet, but there is none yet: for raises only"),
        (["half"], "bet_sizes[0]: 'half' is not a bet size, write 0.5 or 50% (of the pot)"),
        (["0.5"], "bet_sizes[0]: '0.5' has no unit, write 50% of the pot or 0.5c for chips"),
        (["50%", ""], "bet_sizes[1]: '' is not a bet size"),
        ("50%,,a", "bet_sizes[1]: '' is not a bet size"),
        ([True], "bet_sizes[0]: True is not a bet size"),
        ([None], "bet_sizes[0]: None is not a bet size"),
        ([[0.5]], "bet_sizes[0]: [0.5] is not a bet size"),
        ([], "bet_sizes: empty, give at least one bet size"),
        ("", "bet_sizes: empty, give at least one bet size"),
        (0.5, "bet_sizes: 0.5 is not a list of bet sizes, write [0.5, 1.0]"),
        (None, "bet_sizes: None is not a list of bet sizes, write [0.5, 1.0]"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_is_allowed(values, message):
    with pytest.raises(TreeError) as caught:
        parse_bet_sizes(values)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_multiple_of_one_is_not_a_raise():
    with pytest.raises(TreeError, match=r"^bet size: '1x' is not a raise, the factor must be abo"):
        parse_bet_size("1x", RAISES)


def test_a_forgotten_percent_sign_is_told_from_an_overbet():
    assert parse_bet_size(9.5) == BetSize("%", 9.5)
    assert parse_bet_size("3300%") == BetSize("%", 33.0)
    with pytest.raises(TreeError, match=r"'3300%' if it is meant$"):
        parse_bet_size(33)


def test_all_errors_are_kept_with_their_places():
    with pytest.raises(SizesError) as caught:
        Sizes.parse({"flop": [0.5, "half"], "turn": {"oop": "-1%", "pi": "a"}, "river": []})
    assert str(caught.value).startswith("bet_sizes.flop[1]: 'half' is not a bet size")
    assert [place for place, _ in caught.value.parts] == [
        ("flop", 1),
        ("turn", "pi"),
        ("turn", "oop", 0),
        ("turn",),
        ("river",),
    ]


# Geometric sizes


@deterministic
@given(st.floats(0.05, 200.0), st.integers(1, 4))
def test_a_geometric_bet_on_every_street_ends_all_in(spr, num_streets):
    fraction = geometric_fraction(spr, num_streets)
    pot, stack = 1.0, spr
    for _ in range(num_streets):
        bet = fraction * pot
        pot, stack = pot + 2 * bet, stack - bet
    assert stack == pytest.approx(0.0, abs=1e-9 * spr)


def test_a_geometric_bet_over_one_street_is_the_stack():
    assert geometric_fraction(3.5, 1) == pytest.approx(3.5)
    assert geometric_fraction(13.0, 3) == pytest.approx(1.0)  # 1 + 2 * 13 = 27 = 3 ** 3


# Before the flop


def parse_before_flop(value):
    return parse_bet_size(value, SizeRules(BEFORE_FLOP, for_raises=True))


def sizes_of_test_preflop_sizing():
    positive = st.floats(1e-9, 1e9)
    return st.one_of(
        st.builds(BetSize, st.just("bb"), positive),
        st.builds(BetSize, st.just("%"), positive),
        st.builds(BetSize, st.just("x"), st.floats(1.0, 1e6, exclude_min=True)),
        st.just(BetSize("a")),
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2.5bb", BetSize("bb", 2.5)),
        ("1.0p", BetSize("%", 1.0)),
        (".75p", BetSize("%", 0.75)),
        ("3x", BetSize("x", 3.0)),
        (" 2.25X ", BetSize("x", 2.25)),
        ("allin", BetSize("a")),
        ("All-In", BetSize("a")),
        ("a", BetSize("a")),
    ],
)
def test_every_form_of_the_language_is_read(text, size):
    assert parse_before_flop(text) == size


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (BetSize("bb", 2.5), "2.5bb"),
        (BetSize("bb", 100.0), "100bb"),
        (BetSize("%", 0.07), "0.07p"),
        (BetSize("x", 3.0), "3x"),
        (BetSize("bb", 0.00001), "0.00001bb"),
        (BetSize("a"), "allin"),
    ],
)
def test_sizes_are_written_short(size, text):
    assert format_bet_size(size, BEFORE_FLOP) == text


@deterministic
@given(sizes_of_test_preflop_sizing())
def test_a_size_survives_the_round_trip_through_text(size):
    assert parse_before_flop(format_bet_size(size, BEFORE_FLOP)) == size
    assert parse_before_flop(size) == size


@deterministic
@given(
    st.lists(st.lists(sizes_of_test_preflop_sizing(), max_size=3).map(tuple), max_size=4).map(tuple)
)
def test_sizes_by_depth_survive_the_round_trip_as_lists(by_depth):
    assert parse_sizes_by_depth(by_depth) == by_depth


@deterministic
@given(
    st.lists(
        st.lists(sizes_of_test_preflop_sizing(), min_size=1, max_size=3).map(tuple), max_size=4
    ).map(tuple)
)
def test_sizes_by_depth_survive_the_round_trip_through_text(by_depth):
    assert parse_sizes_by_depth(format_sizes_by_depth(by_depth)) == by_depth


def test_depths_may_be_texts_lists_or_single_sizes():
    expected = ((BetSize("bb", 2.5), BetSize("bb", 3.0)), (BetSize("x", 3.0),), (BetSize("a"),))
    assert parse_sizes_by_depth("2.5bb, 3bb; 3x; allin") == expected
    assert parse_sizes_by_depth(["2.5bb, 3bb", "3x", "allin"]) == expected
    assert parse_sizes_by_depth([["2.5bb", "3bb"], BetSize("x", 3.0), [BetSize("a")]]) == expected


def test_nothing_and_empty_depths_mean_no_sized_raises():
    assert parse_sizes_by_depth("") == parse_sizes_by_depth([]) == ()
    assert parse_sizes_by_depth([[], "", "3x"]) == ((), (), (BetSize("x", 3.0),))
    assert format_sizes_by_depth(((), (BetSize("x", 3.0),))) == "; 3x"
    assert parse_sizes_by_depth("; 3x") == ((), (BetSize("x", 3.0),))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("big", "'big' is not a raise size, write 2.5bb (big blinds), 1.0p (pots), 3x"),
        ("", "'' is not a raise size, write 2.5bb"),
        ("2.5", "'2.5' has no unit, write 2.5bb"),
        (2.5, "2.5 has no unit, write 2.5bb"),
        (True, "True is not a raise size"),
        ("0bb", "'0bb' is not a positive number of big blinds"),
        ("-1p", "'-1p' is not a positive pot fraction"),
        ("1x", "'1x' is not a raise, the factor must be above 1"),
        (BetSize("x", 0.5), "'0.5x' is not a raise, the factor must be above 1"),
        (BetSize("bb", math.nan), "'nanbb' is not a raise size"),
        (BetSize("%", math.inf), "'infinityp' is not a raise size"),
        ("9" * 400 + "bb", "is more than a number can be"),
    ],
)
def test_what_is_not_a_size_is_named_with_what_is(value, problem):
    with pytest.raises(TreeError) as caught:
        parse_before_flop(value)
    assert caught.value.where == "raise size"
    assert problem in caught.value.problem


def test_errors_name_the_depth_and_the_position():
    with pytest.raises(TreeError, match=r"^raise_sizes\[1\]\[0\]: '3y' is not a raise size"):
        parse_sizes_by_depth(["2.5bb", "3y"])
    with pytest.raises(TreeError, match=r"^raise_sizes\.bb\[0\]\[1\]: '-2bb' is not a positive"):
        PreflopRules.parse(25.0, {"sb": "2bb", "bb": [["2bb", "-2bb"]]})
    with pytest.raises(TreeError, match=r"^raise_sizes\[0\]: 2.5 has no unit"):
        parse_sizes_by_depth([2.5])
    with pytest.raises(TreeError, match=r"^raise_sizes: 2.5 is not a list by raise depth"):
        parse_sizes_by_depth(2.5)


# One language for all streets


@pytest.mark.parametrize(
    "text", ["50%", "0.5p", "2.5x", "3bb", "100c", "e", "2e120%", "allin", "a"]
)
def test_every_text_means_the_same_before_and_after_the_flop(text):
    size = parse_bet_size(text, RAISES)
    assert size == parse_before_flop(text)
    for style in (AFTER_FLOP, BEFORE_FLOP):
        written = format_bet_size(size, style)
        assert parse_bet_size(written, RAISES) == parse_before_flop(written) == size


def test_each_distinct_text_is_read_once():
    read_size_text.cache_clear()
    for _ in range(5):
        parse_bet_sizes("33%, 75%, 33%")
        parse_bet_sizes(["33%", "75% "], "flop.bet_sizes", for_raises=True)
    assert read_size_text.cache_info().misses == 2
    for _ in range(2):
        with pytest.raises(TreeError, match=r"^bet size: 'half' is not a bet size"):
            parse_bet_size("half")
        with pytest.raises(TreeError, match=r"^raise size: 'half' is not a raise size"):
            parse_before_flop("half")
