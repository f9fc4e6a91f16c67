import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.bet_sizing import (
    AllInSize,
    ChipAmount,
    GeometricSize,
    LastBetMultiple,
    PotFraction,
    format_bet_size,
    format_bet_sizes,
    geometric_fraction,
    parse_bet_size,
    parse_bet_sizes,
)

deterministic = settings(derandomize=True, deadline=None)

positive = st.floats(min_value=1e-6, max_value=1e6)
sizes = st.one_of(
    st.builds(PotFraction, positive),
    st.builds(LastBetMultiple, st.floats(min_value=1.0, max_value=100.0, exclude_min=True)),
    st.builds(ChipAmount, positive),
    st.builds(GeometricSize, st.none() | st.integers(1, 9), st.none() | positive),
    st.just(AllInSize()),
)


# Reading and writing


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("33%", PotFraction(0.33)),
        ("7%", PotFraction(0.07)),
        ("33.3%", PotFraction(0.333)),
        ("150%", PotFraction(1.5)),
        ("2.5x", LastBetMultiple(2.5)),
        ("100c", ChipAmount(100.0)),
        ("e", GeometricSize()),
        ("2e", GeometricSize(2)),
        ("3e200%", GeometricSize(3, 2.0)),
        ("e150%", GeometricSize(None, 1.5)),
        ("a", AllInSize()),
    ],
)
def test_the_usual_language_is_read_and_written(text, size):
    assert parse_bet_size(text, for_raises=True) == size
    assert parse_bet_size(f" {text.upper()} ", for_raises=True) == size
    assert format_bet_size(size) == text


def test_a_plain_number_is_a_pot_fraction():
    assert parse_bet_sizes([0.5, 1, "75%"]) == (
        PotFraction(0.5),
        PotFraction(1.0),
        PotFraction(0.75),
    )


def test_a_text_holds_several_sizes():
    text = "33%, 75%, e, a"
    assert parse_bet_sizes(text) == parse_bet_sizes(["33%", "75%", "e", "a"])
    assert format_bet_sizes(parse_bet_sizes(text)) == text


@deterministic
@given(sizes)
def test_every_size_survives_being_written_and_read(size):
    assert parse_bet_size(format_bet_size(size), for_raises=True) == size
    assert parse_bet_size(size, for_raises=True) == size


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
        ([PotFraction(-1.0)], "bet_sizes[0]: '-100%' is not a positive pot fraction"),
        ([33], "bet_sizes[0]: 33 is 33 times the pot, write 0.33 or '33%'"),
        (["2.5x"], "bet_sizes[0]: '2.5x' multiplies a bet, but there is none yet: for raises only"),
        (["half"], "bet_sizes[0]: 'half' is not a bet size, write 0.5 or 50% (of the pot)"),
        (["0.5"], "bet_sizes[0]: '0.5' has no unit, write 0.5 or 50% (of the pot)"),
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
        parse_bet_size("1x", for_raises=True)


def test_a_forgotten_percent_sign_is_told_from_an_overbet():
    assert parse_bet_size(9.5) == PotFraction(9.5)
    assert parse_bet_size("3300%") == PotFraction(33.0)
    with pytest.raises(TreeError, match=r"'3300%' if it is meant$"):
        parse_bet_size(33)


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
