"""Best responses in the real game: what strategies lose to a player who sees every card.

However a backend groups hands, its strategies say what each combo does on each board. Here an
opponent answers them with every combo on every turn and river card, and the two gains are the
honest price of the abstraction and of the solve together.
"""

from dataclasses import dataclass

import numpy as np

from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.card_game import SpotTables
from runout.holdem.fixed_tables import BothFixed, FixedTables
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.holdem.street_kernels import EVALUATING, RESPONDING, Step
from runout.postflop.flop_strategy import FlopStrategy
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import OOP, PostflopTree


@dataclass(frozen=True)
class RealGameLoss:
    """What best responses win, in the unit of the tree.

    Attributes:
        best_response: of OOP against IP's strategy and of IP against OOP's, beyond half the pot.
        value_of_oop: what OOP wins beyond half the pot if both play their strategies.
        pot: the pot that it is measured by.
    """

    best_response: tuple[float, float]
    value_of_oop: float
    pot: float

    @property
    def exploitability_pot(self) -> float:
        """The mean gain of a best response, as a fraction of the pot."""
        return sum(self.best_response) / NUM_PLAYERS / self.pot

    @property
    def gains_pot(self) -> tuple[float, float]:
        """What OOP and IP gain by answering best instead, as fractions of the pot."""
        oop, ip = self.best_response
        return (oop - self.value_of_oop) / self.pot, (ip + self.value_of_oop) / self.pot


def judge_strategy(
    flop: tuple[int, ...],
    tree: PostflopTree,
    strategy: FlopStrategy,
    ranges: tuple[HandRange, HandRange] | None = None,
    team: Team | None = None,
    *,
    merges_suits: bool = True,
) -> RealGameLoss:
    """Returns what a flop's strategies lose in the game with real cards.

    Args:
        flop: three cards.
        tree: the betting that was solved.
        strategy: of both players; the same for suits that the flop does not tell apart.
        ranges: of OOP and IP; by default all hands.
        team: threads to share the work.
        merges_suits: whether cards that differ by suits only are looked at once.
    """
    everyone = HandRange.full()
    spot = Spot(tuple(flop), ranges or (everyone, everyone), tree, merges_suits=merges_suits)
    game = SpotGame(spot, team)
    oop, ip = (
        FixedTables(game.templates, game.cards, player, strategy.rows)
        for player in range(NUM_PLAYERS)
    )
    return RealGameLoss(
        best_response=(_value_of(game, 0, RESPONDING, ip), _value_of(game, 1, RESPONDING, oop)),
        value_of_oop=_value_of(game, OOP, EVALUATING, BothFixed(oop, ip)),
        pot=tree.stakes.pot,
    )


def _value_of(game: SpotGame, player: int, step: Step, tables: SpotTables) -> float:
    """Returns what a player wins with all its hands, beyond half the pot."""
    hands = game.cards.players[player]
    values = game.visit(player, step, tables, game.cards.root_reach(player))[: len(hands.combos)]
    return float((hands.weights * values.astype(np.float64)).sum())
