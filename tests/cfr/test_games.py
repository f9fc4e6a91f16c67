"""Tests of `runout.cfr.games`: against OpenSpiel, against the vector solver, and by hand."""

import pyspiel
import pytest

from runout.cfr import games
from runout.cfr.games import Chance, Decision, Game, Payoff
from runout.cfr.schedules import VARIANTS
from runout.cfr.solver import CfrSolver
from runout.errors import TreeError
from tests.games import kuhn, leduc

THEIRS = {"vanilla": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}


def duel(history):
    """Chance at the root and in the middle, decisions of unequal depth, odds that are not equal."""
    match history:
        case ():
            return Chance({"low": 0.5, "high": 0.3, "top": 0.2})
        case (card,):
            return Decision(0, card, ("fold", "bet", "raise"))
        case (card, "fold"):
            return Payoff(-1.0)
        case (card, size):
            return Chance({"calm": 0.7, "storm": 0.3})
        case (card, size, weather):
            return Decision(1, f"{size} {weather}", ("fold", "call"))
        case (card, size, weather, "fold"):
            return Payoff(1.0)
        case (card, "bet", "storm", "call"):
            return Decision(0, f"{card} again", ("stay", "press"))
        case (card, *_, last):
            stake = 3.0 if "raise" in history or last == "press" else 2.0
            lucky = {"low": -1.0, "high": 0.25, "top": 1.0}[card]
            return Payoff(stake * lucky)


def to_efg(game):
    """Writes a game in Gambit's format, which OpenSpiel reads."""
    lines, sets, leaves = ['EFG 2 R "game" { "0" "1" } ""'], ({}, {}, {}), 0

    def walk(history):
        nonlocal leaves
        told = game.tell(history)
        if isinstance(told, Payoff):
            leaves += 1
            lines.append(f't "" {leaves} "" {{ {told.amount:.9f} {-told.amount:.9f} }}')
            return
        if isinstance(told, Chance):
            odds = " ".join(f'"{name}" {p:.9f}' for name, p in told.outcomes.items())
            lines.append(f'c "" {sets[2].setdefault(history, len(sets[2]) + 1)} "" {{ {odds} }} 0')
            steps = told.outcomes
        else:
            own = sets[told.player]
            number = own.setdefault(told.sees, len(own) + 1)
            names = " ".join(f'"{told.sees} {action}"' for action in told.actions)
            lines.append(f'p "" {told.player + 1} {number} "{told.sees}" {{ {names} }} 0')
            steps = told.actions
        for step in steps:
            walk((*history, step))

    walk(())
    return "\n".join(lines) + "\n"


OPEN_SPIEL_GAMES = {
    "kuhn": lambda: pyspiel.load_game("kuhn_poker"),
    "leduc": lambda: pyspiel.load_game("leduc_poker"),
    "duel": lambda: pyspiel.load_efg_game(to_efg(Game(duel))),
}
GAMES = {"kuhn": games.kuhn(), "leduc": games.leduc(), "duel": Game(duel, "duel")}


@pytest.mark.parametrize("variant", THEIRS)
@pytest.mark.parametrize(("name", "num_iterations"), [("kuhn", 100), ("leduc", 8), ("duel", 100)])
def test_nash_conv_is_that_of_open_spiel_after_every_iteration(name, num_iterations, variant):
    game = OPEN_SPIEL_GAMES[name]()
    theirs, expected = THEIRS[variant](game), []
    for _ in range(num_iterations):
        theirs.evaluate_and_update_policy()
        expected.append(pyspiel.nash_conv(game, theirs.average_policy()))
    found = CfrSolver(GAMES[name], variant).run(num_iterations, history_every=1)
    assert [iteration for iteration, _ in found] == list(range(1, num_iterations + 1))
    assert [nash_conv for _, nash_conv in found] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn", "duel"])
def test_a_game_of_open_spiel_is_solved_like_our_own(name):
    found = CfrSolver(games.from_openspiel(OPEN_SPIEL_GAMES[name]()), "dcfr").run(20, 1)
    expected = CfrSolver(GAMES[name], "dcfr").run(20, 1)
    assert found == [(n, pytest.approx(value, abs=1e-9)) for n, value in expected]


def test_other_games_of_open_spiel_are_read_by_name():
    solver = CfrSolver(games.from_openspiel("liars_dice(numdice=1,dice_sides=3)"))
    start = solver.nash_conv()
    solver.run(50)
    assert solver.nash_conv() < start / 5
    assert repr(solver) == "CfrSolver(liars_dice, dcfr, 50 iterations)"


@pytest.mark.parametrize("schedule", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize(
    ("game", "twin"), [("kuhn", kuhn.kuhn_solver), ("leduc", leduc.leduc_solver)]
)
def test_iterations_are_those_of_the_solver_of_streets(game, twin, schedule):
    ours, other = CfrSolver(GAMES[game], schedule), twin(schedule)
    for _ in range(3):
        ours.run(1)
        other.run(1)
        assert ours.nash_conv() == pytest.approx(other.nash_conv(), abs=1e-9)
        assert ours.game_value(0) == pytest.approx(other.game_value(0), abs=1e-9)
        assert ours.strategy_delta == pytest.approx(other.strategy_delta, abs=1e-9)


def test_both_players_may_update_at_once():
    ours = CfrSolver(games.kuhn(), "dcfr", is_simultaneous=True)
    other = kuhn.kuhn_solver(VARIANTS["dcfr"], is_simultaneous=True)
    for solver in (ours, other):
        solver.run(7)
    assert ours.nash_conv() == pytest.approx(other.nash_conv(), abs=1e-12)


def test_known_answers():
    solver = CfrSolver(games.kuhn(), "dcfr+")
    solver.run(2_000)
    assert solver.game_value(0) == pytest.approx(-1 / 18, abs=1e-4)
    assert solver.policy(1)["K p"]["b"] == pytest.approx(1.0, abs=1e-3)
    assert solver.policy(1)["J p"]["b"] == pytest.approx(1 / 3, abs=1e-2)
    assert set(solver.policy(0)) == {f"{card} {moves}" for card in "JQK" for moves in ("", "pb")}


@pytest.mark.parametrize("moves", ["c", "rr", "crc", "rc/r", "crrc/cr"])
def test_leduc_is_told_as_it_is_played(moves):
    first, *later = moves.split("/")
    history = ("J", "J", *first, *(("K", *later[0]) if later else ()))
    told = games.leduc().tell(history)
    if moves == "crc":
        assert told == Chance({"Q": 0.5, "K": 0.5})
    else:
        assert told.player == len(moves.split("/")[-1]) % 2
        assert told.actions == {"c": ("c", "r"), "rr": ("f", "c")}.get(moves, ("f", "c", "r"))


def forgetful(history):
    match len(history):
        case 0:
            return Decision(0, "first", ("a", "b"))
        case 1:
            return Decision(0, "second", ("a", "b"))
        case _:
            return Payoff(0.0)


def unequal(history):
    if not history:
        return Chance({"a": 0.5, "b": 0.5})
    if len(history) == 1:
        return Decision(0, "same", ("x", "y") if history[0] == "a" else ("x",))
    return Payoff(0.0)


@pytest.mark.parametrize(
    ("tell", "problem"),
    [
        (
            forgetful,
            r"history \('b',\): has other earlier decisions than another history",
        ),
        (unequal, r"history \('b',\): has other actions than another history that sees 'same'"),
        (lambda history: Chance({"a": 0.5}), r"history \(\): the odds {'a': 0.5} do not sum to 1"),
        (lambda history: Decision(2, "", ("a",)), "a decision needs a player, 0 or 1, and actions"),
    ],
)
def test_an_impossible_game_is_refused(tell, problem):
    with pytest.raises(TreeError, match=problem):
        CfrSolver(Game(tell))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("kuhn_poker(players=3)", "3 players, 2 needed"),
        ("matrix_rps", "is not a sequential zero-sum game"),
    ],
)
def test_other_kinds_of_games_of_open_spiel_are_refused(name, problem):
    with pytest.raises(TreeError, match=problem):
        games.from_openspiel(name)
