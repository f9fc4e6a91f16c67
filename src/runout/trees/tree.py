"""Betting trees before the flop and after it, for any stacks and sizes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
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
    format_percentage,
)
from runout.trees.betting import (
    BB,
    BLIND_NAMES,
    SB,
    BettingRules,
    BettingState,
    PreflopRules,
    PreflopState,
    Stakes,
    Street,
    legal_actions,
    legal_preflop_actions,
)
from runout.trees.layout import LEAF, MAX_NODES, TreeArrays, layout_tree
from runout.trees.paths import format_path, parse_path
from runout.trees.sizes import ChipAmount, format_bet_size

# --------------------------------------------------------------------------------------------------
# The betting tree of a hand from the flop, turn or river on, for any stacks and any sizes.
#
# Streets follow each other inside one tree: the call or the second check that ends a street leads
# straight to the first decision of the next one, and the card dealt in between is left to the
# solver. A called all-in leads to a showdown at once, whatever the street.


#: The players after the flop: out of position acts first on every street.
OOP, IP = 0, 1
POSITION_NAMES = ("OOP", "IP")

#: Kinds of node in `PostflopTree.leaf_kind`; a fold's kind is the player who folds.
NOT_A_LEAF, FOLD_BY_OOP, FOLD_BY_IP, SHOWDOWN = -1, 0, 1, 2

#: The action kind in the row of the root, to which no action leads.
NO_ACTION = -1


class _PostflopNode(NamedTuple):
    """A node while the tree grows; only the root has no action that leads to it."""

    state: BettingState
    action: Action | None
    leaf_kind: int


class TreeCounts(NamedTuple):
    """How many nodes of each kind a tree has.

    Attributes:
        decisions: by street, flop first.
        folds: by the player who folds.
        showdowns: after the last bets of the river.
        all_in_showdowns: after a called all-in before the river.
    """

    decisions: tuple[int, ...]
    folds: tuple[int, int]
    showdowns: int
    all_in_showdowns: int


@dataclass(frozen=True, eq=False)
class PostflopTree:
    """A betting tree after the flop; amounts are in the unit of its stakes.

    The loser of a leaf loses ``leaf_stake`` and the winner wins it, so every leaf is zero-sum.
    Each player's half of the pot at the root is counted as lost or won with the rest: in pots, a
    fold by i is ``v_i = -(1/2 + x_i)`` and a showdown is ``v_i = (e_i - 1/2)(1 + 2x)``.

    Attributes:
        rules: the sizes and limits.
        stakes: pot, stack and unit.
        first_street: the street of the root.
        layout: the tree as arrays, N nodes.
        street: ``[N]`` the street of a decision, or the street on which a leaf ends the betting.
        invested: ``[N, 2]`` what each player has put in since the root.
        street_base: ``[N]`` what each player had put in when the street began.
        leaf_kind: ``[N]`` `FOLD_BY_OOP`, `FOLD_BY_IP`, `SHOWDOWN`, or `NOT_A_LEAF`.
        leaf_stake: ``[N]`` what the loser of the leaf loses: the folder's half of the first pot
            and investment, or half of the final pot at a showdown; 0 at decisions.
        action_kind: ``[N]`` kind of the action that leads to the node, `NO_ACTION` at the root.
        action_amount: ``[N]`` its amount on its street, 0 at the root.
    """

    rules: BettingRules
    stakes: Stakes
    first_street: Street
    layout: TreeArrays
    street: Int32Array
    invested: FloatArray
    street_base: FloatArray
    leaf_kind: Int32Array
    leaf_stake: FloatArray
    action_kind: Int32Array
    action_amount: FloatArray

    @classmethod
    def build_with_spr(
        cls, rules: BettingRules, spr: float, first_street: Street = Street.FLOP
    ) -> "PostflopTree":
        """Builds the tree in pots: the pot at the root is 1 and the effective stack is ``spr``.

        Raises:
            TreeError: if ``spr`` is not positive, a size is in chips, or the tree is too large.
        """
        return cls.build(rules, Stakes.in_pots(spr), first_street)

    @classmethod
    def build_in_chips(
        cls,
        rules: BettingRules,
        pot_chips: float,
        stack_chips: float,
        first_street: Street = Street.FLOP,
    ) -> "PostflopTree":
        """Builds the tree in chips; bets are whole chips, see `Stakes.in_chips`.

        Raises:
            TreeError: if an amount is not positive or the tree is too large.
        """
        return cls.build(rules, Stakes.in_chips(pot_chips, stack_chips), first_street)

    @classmethod
    def build(
        cls,
        rules: BettingRules,
        stakes: Stakes,
        first_street: Street = Street.FLOP,
        max_nodes: int = MAX_NODES,
    ) -> "PostflopTree":
        """Builds the tree in whatever unit the stakes are.

        Raises:
            TreeError: if a size is in chips and the stakes are not, or the tree has more than
                ``max_nodes`` nodes.
        """
        _check_unit(rules, stakes)
        root = _PostflopNode(BettingState(first_street, OOP, (0.0, 0.0), 0.0), None, NOT_A_LEAF)

        def expand(node: _PostflopNode) -> tuple[int, list[_PostflopNode]]:
            if node.leaf_kind != NOT_A_LEAF:
                return LEAF, []
            state = node.state
            actions = legal_actions(rules, stakes, state)
            return state.player, [_play_postflop(state, action, stakes) for action in actions]

        layout, nodes = layout_tree(root, expand, max_nodes)
        invested = np.array([node.state.invested for node in nodes])
        leaf_kind = np.array([node.leaf_kind for node in nodes], dtype=np.int32)
        action_kind = [NO_ACTION, *(node.action.kind for node in nodes if node.action)]
        action_amount = [0.0, *(node.action.amount for node in nodes if node.action)]
        return cls(
            rules=rules,
            stakes=stakes,
            first_street=Street(first_street),
            layout=layout,
            street=read_only(np.array([node.state.street for node in nodes], dtype=np.int32)),
            invested=read_only(invested),
            street_base=read_only(np.array([node.state.street_base for node in nodes])),
            leaf_kind=read_only(leaf_kind),
            leaf_stake=read_only(_leaf_stakes(stakes, leaf_kind, invested)),
            action_kind=read_only(np.array(action_kind, dtype=np.int32)),
            action_amount=read_only(np.array(action_amount)),
        )

    def scaled(self, factor: float) -> "PostflopTree":
        """Returns the same tree with its money in another unit, such as big blinds for pots."""
        return replace(
            self,
            stakes=replace(
                self.stakes, pot=factor * self.stakes.pot, stack=factor * self.stakes.stack
            ),
            invested=read_only(factor * self.invested),
            street_base=read_only(factor * self.street_base),
            leaf_stake=read_only(factor * self.leaf_stake),
            action_amount=read_only(factor * self.action_amount),
        )

    @property
    def num_nodes(self) -> int:
        """N, decision nodes and leaves together."""
        return self.layout.num_nodes

    @cached_property
    def counts(self) -> TreeCounts:
        """How many nodes of each kind there are."""
        is_showdown = self.leaf_kind == SHOWDOWN
        is_all_in = is_showdown & (self.street < Street.RIVER)
        is_decision = self.leaf_kind == NOT_A_LEAF
        return TreeCounts(
            decisions=tuple(int(np.sum(is_decision & (self.street == s))) for s in Street),
            folds=(int(np.sum(self.leaf_kind == OOP)), int(np.sum(self.leaf_kind == IP))),
            showdowns=int(np.sum(is_showdown & ~is_all_in)),
            all_in_showdowns=int(np.sum(is_all_in)),
        )

    def pot(self, node: int) -> float:
        """Returns what is in the middle at a node, uncalled bets included."""
        return self.stakes.pot + float(self.invested[node].sum())

    def leaf_payoffs(self, player: int, equity: float) -> FloatArray:
        """Returns ``[N]`` what a player wins at each leaf, 0 at decisions.

        Args:
            player: `OOP` or `IP`.
            equity: the player's share of the pot at every showdown, 0 to 1.
        """
        at_showdown = (2.0 * equity - 1.0) * self.leaf_stake
        at_fold = np.where(self.leaf_kind == player, -self.leaf_stake, self.leaf_stake)
        return np.where(self.leaf_kind == SHOWDOWN, at_showdown, at_fold)

    def action_to(self, node: int) -> Action:
        """Returns the action that leads to a node other than the root."""
        return Action(ActionKind(self.action_kind[node]), float(self.action_amount[node]))

    def actions(self, node: int) -> list[Action]:
        """Returns the actions of a node in the order of its children; none at a leaf."""
        return [self.action_to(child) for child in self.layout.children(node)]

    def action_fraction(self, node: int) -> float:
        """Returns what the action to a node adds to the opponent's amount, in pots after calling.

        It is a bet's or raise's fraction of the pot, and 0 for a check or a call.
        """
        parent = int(self.layout.parent[node])
        opponent = 1 - int(self.layout.actor[parent])
        opponent_amount = self.invested[parent, opponent] - self.street_base[parent]
        pot_after_call = self.stakes.pot + 2.0 * self.invested[parent].max()
        return max(float((self.action_amount[node] - opponent_amount) / pot_after_call), 0.0)

    def action_label(self, node: int) -> str:
        """Writes the action that leads to a node for people, with its percentage of the pot."""
        return format_action(self.action_to(node), self.action_fraction(node))

    def action_code(self, node: int) -> str:
        """Writes the action that leads to a node as one step of a path.

        The number of a bet or raise is a percentage of the pot after calling, and in a tree in
        chips the amount on the street.
        """
        fraction = None if self.stakes.is_in_chips else self.action_fraction(node)
        return format_action_code(self.action_to(node), fraction)

    def action_size(self, node: int) -> str:
        """Writes the size of the action that leads to a node, as codes of bets have it."""
        if self.stakes.is_in_chips:
            return format_amount(float(self.action_amount[node]))
        return format_percentage(self.action_fraction(node))

    def action_total(self, node: int) -> str:
        """Writes what the player of the action to a node has then put in since the root."""
        player = int(self.layout.actor[self.layout.parent[node]])
        return format_amount(float(self.invested[node, player]))

    def path(self, node: int) -> str:
        """Writes the actions from the root to a node, as ``b50-c-x-b100``; empty at the root."""
        return format_path(self, node)

    def find_node(self, path: str) -> int:
        """Returns the node that a path leads to; the empty path leads to the root.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are.
        """
        return parse_path(self, path)


def _check_unit(rules: BettingRules, stakes: Stakes) -> None:
    if stakes.is_in_chips:
        return
    for menus in rules.menus:
        for menu in menus:
            for size in menu.all_sizes:
                if isinstance(size, ChipAmount):
                    text = format_bet_size(size)
                    raise TreeError("bet sizes", f"{text!r} is in chips, but the pot is not")


def _play_postflop(state: BettingState, action: Action, stakes: Stakes) -> _PostflopNode:
    """Returns the node that an action leads to."""
    if action.kind == ActionKind.FOLD:
        return _PostflopNode(state, action, state.player)
    if action.is_aggressive:
        return _PostflopNode(state.after_bet(action, stakes), action, NOT_A_LEAF)
    if action.kind == ActionKind.CHECK and state.player == OOP:
        return _PostflopNode(state._replace(player=IP, may_donk=False), action, NOT_A_LEAF)
    each = max(state.invested)  # a call matches it, and after two checks both have it
    if state.street == Street.RIVER or each == stakes.stack:
        return _PostflopNode(state._replace(invested=(each, each)), action, SHOWDOWN)
    is_oop_call = action.kind == ActionKind.CALL and state.player == OOP
    next_street = BettingState(state.street + 1, OOP, (each, each), each, may_donk=is_oop_call)
    return _PostflopNode(next_street, action, NOT_A_LEAF)


def _leaf_stakes(stakes: Stakes, leaf_kind: Int32Array, invested: FloatArray) -> FloatArray:
    """Returns ``[N]`` what the loser of each leaf loses; the uncalled part of a bet comes back."""
    # Whoever folds has put in no more than the opponent, and at a showdown both are equal.
    lost = stakes.pot / 2.0 + invested.min(axis=1)
    return np.where(leaf_kind == NOT_A_LEAF, 0.0, lost)


# --------------------------------------------------------------------------------------------------
# The betting tree of a heads-up hand before the flop, in big blinds.
#
# A leaf is a fold, a called all-in, or a flop that both players see with money behind; what a flop
# is worth is left to the solver of the flop.


#: Kinds of node in `PreflopTree.leaf_kind`; a fold's kind is the player who folds.
NOT_A_LEAF, FOLD_BY_SB, FOLD_BY_BB, ALL_IN, FLOP = -1, SB, BB, 2, 3


#: Larger trees are refused: every node holds numbers for all 169 hands.
MAX_PREFLOP_NODES = 100_000


def postflop_position(player: int) -> int:
    """Returns the position after the flop of a player before it: `SB` is `IP`, `BB` is `OOP`."""
    return IP if player == SB else OOP


class _PreflopNode(NamedTuple):
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
        root = _PreflopNode(state, None, ALL_IN if is_over else NOT_A_LEAF)
        if not is_over:
            _check_first_decision(rules, state)

        def expand(node: _PreflopNode) -> tuple[int, list[_PreflopNode]]:
            if node.leaf_kind != NOT_A_LEAF:
                return LEAF, []
            actions = legal_preflop_actions(rules, node.state)
            return node.state.player, [
                _play_preflop(rules, node.state, action) for action in actions
            ]

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
            "preflop rules", f"{BLIND_NAMES[SB]} can only fold, allow limps, raises or all-in"
        )


def _play_preflop(rules: PreflopRules, state: PreflopState, action: Action) -> _PreflopNode:
    """Returns the node that an action leads to; at leaves the uncalled part has come back."""
    if action.kind == ActionKind.FOLD:
        folded = (action.amount, action.amount)
        return _PreflopNode(state._replace(amounts_bb=folded), action, state.player)
    if action.is_aggressive:
        return _PreflopNode(state.after_raise(action.amount), action, NOT_A_LEAF)
    called = state._replace(amounts_bb=(action.amount, action.amount))
    if action.amount == rules.betting_stack_bb:
        return _PreflopNode(called, action, ALL_IN)
    if state.player == SB and state.num_raises == 0:  # a limp: the big blind has the option
        return _PreflopNode(called._replace(player=BB), action, NOT_A_LEAF)
    return _PreflopNode(called, action, FLOP)


def _with_antes(rules: PreflopRules, amounts_bb: FloatArray) -> FloatArray:
    """Adds the antes to what is put in on top of them."""
    # All-in is the stack itself, so that no rounding error leaves money behind or adds some.
    is_all_in = amounts_bb == rules.betting_stack_bb
    return np.where(is_all_in, rules.effective_stack_bb, rules.posted_ante_bb + amounts_bb)


# --------------------------------------------------------------------------------------------------
# Kinds of pots, by what happened before the flop, and the betting after it.


class PotType(StrEnum):
    """What happened before the flop, as players call the pot."""

    LIMPED = "limped"
    RAISED = "raised"
    RERAISED = "reraised"


def pot_type_of(tree: PreflopTree, leaf: int) -> PotType:
    """Returns the type of the pot at a flop leaf: by the number of raises that led to it."""
    num_raises, node = 0, leaf
    while node > 0:
        num_raises += tree.action_to(node).is_aggressive
        node = int(tree.layout.parent[node])
    return list(PotType)[min(num_raises, len(PotType) - 1)]


def build_flop_trees(
    tree: PreflopTree, betting: Mapping[PotType, BettingRules]
) -> tuple[PostflopTree, ...]:
    """Returns the betting after the flop at each flop leaf, in pots.

    Raises:
        TreeError: if one is too large.
    """
    return tuple(
        PostflopTree.build_with_spr(betting[pot_type_of(tree, leaf.node)], leaf.spr)
        for leaf in tree.flop_leaves()
    )
