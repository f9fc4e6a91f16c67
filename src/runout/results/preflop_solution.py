"""A solved preflop game: strategies, expected values, and where its numbers come from."""

from collections.abc import Mapping
from dataclasses import dataclass

from runout.arrays import FloatArray
from runout.cards.canonical_hands import matchup_weights
from runout.cfr.reach import own_reach
from runout.results.value_book import ValueSource
from runout.trees.preflop_tree import PreflopTree

MBB_PER_BB = 1000.0


@dataclass(frozen=True)
class FlopLeafSource:
    """Where the values of one flop leaf came from."""

    source: ValueSource
    detail: str


@dataclass(frozen=True)
class PreflopReport:
    """How a preflop solve went.

    Attributes:
        iterations: iterations done.
        exploitability_mbb: mean gain of a best response, in thousandths of a big blind per hand.
        seconds: time taken by the preflop solve alone.
        flop_leaves: where the values of each flop leaf came from, by path.
    """

    iterations: int
    exploitability_mbb: float
    seconds: float
    flop_leaves: Mapping[str, FlopLeafSource]


@dataclass(frozen=True, eq=False)
class PreflopSolution:
    """Average strategies of a preflop tree and what they are worth.

    Attributes:
        tree: the betting.
        strategy: ``[N, 169]`` probability of the action that leads to a node, by the hand of the
            player who takes it; row 0 is unused.
        ev_bb: ``[2, N, 169]`` what each player's hand wins on average once a node is reached,
            blinds included, in big blinds; NaN where the opponent never comes.
        report: how the solve went.
    """

    tree: PreflopTree
    strategy: FloatArray
    ev_bb: FloatArray
    report: PreflopReport

    def game_value_bb(self, player: int) -> float:
        """Returns what a player wins per hand, in big blinds."""
        deals = matchup_weights().sum(axis=1)
        return float((deals * self.ev_bb[player, 0]).sum() / deals.sum())

    def reach(self, player: int) -> FloatArray:
        """Returns ``[N, 169]`` the probability that a player's hand plays towards each node."""
        return own_reach(self.tree.layout, self.strategy, player)

    def action_frequency(self, node: int) -> float:
        """Returns how often the action that leads to a node is taken when it can be.

        Both players' hands count as often as they arrive there, with card removal.
        """
        parent = int(self.tree.layout.parent[node])
        actor = int(self.tree.layout.actor[parent])
        mine, other = self.reach(actor)[parent], self.reach(1 - actor)[parent]
        arriving = mine * (matchup_weights() @ other)
        return float((arriving * self.strategy[node]).sum() / arriving.sum())
