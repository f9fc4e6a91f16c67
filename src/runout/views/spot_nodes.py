"""Nodes of a spot, whoever knows its strategies and values: a solver, or a saved solution.

Cards that differ by suits only are solved once: what is asked about the others is answered with
the suits renamed.
"""

from abc import ABC, abstractmethod

import numpy as np

from runout.arrays import AnyArray, BoolArray, FloatArray
from runout.cards.combos import NUM_COMBOS, live_combos, permute_combos
from runout.holdem.cards_to_come import CardsToCome, Runout, find_runout
from runout.holdem.spot import Spot
from runout.trees.betting import Street
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.node import HandSpace, Node, Unit, weight_met
from runout.views.quality import Quality
from runout.views.spot_path import SpotPosition, find_position
from runout.views.spot_walk import Walk, walk_to

_PLAYERS = (0, 1)


class SpotNodes(ABC):
    """A way to look at the strategies of a spot."""

    def __init__(self, spot: Spot, cards: CardsToCome, quality: Quality | None, unit: Unit) -> None:
        """Looks at nothing yet.

        Args:
            spot: what was solved.
            cards: its hands and boards.
            quality: how well it was solved, if that is known.
            unit: of the spot's money.
        """
        self.spot = spot
        self.unit = unit
        self.cards = cards
        self.quality = quality

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root.

        Raises:
            TreeError: naming the first step that is no action, and the actions there are.
            CardError: naming the first step that is no card, or a card that is on the board.
        """
        position = find_position(self.spot, path)
        runout = find_runout(self.cards, position.dealt)
        tree, actor = self.spot.tree, position.actor
        is_held = np.stack([self._held(player, runout) for player in _PLAYERS])
        walk = self._walk(position, runout, is_held)
        weights = walk.weights
        met_weights = weight_met(weights[::-1])
        ev, action_ev = self._values(position, runout, weights)
        ev = np.where(is_held, ev, np.nan)
        strategy = np.zeros((0, NUM_COMBOS))
        if actor is not None:
            strategy = self._strategy(position.street, runout.board, actor, position.children)
            strategy = np.where(is_held[actor], strategy, np.nan)
            action_ev = np.where(is_held[actor], action_ev, np.nan)
        equity = np.where(is_held, self._equity(runout, weights, met_weights, is_held), np.nan)
        # Everything so far is in the suits of the tables.
        image = permute_combos(runout.mapping.new_suits)
        return Node(
            path=position.path,
            label=position.label,
            kind=position.kind,
            street=position.street,
            board=position.board,
            unit=self.unit,
            pot=tree.pot(position.node),
            stacks=position.stacks,
            invested=position.invested,
            players=PLAYER_NAMES,
            actor=actor,
            actions=position.actions(),
            next_cards=position.next_cards(),
            hand_space=HandSpace.COMBOS,
            is_held=is_held[:, image],
            weights=weights[:, image],
            met_weights=met_weights[:, image],
            strategy=strategy[:, image],
            ev=ev[:, image],
            action_ev=action_ev[:, image],
            equity=equity[:, image],
            is_locked=actor is not None and self._is_locked(position, runout, actor),
            reach=walk.reach,
            trail=walk.trail,
        )

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that share their tables.

        Raises:
            RunoutError: if there is no such node.
        """
        position = find_position(self.spot, path)
        alike: dict[int, list[int]] = {}
        for card in position.next_cards():
            board = find_runout(self.cards, (*position.dealt, card)).board
            alike.setdefault(board, []).append(card)
        return tuple(map(tuple, alike.values()))

    @abstractmethod
    def _strategy(self, street: Street, board: int, player: int, children: range) -> FloatArray:
        """Returns ``[A, 1326]`` what is done at a decision, 0 beyond the range.

        Args:
            street: of the decision.
            board: the number of its board.
            player: who acts.
            children: the tree nodes that its actions lead to.
        """

    @abstractmethod
    def _values(
        self, position: SpotPosition, runout: Runout, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node and ``[A, 1326]`` of the actor's actions.

        Args:
            position: the node.
            runout: where its cards are.
            weights: ``[2, 1326]`` what arrives there.
        """

    @abstractmethod
    def _equity(
        self, runout: Runout, weights: FloatArray, met: FloatArray, is_held: BoolArray
    ) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""

    @abstractmethod
    def _is_locked(self, position: SpotPosition, runout: Runout, actor: int) -> bool:
        """Returns whether hands were told what to do at a decision."""

    def _held(self, player: int, runout: Runout) -> BoolArray:
        """Returns ``[1326]`` the combos that a player can hold."""
        held: BoolArray = np.zeros(NUM_COMBOS, dtype=bool)
        hands = self.cards.players[player]
        combos = hands.combos[hands.weights > 0.0]
        held[combos[np.isin(combos, live_combos(runout.dealt))]] = True
        return held

    def _spread(self, rows: AnyArray, player: int) -> FloatArray:
        """Returns ``[.., 1326]`` numbers of a player's hands, 0 for other combos."""
        combos = self.cards.players[player].combos
        spread = np.zeros((*rows.shape[:-1], NUM_COMBOS))
        spread[..., combos] = rows[..., : len(combos)]
        return spread

    def _walk(self, position: SpotPosition, runout: Runout, is_held: BoolArray) -> Walk:
        """Returns with what weights combos arrive, and what was done on the way."""
        weights = np.stack([self._spread(p.weights, i) for i, p in enumerate(self.cards.players)])
        weights[~is_held] = 0.0
        return walk_to(position, weights, lambda node: self._played(node, runout))

    def _played(self, node: int, runout: Runout) -> FloatArray:
        """Returns ``[A, 1326]`` what is done at a decision on the way along a runout, or below."""
        tree = self.spot.tree
        street, player = Street(tree.street[node]), int(tree.layout.actor[node])
        depth = street - tree.first_street
        board = runout.numbers[depth - 1] if depth > 0 else 0
        return self._strategy(street, board, player, tree.layout.children(node))
