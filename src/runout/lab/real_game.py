"""Best responses in the real game: what strategies lose to a player who sees every card.

However a backend groups hands, its strategies say what each combo does on each board. Here an
opponent answers them with every combo on every turn and river card, and the two gains are the
honest price of the abstraction and of the solve together.
"""

from dataclasses import dataclass

import numpy as np

from runout.cfr.parallel import Team
from runout.postflop.flop_strategy import FlopStrategy
from runout.postflop.spot.fixed_tables import FixedTables
from runout.postflop.spot.spot import Spot
from runout.postflop.spot.spot_game import SpotGame
from runout.postflop.spot.street_kernels import RESPOND, Step
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import PostflopTree

_RESPOND = Step(RESPOND, np.float32(0.0), np.float32(0.0), np.float32(0.0))


@dataclass(frozen=True)
class RealGameLoss:
    """What best responses win, in the unit of the tree.

    Attributes:
        best_response: of OOP against IP's strategy and of IP against OOP's, beyond half the pot.
        pot: the pot that it is measured by.
    """

    best_response: tuple[float, float]
    pot: float

    @property
    def exploitability_pot(self) -> float:
        """The mean gain of a best response, as a fraction of the pot."""
        return sum(self.best_response) / 2.0 / self.pot


def judge_strategy(
    flop: tuple[int, ...],
    tree: PostflopTree,
    strategy: FlopStrategy,
    ranges: tuple[HandRange, HandRange] | None = None,
    team: Team | None = None,
) -> RealGameLoss:
    """Returns what a flop's strategies lose in the game with real cards.

    Args:
        flop: three cards.
        tree: the betting that was solved.
        strategy: of both players; the same for suits that the flop does not tell apart.
        ranges: of OOP and IP; by default all hands.
        team: threads to share the work.
    """
    everyone = HandRange.full()
    game = SpotGame(Spot(tuple(flop), ranges or (everyone, everyone), tree), team)
    gains = []
    for hero in (0, 1):
        tables = FixedTables(game.templates, game.cards, 1 - hero, strategy.rows)
        hands = game.cards.players[hero]
        values = game.visit(hero, _RESPOND, tables)[: len(hands.combos)]
        gains.append(float((hands.weights * values.astype(np.float64)).sum()))
    return RealGameLoss((gains[0], gains[1]), tree.stakes.pot)
