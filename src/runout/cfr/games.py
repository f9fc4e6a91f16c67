"""Small games to solve with `CfrSolver`, and games of your own, with chance.

A game is one function: given a history, the tuple of everything that has happened, it says what
comes next. That is `Chance` with the probability of each outcome, a `Decision` of player 0 or 1, or
a `Payoff`, which ends the game. What a player can tell apart is what a decision ``sees``.

>>> from runout import CfrSolver, games
>>> def guess(history):  # player 1 guesses which side of a loaded coin player 0 sees
...     match history:
...         case ():
...             return games.Chance({"heads": 0.6, "tails": 0.4})
...         case (coin,):
...             return games.Decision(0, sees=coin, actions=("show", "hide"))
...         case (coin, shown):
...             sees = coin if shown == "show" else "nothing"
...             return games.Decision(1, sees=sees, actions=("heads", "tails"))
...         case (coin, _, guessed):
...             return games.Payoff(-1.0 if guessed == coin else 1.0)
>>> solver = CfrSolver(games.Game(guess), "cfr+")
>>> _ = solver.run(500)
>>> round(solver.game_value(0), 2)
-0.2
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import BoolArray, FloatArray, RealArray
from runout.cfr.cfr_kernels import LEARN, RESPOND, Step
from runout.errors import TreeError, quote
from runout.trees.layout import CHANCE, LEAF, NUM_PLAYERS, layout_tree

__all__ = ["Chance", "Decision", "Game", "Payoff", "from_openspiel", "kuhn", "leduc"]

#: How far the probabilities of a chance node may sum from 1.
_ROUNDING = 1e-9


class Chance(NamedTuple):
    """Something is dealt: ``{outcome: probability}``."""

    outcomes: Mapping[Hashable, float]


class Decision(NamedTuple):
    """Player 0 or 1 takes one of the actions, and sees the same at all histories it confuses."""

    player: int
    sees: Hashable
    actions: Sequence[Hashable]


class Payoff(NamedTuple):
    """The game is over, and player 0 wins this from player 1."""

    amount: float


@dataclass(frozen=True)
class Game:
    """A two-player zero-sum game with perfect recall, told by a function.

    Attributes:
        tell: returns what comes next after a history.
        name: for people.
        start: the first history; any value that ``tell`` and ``play`` understand.
        play: returns the history after an outcome or an action.
    """

    tell: Callable[[Any], Chance | Decision | Payoff]
    name: str = "game"
    start: Any = ()
    play: Callable[[Any, Any], Any] = lambda history, action: (*history, action)

    def __repr__(self) -> str:
        return f"Game({self.name})"


class _Place(NamedTuple):
    """A node while the tree grows: its history, and how it is reached from the one before."""

    history: Any
    slot: int = -1  # the number of the action that leads here; -1 for an outcome of chance
    chance: float = 1.0  # the probability of that outcome, 1 for an action
    own: tuple[int, ...] = (-1, -1)  # by player, the last slot that it chose

    def after(self, history: Any, player: int, slot: int) -> "_Place":
        own = tuple(slot if who == player else last for who, last in enumerate(self.own))
        return _Place(history, slot, own=own)


class GameTables:
    """What both players have learned about a `Game`; tables ``[S]`` have a row for each action.

    ``N`` are the nodes of the game tree, ``S`` the actions of all information sets.
    """

    def __init__(self, game: Game) -> None:
        """Walks the whole game; both players begin with all actions equally likely.

        Refuses more than a million nodes, and a player that forgets what it knew.
        """
        self.name = game.name
        self._sets: dict[tuple[int, Hashable], tuple[int, tuple[Hashable, ...], int]] = {}
        self._set: list[int] = []  # [S] the information set of each action
        self._depth: list[int] = []  # [S] earlier decisions of its player
        payoff: list[float] = []

        def expand(place: _Place) -> tuple[int, list[_Place]]:
            told = game.tell(place.history)
            payoff.append(told.amount if isinstance(told, Payoff) else 0.0)
            if isinstance(told, Payoff):
                return LEAF, []
            if isinstance(told, Chance):
                odds = told.outcomes
                error = abs(sum(odds.values()) - 1.0)
                if min(odds.values(), default=-1.0) < 0.0 or error > _ROUNDING:
                    problem = f"the odds {quote(odds)} do not sum to 1"
                    raise TreeError(f"history {quote(place.history)}", problem)
                return CHANCE, [
                    _Place(game.play(place.history, outcome), chance=share, own=place.own)
                    for outcome, share in odds.items()
                ]
            first = self._enter(told, place)
            return told.player, [
                place.after(game.play(place.history, action), told.player, first + number)
                for number, action in enumerate(told.actions)
            ]

        self.tree, places = layout_tree(_Place(game.start), expand)
        self._slot = np.array([place.slot for place in places])
        self._chance = np.array([place.chance for place in places])
        self._payoff = np.array(payoff)
        self._set_of, self._depth_of = np.array(self._set, np.int64), np.array(self._depth)
        actor = self.tree.actor[np.maximum(self.tree.parent, 0)]
        actor[0] = LEAF
        self._is_own = [actor == player for player in range(NUM_PLAYERS)]
        #: ``[S]`` one node that each action leads to: own reach is the same at all of them.
        self._example = np.zeros(len(self._set), np.int64)
        self._example[self._slot[self._slot >= 0]] = np.flatnonzero(self._slot >= 0)
        self._owner = actor[self._example]
        self.regret, self.strategy_sum = np.zeros(len(self._set)), np.zeros(len(self._set))
        self.strategy = self._match(self.regret)

    def _enter(self, told: Decision, place: _Place) -> int:
        """Returns the first slot of a decision's information set, which is made if it is new."""
        key, actions = (told.player, told.sees), tuple(told.actions)
        where = f"history {quote(place.history)}"
        if told.player not in range(NUM_PLAYERS) or not actions:
            raise TreeError(where, "a decision needs a player, 0 or 1, and actions")
        before = place.own[told.player]
        if key not in self._sets:
            self._sets[key] = len(self._set), actions, before
            self._set += [len(self._sets) - 1] * len(actions)
            self._depth += [0 if before < 0 else self._depth[before] + 1] * len(actions)
        first, known, own = self._sets[key]
        if known != actions or own != before:
            differs = "actions" if known != actions else "earlier decisions"
            problem = f"has other {differs} than another history that sees {quote(told.sees)}"
            raise TreeError(where, problem)
        return first

    def visit(self, root_reach: RealArray, player: int, step: Step) -> FloatArray:
        """Returns ``[1]`` what ``player`` wins; see `StreetSolver.visit`."""
        is_own = self._is_own[player]
        strategy = self.strategy if step.mode == LEARN else self.average_strategy()
        edge = self._edges(strategy)
        #: ``[N]`` how likely others, chance included, play towards each node.
        reach = self._down(np.where(is_own, 1.0, edge))
        if step.mode == RESPOND:
            edge = self._edges(self._best_response(player, reach, strategy))
        value = self._up(player, edge)
        if step.mode == LEARN:
            owned = self._owner == player
            decay = np.where(self.regret > 0.0, step.positive_regret, step.negative_regret)
            gained = self._by_slot(is_own, reach * (value - value[self.tree.parent]))
            self.regret[owned] = (self.regret * decay + gained)[owned]
            played = self._down(np.where(is_own, edge, 1.0))[self._example]
            self.strategy_sum[owned] = (self.strategy_sum * step.strategy + played)[owned]
        return value[:1].copy()

    def refresh(self, player: int) -> float:
        """Lets ``player`` play what it has learned; returns the largest change of probability."""
        owned, matched = self._owner == player, self._match(self.regret)
        change = np.abs(matched - self.strategy)[owned]
        self.strategy[owned] = matched[owned]
        return float(change.max(initial=0.0))

    def average_strategy(self) -> FloatArray:
        """Returns ``[S]`` the average strategy, the one that converges to equilibrium."""
        return self._match(self.strategy_sum)

    def policy(self, player: int) -> dict[object, dict[object, float]]:
        """Returns the average strategy of a player: action to probability, by what is seen."""
        average = self.average_strategy()
        return {
            sees: {action: float(average[first + n]) for n, action in enumerate(actions)}
            for (who, sees), (first, actions, _) in self._sets.items()
            if who == player
        }

    def _match(self, source: FloatArray) -> FloatArray:
        """Returns ``[S]`` probabilities in proportion to what is positive, else all the same."""
        positive = np.maximum(source, 0.0)
        total = np.bincount(self._set_of, positive, len(self._sets))[self._set_of]
        uniform = 1.0 / np.bincount(self._set_of, minlength=len(self._sets))[self._set_of]
        return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), uniform)

    def _edges(self, strategy: FloatArray) -> FloatArray:
        """Returns ``[N]`` the probability of the action or outcome that leads to each node."""
        return np.where(self._slot >= 0, strategy[self._slot], self._chance)

    def _down(self, edge: FloatArray) -> FloatArray:
        """Returns ``[N]`` the product of ``edge[N]`` on the way to each node."""
        reach, start = np.ones(len(edge)), self.tree.level_start
        for level in range(1, self.tree.num_levels):
            nodes = slice(start[level], start[level + 1])
            reach[nodes] = reach[self.tree.parent[nodes]] * edge[nodes]
        return reach

    def _up(self, player: int, edge: FloatArray) -> FloatArray:
        """Returns ``[N]`` what ``player`` wins from each node on, given the probabilities."""
        value, start = self._payoff * (1.0 - 2.0 * player), self.tree.level_start
        for level in range(self.tree.num_levels - 1, 0, -1):
            nodes = slice(start[level], start[level + 1])
            np.add.at(value, self.tree.parent[nodes], edge[nodes] * value[nodes])
        return value

    def _best_response(self, player: int, reach: FloatArray, strategy: FloatArray) -> FloatArray:
        """Returns ``[S]`` the strategy with the best of each of ``player``'s actions."""
        best = strategy.copy()
        # Its last decisions first: what an action is worth depends on those after it.
        for depth in np.unique(self._depth_of[self._owner == player])[::-1]:
            won = reach * self._up(player, self._edges(best))
            value = self._by_slot(self._is_own[player], won)
            chosen = np.flatnonzero((self._owner == player) & (self._depth_of == depth))
            order = chosen[np.lexsort((-value[chosen], self._set_of[chosen]))]
            is_first = np.diff(self._set_of[order], prepend=-1) != 0
            best[chosen], best[order[is_first]] = 0.0, 1.0
        return best

    def _by_slot(self, nodes: BoolArray, value: FloatArray) -> FloatArray:
        """Returns ``[S]`` the sum of ``value[N]`` over some of the nodes that each leads to."""
        return np.bincount(self._slot[nodes], value[nodes], len(self._set)).astype(np.float64)


def kuhn() -> Game:
    """Returns Kuhn poker: three cards, one bet of 1; player 0 loses 1/18.

    >>> kuhn().tell(("K", "Q", "p", "b"))
    Decision(player=0, sees='K pb', actions=('p', 'b'))
    """
    return Game(_kuhn, "kuhn")


def _kuhn(history: tuple[str, ...]) -> Chance | Decision | Payoff:
    if len(history) < NUM_PLAYERS:
        left = [card for card in "JQK" if card not in history]
        return Chance({card: 1.0 / len(left) for card in left})
    (first, second), moves = history[:2], "".join(history[2:])
    if moves in ("", "p", "b", "pb"):  # p passes or folds, b bets or calls
        player = len(moves) % 2
        return Decision(player, f"{history[player]} {moves}", ("p", "b"))
    if moves in ("bp", "pbp"):
        return Payoff(1.0 if moves == "bp" else -1.0)
    stake = 2.0 if moves.endswith("bb") else 1.0
    return Payoff(stake if "JQK".index(first) > "JQK".index(second) else -stake)


def leduc() -> Game:
    """Returns Leduc poker: six cards of three ranks, two rounds with bets of 2 and 4.

    >>> leduc().tell(("K", "Q", "c", "r"))
    Decision(player=0, sees='K cr', actions=('f', 'c', 'r'))
    """
    return Game(_leduc, "leduc")


def _leduc(history: tuple[str, ...]) -> Chance | Decision | Payoff:
    dealt = [event for event in history if event in "JQK"]
    rounds = "".join("/" if event in "JQK" else event for event in history[2:]).split("/")
    is_fold, moves = rounds[-1].endswith("f"), rounds[-1]
    is_over = is_fold or (len(moves) > 1 and moves.endswith("c"))
    if len(dealt) < NUM_PLAYERS or (is_over and not is_fold and len(rounds) == 1):
        left = {rank: 2 - dealt.count(rank) for rank in "JQK"}
        total = sum(left.values())
        return Chance({rank: number / total for rank, number in left.items() if number})
    player, board = len(moves) % 2, "".join(dealt[2:])
    if not is_over:
        actions = ("f" if moves.endswith("r") else "") + "c" + "r" * (moves.count("r") < 2)
        return Decision(player, f"{dealt[player]}{board} {'/'.join(rounds)}", tuple(actions))
    paid = 1 + sum(bet * moves.count("r") for bet, moves in zip((2, 4), rounds, strict=False))
    if is_fold:  # the last raise was not matched, and it was the other player's turn
        folder = (len(moves) - 1) % 2
        lost = float(paid - (2, 4)[len(rounds) - 1])
        return Payoff(-lost if folder == 0 else lost)
    strength = [("JQK".index(card), card == board) for card in dealt[:2]]
    scores = [rank + 3 * is_pair for rank, is_pair in strength]
    return Payoff(float(paid) * float(np.sign(scores[0] - scores[1])))


def from_openspiel(game: Any) -> Game:
    """Returns a game of OpenSpiel, given as ``pyspiel.load_game`` returns it or by its name.

    >>> from_openspiel("kuhn_poker")  # doctest: +SKIP
    Game(kuhn_poker)

    Raises:
        TreeError: if it is not a sequential zero-sum game of two players.
    """
    if isinstance(game, str):
        import pyspiel

        game = pyspiel.load_game(game)
    kind, name = game.get_type(), str(game)
    if game.num_players() != NUM_PLAYERS:
        raise TreeError(f"game {name}", f"{game.num_players()} players, 2 needed")
    if "SEQUENTIAL" not in str(kind.dynamics) or "ZERO_SUM" not in str(kind.utility):
        raise TreeError(f"game {name}", "is not a sequential zero-sum game")

    def tell(state: Any) -> Chance | Decision | Payoff:
        if state.is_terminal():
            return Payoff(state.returns()[0])
        if state.is_chance_node():
            return Chance(dict(state.chance_outcomes()))
        player = state.current_player()
        return Decision(player, state.information_state_string(player), state.legal_actions())

    start = game.new_initial_state()
    return Game(tell, name.partition("(")[0], start, lambda state, action: state.child(action))
