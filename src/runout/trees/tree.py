"""Betting trees of any street, for any stacks and sizes.

Streets follow each other inside one tree: the call or the second check that ends a street leads
straight to the first decision of the next one, and the card dealt in between is left to the
solver. A called all-in leads to a showdown at once, whatever the street. A tree before the flop
ends where both players see a flop with money behind; what that is worth is left to the solver of
the flop.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from runout.arrays import BoolArray, FloatArray, Int32Array, read_only
from runout.errors import TreeError, quote
from runout.trees.actions import (
    ACTION_LETTERS,
    Action,
    ActionKind,
    format_action,
    format_amount,
    format_percentage,
)
from runout.trees.betting import (
    BLIND_NAMES,
    PREFLOP,
    SB,
    BettingRules,
    BettingState,
    PreflopRules,
    Stakes,
    Street,
    legal_actions,
)
from runout.trees.layout import LEAF, MAX_NODES, NO_NODE, TreeArrays, layout_tree
from runout.trees.paths import NO_LINES, Lines, find_node, join_path
from runout.trees.sizes import AFTER_FLOP, BEFORE_FLOP, BetSize, SizesInput

#: The players after the flop: out of position acts first on every street.
OOP, IP = 0, 1
POSITION_NAMES = ("OOP", "IP")

#: Kinds of node in `BettingTree.leaf_kind`; a fold's kind is the player who folds. `FLOP` is a flop
#: that both players of a tree before the flop see with money behind.
NOT_A_LEAF, SHOWDOWN, FLOP = -1, 2, 3

#: The action kind in the row of the root, to which no action leads.
NO_ACTION = -1

#: Larger trees before the flop are refused: every node holds numbers for all 169 hands.
MAX_PREFLOP_NODES = 100_000


def postflop_position(player: int) -> int:
    """Returns the position after the flop of a player before it: `SB` is `IP`, `BB` is `OOP`."""
    return IP if player == SB else OOP


class _Node(NamedTuple):
    """A node while the tree grows; only the root has no action that leads to it."""

    state: BettingState
    action: Action | None
    leaf_kind: int
    lines: Lines = NO_LINES


class TreeCounts(NamedTuple):
    """How many nodes of each kind a tree has: decisions and folds by player.

    Showdowns after a called all-in before the river count apart, and so do flops that a tree before
    the flop leads to.
    """

    decisions: tuple[int, int]
    folds: tuple[int, int]
    showdowns: int
    all_in_showdowns: int
    flops: int


@dataclass(frozen=True, eq=False, repr=False)
class BettingTree:
    """A betting tree; amounts are in the unit of its stakes.

    >>> from runout import BettingTree
    >>> tree = BettingTree.of("33%, 75%", raises="3x", pot=180, stack=910, street="turn")
    >>> tree
    BettingTree(pot 180, stack 910, 469 nodes, 172 decisions)
    >>> tree.decisions_by_street()
    {'turn': 22, 'river': 150}
    >>> tree.action_label(tree.find_node("check bet 33%"))
    'bet 33% (59)'

    The loser of a leaf loses ``leaf_stake`` and the winner wins it, so every leaf is zero-sum.
    Each player's half of the pot at the root is counted as lost or won with the rest: in pots, a
    fold by i is ``v_i = -(1/2 + x_i)`` and a showdown is ``v_i = (e_i - 1/2)(1 + 2x)``.

    Attributes:
        stakes: pot, stack and unit.
        layout: the tree as arrays, N nodes.
        street: ``[N]`` the street of a decision, or the street on which a leaf ends the betting;
            `PREFLOP` or a `Street`.
        invested: ``[N, 2]`` what each player has put in since the root, antes and blinds included.
            At a fold the uncalled part of a bet has come back before the flop, and not after it.
        leaf_kind: ``[N]`` who folds, `SHOWDOWN`, `FLOP`, or `NOT_A_LEAF`.
        leaf_stake: ``[N]`` what the loser of the leaf loses: the folder's half of the first pot
            and investment, or half of the final pot at a showdown; 0 at decisions. At a flop it is
            what each player has put in so far, and the betting to come may win more.
        action_kind: ``[N]`` kind of the action that leads to the node, `NO_ACTION` at the root.
        action_amount: ``[N]`` its amount on its street, antes not counted; 0 at the root.
        requested: ``[N]`` the size that it was asked for with; None where there is none.
    """

    stakes: Stakes
    layout: TreeArrays
    street: Int32Array
    invested: FloatArray
    leaf_kind: Int32Array
    leaf_stake: FloatArray
    action_kind: Int32Array
    action_amount: FloatArray
    requested: tuple[BetSize | None, ...]

    @staticmethod
    def of(
        bets: SizesInput,
        *,
        raises: SizesInput | None = None,
        pot: float = 1.0,
        stack: float,
        street: str = "flop",
        max_raises: int | None = 2,
    ) -> "PostflopTree":
        """Builds a tree from the flop, turn or river on; with a pot of 1 amounts are in pots.

        Args:
            bets: sizes, as ``33%, 75%, a``; see `runout.trees.sizes`.
            raises: sizes of raises, by default those of bets.
            stack: the effective stack, in the unit of the pot.
            max_raises: raises on a street after the first bet; None for no limit.

        Raises:
            TreeError: naming the size or amount at fault.
        """
        if street.upper() not in Street.__members__:
            names = ", ".join(each.label for each in Street)
            raise TreeError("street", f"{quote(street)} is none of {names}")
        stakes = Stakes.in_pots(stack) if pot == 1.0 else Stakes.in_chips(pot, stack)
        rules = BettingRules.of(bets, max_raises, raises)
        return PostflopTree.build(rules, stakes, Street[street.upper()])

    def __repr__(self) -> str:
        pot, stack = format_amount(self.stakes.pot), format_amount(self.stakes.stack)
        decisions = f"{sum(self.counts.decisions):,} decisions"
        return f"BettingTree(pot {pot}, stack {stack}, {self.num_nodes:,} nodes, {decisions})"

    def describe(self, depth: int | None = None) -> str:
        """Writes the tree as an outline, one action a line; see `describe.format_tree`."""
        from runout.trees.describe import format_tree

        return format_tree(self, depth)

    def decisions_by_street(self) -> dict[str, int]:
        """Returns the number of decisions on each street from the first on."""
        if self.street[0] == PREFLOP:
            return {"preflop": sum(self.counts.decisions)}
        streets = self.street[self.layout.actor != LEAF]
        return {s.label: int(np.sum(streets == s)) for s in Street if s >= self.street[0]}

    @property
    def player_names(self) -> tuple[str, str]:
        """The names of players 0 and 1."""
        return BLIND_NAMES if self.street[0] == PREFLOP else POSITION_NAMES

    @property
    def num_nodes(self) -> int:
        """N, decision nodes and leaves together."""
        return self.layout.num_nodes

    @cached_property
    def counts(self) -> TreeCounts:
        """How many nodes of each kind there are."""
        actor, kind, is_early = self.layout.actor, self.leaf_kind, self.street < Street.RIVER

        def count(*masks: np.ndarray) -> int:
            return int(np.sum(np.logical_and.reduce(masks)))

        return TreeCounts(
            decisions=(count(actor == 0), count(actor == 1)),
            folds=(count(kind == 0), count(kind == 1)),
            showdowns=count(kind == SHOWDOWN, ~is_early),
            all_in_showdowns=count(kind == SHOWDOWN, is_early),
            flops=count(kind == FLOP),
        )

    def pot(self, node: int) -> float:
        """Returns the pot at a node, uncalled bets included as in ``invested``."""
        return self.stakes.pot + float(self.invested[node].sum())

    def stack_behind(self, node: int) -> float:
        """Returns what is left of the effective stack of the player who has put in more."""
        return self.stakes.stack - float(self.invested[node].max())

    def leaf_payoffs(self, player: int, equity: float | FloatArray) -> FloatArray:
        """Returns ``[N]`` what a player wins at each leaf, 0 at decisions.

        Args:
            player: 0 or 1.
            equity: the player's share of the pot where nobody folds: at a showdown 0 to 1, at a
                flop what the betting to come makes of it. One number, or ``[N]``.
        """
        shared = (2.0 * np.asarray(equity, dtype=np.float64) - 1.0) * self.leaf_stake
        # Not by multiplication alone: shares of nodes that are no leaves may be NaN.
        at_leaf = np.where(self.leaf_kind >= SHOWDOWN, shared, (1 - 2 * player) * self.fold_gain)
        return np.where(self.leaf_kind == NOT_A_LEAF, 0.0, at_leaf)

    @property
    def is_fold(self) -> BoolArray:
        """``[N]`` whether a node is a leaf after a fold."""
        folded: BoolArray = (self.leaf_kind == 0) | (self.leaf_kind == 1)
        return folded

    @property
    def fold_gain(self) -> FloatArray:
        """``[N]`` what player 0 wins after a fold, 0 elsewhere."""
        return np.where(self.is_fold, (2 * self.leaf_kind - 1) * self.leaf_stake, 0.0)

    def action_to(self, node: int) -> Action:
        """Returns the action that leads to a node other than the root."""
        kind, amount = ActionKind(self.action_kind[node]), float(self.action_amount[node])
        return Action(kind, amount, self.requested[node])

    def actions(self, node: int) -> list[Action]:
        """Returns the actions of a node in the order of its children; none at a leaf."""
        return [self.action_to(child) for child in self.layout.children(node)]

    def opponent_amount(self, node: int) -> float:
        """Returns what the opponent of the action to a node had put in on this street before it."""
        parent = int(self.layout.parent[node])
        if parent == 0:
            return float(self.invested[0, 1 - self.layout.actor[0]] - self.stakes.ante)
        is_first = self.street[parent] != self.street[self.layout.parent[parent]]
        return 0.0 if is_first else float(self.action_amount[parent])

    def action_fraction(self, node: int) -> float:
        """Returns what the action to a node adds to the opponent's amount, in pots after calling.

        It is a bet's or raise's fraction of the pot, and 0 for a check or a call.
        """
        parent = int(self.layout.parent[node])
        pot_after_call = self.stakes.pot + 2.0 * self.invested[parent].max()
        added = self.action_amount[node] - self.opponent_amount(node)
        return max(float(added / pot_after_call), 0.0)

    def action_label(self, node: int) -> str:
        """Writes the action that leads to a node for people, as ``raise 75% (to 3.2)``.

        Calling the big blind before the flop is ``limp``.
        """
        action = self.action_to(node)
        if self.street[0] != PREFLOP:
            if action.is_aggressive and action.size is None:  # the least amount there is
                percent = round(self.action_fraction(node), 3)
                action = replace(action, size=BetSize("%", percent))
            return format_action(action, AFTER_FLOP)
        # Of all calls, only this one does not end the betting.
        is_limp = action.kind == ActionKind.CALL and self.leaf_kind[node] == NOT_A_LEAF
        return "limp" if is_limp else format_action(action, BEFORE_FLOP)

    def action_size(self, node: int) -> str:
        """Writes the size of the action that leads to a node: its amount on the street.

        In a tree in pots it is a percentage of the pot after calling.
        """
        if self.stakes.is_in_chips or self.stakes.is_in_big_blinds:
            return format_amount(float(self.action_amount[node]))
        return format_percentage(self.action_fraction(node))

    def action_code(self, node: int) -> str:
        """Writes the action that leads to a node as a step of a path: ``f``, ``x``, ``b50``."""
        kind = ActionKind(self.action_kind[node])
        is_sized = kind in (ActionKind.BET, ActionKind.RAISE)
        return ACTION_LETTERS[kind] + (self.action_size(node) if is_sized else "")

    def path(self, node: int) -> str:
        """Writes the actions from the root to a node, as ``b50:c:x:b100``; empty at the root."""
        codes = []
        while self.layout.parent[node] != NO_NODE:
            codes.append(self.action_code(node))
            node = int(self.layout.parent[node])
        return join_path(*reversed(codes))

    def find_node(self, path: str) -> int:
        """Returns the node that a path leads to; see `runout.trees.paths`."""
        return find_node(self, path)


@dataclass(frozen=True, eq=False, repr=False)
class PostflopTree(BettingTree):
    """A betting tree from the flop, turn or river on, between `OOP` and `IP`."""

    rules: BettingRules
    first_street: Street

    @cached_property
    def derived(self) -> dict[Hashable, Any]:
        """What other modules have made of the tree, by keys of theirs; it lives as long as that."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out what another process can derive again."""
        return {name: part for name, part in vars(self).items() if name != "derived"}

    @classmethod
    def build(
        cls,
        rules: BettingRules,
        stakes: Stakes | float,
        first_street: Street = Street.FLOP,
        max_nodes: int = MAX_NODES,
    ) -> Self:
        """Builds the tree; instead of stakes, the stack-to-pot ratio of a tree in pots will do.

        Raises:
            TreeError: if a size has no meaning in the unit of the stakes, the ratio is not
                positive, or the tree has more than ``max_nodes`` nodes.
        """
        if not isinstance(stakes, Stakes):
            stakes = Stakes.in_pots(stakes)
        root = BettingState(first_street, OOP, (0.0, 0.0), 0.0)
        tree = _grow(rules, stakes, root, max_nodes)
        return cls(**vars(tree), rules=rules, first_street=Street(first_street))

    def scaled(self, factor: float) -> Self:
        """Returns the same tree with its money in another unit, such as big blinds for pots."""
        stakes = self.stakes
        return replace(
            self,
            stakes=replace(stakes, pot=factor * stakes.pot, stack=factor * stakes.stack),
            invested=read_only(factor * self.invested),
            leaf_stake=read_only(factor * self.leaf_stake),
            action_amount=read_only(factor * self.action_amount),
        )


class FlopLeaf(NamedTuple):
    """One way to see a flop with money behind: its node, and the path to it, as ``r2.5:c``."""

    node: int
    path: str
    pot_bb: float
    stack_behind_bb: float
    spr: float


@dataclass(frozen=True, eq=False, repr=False)
class PreflopTree(BettingTree):
    """A betting tree before the flop, between `SB` and `BB`; amounts are in big blinds."""

    rules: PreflopRules

    @classmethod
    def build(cls, rules: PreflopRules, max_nodes: int = MAX_PREFLOP_NODES) -> Self:
        """Builds the tree; it is a single leaf if both players are all-in from posting.

        Raises:
            TreeError: if the small blind can do nothing but fold, a size is in chips, or the tree
                has more than ``max_nodes`` nodes.
        """
        tree = _grow(rules.betting, rules.stakes, rules.first_decision(), max_nodes)
        if tree.layout.num_children[0] == 1:
            problem = f"{BLIND_NAMES[SB]} can only fold, allow limps, raises or all-in"
            raise TreeError("preflop rules", problem)
        return cls(**vars(tree), rules=rules)

    def flop_leaves(self) -> tuple[FlopLeaf, ...]:
        """Returns every way to see a flop with money behind, in the order of the nodes."""
        leaves = []
        for node in map(int, np.flatnonzero(self.leaf_kind == FLOP)):
            pot, behind = self.pot(node), self.stack_behind(node)
            leaves.append(FlopLeaf(node, self.path(node), pot, behind, behind / pot))
        return tuple(leaves)


def _grow(rules: BettingRules, stakes: Stakes, first: BettingState, max_nodes: int) -> BettingTree:
    """Builds the tree below a decision; it is a single leaf if nobody has anything to bet."""
    rules.check_units(stakes)
    is_over = first.amount == stakes.betting_stack
    root = _Node(first, None, SHOWDOWN if is_over else NOT_A_LEAF, rules.lines)

    used: set[str] = set()  # lines that removed an action

    def expand(node: _Node) -> tuple[int, list[_Node]]:
        state, lines = node.state, node.lines
        if node.leaf_kind != NOT_A_LEAF:
            lines.end()
            return LEAF, []
        actions = lines.apply(legal_actions(rules, stakes, state), state, stakes, used)
        return state.player, [
            _play(state, action, stakes)._replace(lines=lines.after(action, state))
            for action in actions
        ]

    layout, nodes = layout_tree(root, expand, max_nodes)
    rules.lines.check_used(used)
    leaf_kind = np.array([node.leaf_kind for node in nodes], dtype=np.int32)
    amounts = np.array([node.state.invested for node in nodes], dtype=np.float64)
    # All-in is the stack itself, so that no rounding error leaves money behind or adds some.
    is_all_in = amounts == stakes.betting_stack
    invested = np.where(is_all_in, stakes.stack, stakes.ante + amounts)
    # Whoever folds has put in no more than the opponent, and at a showdown both are equal.
    lost = stakes.pot / 2.0 + invested.min(axis=1)
    actions = [node.action for node in nodes if node.action]
    return BettingTree(
        stakes=stakes,
        layout=layout,
        street=read_only(np.array([node.state.street for node in nodes], dtype=np.int32)),
        invested=read_only(invested),
        leaf_kind=read_only(leaf_kind),
        leaf_stake=read_only(np.where(leaf_kind == NOT_A_LEAF, 0.0, lost)),
        action_kind=read_only(np.array([NO_ACTION, *(a.kind for a in actions)], dtype=np.int32)),
        action_amount=read_only(np.array([0.0, *(a.amount for a in actions)])),
        requested=(None, *(a.size for a in actions)),
    )


def _play(state: BettingState, action: Action, stakes: Stakes) -> _Node:
    """Returns the node that an action leads to."""
    is_preflop = state.street == PREFLOP
    if action.kind == ActionKind.FOLD:
        folded = (action.amount, action.amount) if is_preflop else state.invested
        return _Node(state._replace(invested=folded), action, state.player)
    if action.is_aggressive:
        return _Node(state.after_bet(action, stakes), action, NOT_A_LEAF)
    each = max(state.invested)  # a call matches it, and after two checks both have it
    matched = state._replace(invested=(each, each))
    is_first_check = action.kind == ActionKind.CHECK and state.player == OOP
    is_limp = is_preflop and state.player == SB and state.num_bets == 1
    if each == stakes.betting_stack:
        return _Node(matched, action, SHOWDOWN)
    if is_first_check or is_limp:  # the other player has the option
        return _Node(matched._replace(player=1, may_donk=False), action, NOT_A_LEAF)
    if is_preflop or state.street == Street.RIVER:
        return _Node(matched, action, FLOP if is_preflop else SHOWDOWN)
    is_oop_call = action.kind == ActionKind.CALL and state.player == OOP
    next_street = BettingState(state.street + 1, OOP, (each, each), each, may_donk=is_oop_call)
    return _Node(next_street, action, NOT_A_LEAF)


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
    """Returns the betting after the flop at each flop leaf, in pots."""
    return tuple(
        PostflopTree.build(betting[pot_type_of(tree, leaf.node)], leaf.spr)
        for leaf in tree.flop_leaves()
    )
