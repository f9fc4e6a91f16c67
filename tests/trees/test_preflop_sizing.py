import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.bet_sizing import AllInSize, ChipAmount, LastBetMultiple, PotFraction
from runout.trees.preflop_sizing import (
    BigBlindAmount,
    format_preflop_size,
    format_sizes_by_depth,
    parse_preflop_size,
    parse_sizes_by_depth,
)

deterministic = settings(derandomize=True, deadline=None)


def sizes():
    positive = st.floats(1e-9, 1e9)
    return st.one_of(
        st.builds(BigBlindAmount, positive),
        st.builds(PotFraction, positive),
        st.builds(LastBetMultiple, st.floats(1.0, 1e6, exclude_min=True)),
        st.just(AllInSize()),
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2.5bb", BigBlindAmount(2.5)),
        ("1.0p", PotFraction(1.0)),
        (".75p", PotFraction(0.75)),
        ("3x", LastBetMultiple(3.0)),
        (" 2.25X ", LastBetMultiple(2.25)),
        ("allin", AllInSize()),
        ("All-In", AllInSize()),
        ("a", AllInSize()),
    ],
)
def test_every_form_of_the_language_is_read(text, size):
    assert parse_preflop_size(text) == size


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (BigBlindAmount(2.5), "2.5bb"),
        (BigBlindAmount(100.0), "100bb"),
        (PotFraction(0.07), "0.07p"),
        (LastBetMultiple(3.0), "3x"),
        (BigBlindAmount(0.00001), "0.00001bb"),
        (AllInSize(), "allin"),
    ],
)
def test_sizes_are_written_short(size, text):
    assert format_preflop_size(size) == text


@deterministic
@given(sizes())
def test_a_size_survives_the_round_trip_through_text(size):
    assert parse_preflop_size(format_preflop_size(size)) == size
    assert parse_preflop_size(size) == size


@deterministic
@given(st.lists(st.lists(sizes(), max_size=3).map(tuple), max_size=4).map(tuple))
def test_sizes_by_depth_survive_the_round_trip_as_lists(by_depth):
    assert parse_sizes_by_depth(by_depth) == by_depth


@deterministic
@given(st.lists(st.lists(sizes(), min_size=1, max_size=3).map(tuple), max_size=4).map(tuple))
def test_sizes_by_depth_survive_the_round_trip_through_text(by_depth):
    assert parse_sizes_by_depth(format_sizes_by_depth(by_depth)) == by_depth


def test_depths_may_be_texts_lists_or_single_sizes():
    expected = ((BigBlindAmount(2.5), BigBlindAmount(3.0)), (LastBetMultiple(3.0),), (AllInSize(),))
    assert parse_sizes_by_depth("2.5bb, 3bb; 3x; allin") == expected
    assert parse_sizes_by_depth(["2.5bb, 3bb", "3x", "allin"]) == expected
    assert parse_sizes_by_depth([["2.5bb", "3bb"], LastBetMultiple(3.0), [AllInSize()]]) == expected


def test_nothing_and_empty_depths_mean_no_sized_raises():
    assert parse_sizes_by_depth("") == parse_sizes_by_depth([]) == ()
    assert parse_sizes_by_depth([[], "", "3x"]) == ((), (), (LastBetMultiple(3.0),))
    assert format_sizes_by_depth(((), (LastBetMultiple(3.0),))) == "; 3x"
    assert parse_sizes_by_depth("; 3x") == ((), (LastBetMultiple(3.0),))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("big", "'big' is not a raise size, write 2.5bb (big blinds), 1.0p (pots), 3x"),
        ("50%", "'50%' is not a raise size, write 2.5bb"),
        ("", "'' is not a raise size, write 2.5bb"),
        ("2.5", "'2.5' has no unit, write 2.5bb"),
        (2.5, "2.5 is not a raise size, write 2.5bb"),
        (True, "True is not a raise size"),
        (ChipAmount(5), "is not a raise size"),
        ("0bb", "'0bb' is not a positive number of big blinds"),
        ("-1p", "'-1p' is not a positive pot fraction"),
        ("1x", "'1x' is not a raise, the factor must be above 1"),
        (LastBetMultiple(0.5), "'0.5x' is not a raise, the factor must be above 1"),
        (BigBlindAmount(math.nan), "nan is not a raise size"),
        (PotFraction(math.inf), "inf is not a raise size"),
        ("9" * 400 + "bb", "is not a positive number of big blinds"),
    ],
)
def test_what_is_not_a_size_is_named_with_what_is(value, problem):
    with pytest.raises(TreeError) as caught:
        parse_preflop_size(value, "raise_sizes[0][1]")
    assert caught.value.where == "raise_sizes[0][1]"
    assert problem in caught.value.problem


def test_errors_name_the_depth_and_the_position():
    with pytest.raises(TreeError, match=r"^raise_sizes\[1\]\[0\]: '3y' is not a raise size"):
        parse_sizes_by_depth(["2.5bb", "3y"])
    with pytest.raises(TreeError, match=r"^raise_sizes\.bb\[0\]\[1\]: '-2bb' is not a positive"):
        parse_sizes_by_depth([["2bb", "-2bb"]], "raise_sizes.bb")
    with pytest.raises(TreeError, match=r"^raise_sizes\[0\]: 2.5 is not a raise size"):
        parse_sizes_by_depth([2.5])
    with pytest.raises(TreeError, match=r"^raise_sizes: 2.5 is not a list by raise depth"):
        parse_sizes_by_depth(2.5)
