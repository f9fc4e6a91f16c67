"""The betting tree of a heads-up hand before the flop, in big blinds.

A leaf is a fold, a called all-in, or a flop that both players see with money behind; what a flop is
worth is left to the solver of the flop.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, Int32Array, read_only
from runout.errors import TreeError
from runout.trees.actions import (
    Action,
    ActionKind,
    format_action,
    format_action_code,
    format_amount,
)
from runout.trees.layout import LEAF, TreeArrays, layout_tree
from runout.trees.paths import format_path, parse_path
from runout.trees.postflop_tree import IP, NO_ACTION, OOP
from runout.trees.preflop_betting import (
    BB,
    PLAYER_NAMES,
    SB,
    PreflopRules,
    PreflopState,
    legal_preflop_actions,
)

#: Kinds of node in `PreflopTree.leaf_kind`; a fold's kind is the player who folds.
NOT_A_LEAF, FOLD_BY_SB, FOLD_BY_BB, ALL_IN, FLOP = -1, SB, BB, 2, 3


#: Larger trees are refused: every node holds numbers for all 169 hands.
MAX_PREFLOP_NODES = 100_000


def postflop_position(player: int) -> int:
    """Returns the position after the flop of a player before it: `SB` is `IP`, `BB` is `OOP`."""
    return IP if player == SB else OOP


class _Node(NamedTuple):
    """A node while the tree grows; only the root has no action that leads to it."""

    state: PreflopState
    action: Action | None
    leaf_kind: int


class PreflopCounts(NamedTuple):
    """How many nodes of each kind a tree has.

    Attributes:
        decisions: by the player who acts.
        folds: by the player who folds.
        all_ins: called all-ins.
        flops: flops that both players see with money behind.
    """

    decisions: tuple[int, int]
    folds: tuple[int, int]
    all_ins: int
    flops: int


class FlopLeaf(NamedTuple):
    """One way to see a flop with money behind.

    Attributes:
        node: its number in the tree.
        path: the actions that lead to it, as ``r2.5-c``.
        pot_bb: the pot on the flop, in big blinds.
        stack_behind_bb: the effective stack on the flop, in big blinds.
        spr: stack over pot.
    """

    node: int
    path: str
    pot_bb: float
    stack_behind_bb: float
    spr: float


@dataclass(frozen=True, eq=False)
class PreflopTree:
    """A betting tree before the flop; amounts are in big blinds.

    The loser of a leaf loses ``leaf_stake_bb`` and the winner wins it, so every leaf is zero-sum:
    a fold by i is ``v_i = -invested_i``, blinds and antes included, and where the pot is shared,
    ``v_i = (share_i - 1/2) pot``.

    Attributes:
        rules: blinds, stacks, sizes and limits.
        layout: the tree as arrays, N nodes.
        invested_bb: ``[N, 2]`` what `SB` and `BB` have put in, antes and blinds included. At
            leaves the uncalled part of a bet has come back, so both have put in the same.
        leaf_kind: ``[N]`` `FOLD_BY_SB`, `FOLD_BY_BB`, `ALL_IN`, `FLOP`, or `NOT_A_LEAF`.
        action_kind: ``[N]`` kind of the action that leads to the node, `NO_ACTION` at the root.
        action_amount_bb: ``[N]`` what its player has then put in, antes not counted; 0 at the
            root.
    """

    rules: PreflopRules
    layout: TreeArrays
    invested_bb: FloatArray
    leaf_kind: Int32Array
    action_kind: Int32Array
    action_amount_bb: FloatArray

    @classmethod
    def build(cls, rules: PreflopRules, max_nodes: int = MAX_PREFLOP_NODES) -> "PreflopTree":
        """Builds the tree; it is a single leaf if both players are all-in from posting.

        Raises:
            TreeError: if the small blind can do nothing but fold, or the tree has more than
                ``max_nodes`` nodes.
        """
        state = PreflopState.after_blinds(rules)
        is_over = state.amount_bb == rules.betting_stack_bb
        root = _Node(state, None, ALL_IN if is_over else NOT_A_LEAF)
        if not is_over:
            _check_first_decision(rules, state)

        def expand(node: _Node) -> tuple[int, list[_Node]]:
            if node.leaf_kind != NOT_A_LEAF:
                return LEAF, []
            actions = legal_preflop_actions(rules, node.state)
            return node.state.player, [_play(rules, node.state, action) for action in actions]

        layout, nodes = layout_tree(root, expand, max_nodes)
        action_kind = [NO_ACTION, *(node.action.kind for node in nodes if node.action)]
        action_amount = [0.0, *(node.action.amount for node in nodes if node.action)]
        amounts = np.array([node.state.amounts_bb for node in nodes], dtype=np.float64)
        return cls(
            rules=rules,
            layout=layout,
            invested_bb=read_only(_with_antes(rules, amounts)),
            leaf_kind=read_only(np.array([node.leaf_kind for node in nodes], dtype=np.int32)),
            action_kind=read_only(np.array(action_kind, dtype=np.int32)),
            action_amount_bb=read_only(np.array(action_amount, dtype=np.float64)),
        )

    @property
    def num_nodes(self) -> int:
        """N, decision nodes and leaves together."""
        return self.layout.num_nodes

    @cached_property
    def counts(self) -> PreflopCounts:
        """How many nodes of each kind there are."""
        actor, kind = self.layout.actor, self.leaf_kind
        return PreflopCounts(
            decisions=(int(np.sum(actor == SB)), int(np.sum(actor == BB))),
            folds=(int(np.sum(kind == FOLD_BY_SB)), int(np.sum(kind == FOLD_BY_BB))),
            all_ins=int(np.sum(kind == ALL_IN)),
            flops=int(np.sum(kind == FLOP)),
        )

    @cached_property
    def pot_bb(self) -> FloatArray:
        """``[N]`` what is in the middle; uncalled bets count at decisions and not at leaves."""
        return read_only(self.invested_bb.sum(axis=1))

    @cached_property
    def stack_behind_bb(self) -> FloatArray:
        """``[N]`` the effective stack behind at a flop, NaN elsewhere."""
        behind = self.rules.effective_stack_bb - self.invested_bb[:, SB]
        return read_only(np.where(self.leaf_kind == FLOP, behind, np.nan))

    @cached_property
    def spr(self) -> FloatArray:
        """``[N]`` effective stack over pot at a flop, NaN elsewhere."""
        return read_only(self.stack_behind_bb / self.pot_bb)

    @cached_property
    def leaf_stake_bb(self) -> FloatArray:
        """``[N]`` what the loser of a leaf loses: half of its pot; 0 at decisions.

        At a flop it is what each player has put in so far, and the betting to come may win more.
        """
        return read_only(np.where(self.leaf_kind == NOT_A_LEAF, 0.0, self.pot_bb / 2.0))

    def flop_leaves(self) -> tuple[FlopLeaf, ...]:
        """Returns every way to see a flop with money behind, in the order of the nodes."""
        return tuple(
            FlopLeaf(
                node=int(node),
                path=self.path(int(node)),
                pot_bb=float(self.pot_bb[node]),
                stack_behind_bb=float(self.stack_behind_bb[node]),
                spr=float(self.spr[node]),
            )
            for node in np.flatnonzero(self.leaf_kind == FLOP)
        )

    def leaf_payoffs_bb(self, player: int, share: float | FloatArray) -> FloatArray:
        """Returns ``[N]`` what a player wins at each leaf, 0 at decisions.

        Args:
            player: `SB` or `BB`.
            share: the player's share of the pot where nobody folds: the equity of an all-in, the
                value of a flop in pots (which the betting to come may take outside 0 to 1). One
                number, or ``[N]``.
        """
        shared = (2.0 * np.asarray(share, dtype=np.float64) - 1.0) * self.leaf_stake_bb
        at_fold = np.where(self.leaf_kind == player, -self.leaf_stake_bb, self.leaf_stake_bb)
        is_fold = (self.leaf_kind == FOLD_BY_SB) | (self.leaf_kind == FOLD_BY_BB)
        is_leaf = self.leaf_kind != NOT_A_LEAF
        # Not by multiplication alone: shares of nodes that are no leaves may be NaN.
        return np.where(is_fold, at_fold, np.where(is_leaf, shared, 0.0))

    def action_to(self, node: int) -> Action:
        """Returns the action that leads to a node other than the root."""
        return Action(ActionKind(self.action_kind[node]), float(self.action_amount_bb[node]))

    def actions(self, node: int) -> list[Action]:
        """Returns the actions of a node in the order of its children; none at a leaf."""
        return [self.action_to(child) for child in self.layout.children(node)]

    def action_label(self, node: int) -> str:
        """Writes the action that leads to a node for people: ``limp``, ``raise to 2.5``."""
        # The only call that does not end the betting is that of the big blind.
        is_limp = self.action_kind[node] == ActionKind.CALL and self.leaf_kind[node] == NOT_A_LEAF
        return "limp" if is_limp else format_action(self.action_to(node))

    def action_labels(self, node: int) -> list[str]:
        """Writes the actions of a node in the order of its children."""
        return [self.action_label(child) for child in self.layout.children(node)]

    def action_code(self, node: int) -> str:
        """Writes the action that leads to a node as one step of a path, as ``r2.5``."""
        return format_action_code(self.action_to(node))

    def action_size(self, node: int) -> str:
        """Writes the amount of the action that leads to a node, as its code has it."""
        return format_amount(float(self.action_amount_bb[node]))

    def action_total(self, node: int) -> str:
        """Writes the same: there is one street before the flop."""
        return self.action_size(node)

    def path(self, node: int) -> str:
        """Writes the actions from the root to a node, as ``r2.5-r9-a-c``; empty at the root."""
        return format_path(self, node)

    def find_node(self, path: str) -> int:
        """Returns the node that a path leads to; the empty path leads to the root.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are.
        """
        return parse_path(self, path)


def _check_first_decision(rules: PreflopRules, state: PreflopState) -> None:
    if len(legal_preflop_actions(rules, state)) == 1:
        raise TreeError(
            "preflop rules", f"{PLAYER_NAMES[SB]} can only fold, allow limps, raises or all-in"
        )


def _play(rules: PreflopRules, state: PreflopState, action: Action) -> _Node:
    """Returns the node that an action leads to; at leaves the uncalled part has come back."""
    if action.kind == ActionKind.FOLD:
        folded = (action.amount, action.amount)
        return _Node(state._replace(amounts_bb=folded), action, state.player)
    if action.is_aggressive:
        return _Node(state.after_raise(action.amount), action, NOT_A_LEAF)
    called = state._replace(amounts_bb=(action.amount, action.amount))
    if action.amount == rules.betting_stack_bb:
        return _Node(called, action, ALL_IN)
    if state.player == SB and state.num_raises == 0:  # a limp: the big blind has the option
        return _Node(called._replace(player=BB), action, NOT_A_LEAF)
    return _Node(called, action, FLOP)


def _with_antes(rules: PreflopRules, amounts_bb: FloatArray) -> FloatArray:
    """Adds the antes to what is put in on top of them."""
    # All-in is the stack itself, so that no rounding error leaves money behind or adds some.
    is_all_in = amounts_bb == rules.betting_stack_bb
    return np.where(is_all_in, rules.effective_stack_bb, rules.posted_ante_bb + amounts_bb)
