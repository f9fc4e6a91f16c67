"""Compiled passes over the decisions of one street on one board: reach down, values up.

Seen from one player, the *hero*: its opponent's reach flows down, the values of its own hands flow
up. The opponent's average strategy is learned on the way down, because its reach is what weights
it; hero's regrets are learned on the way up. A strategy is never stored: it is the positive part of
the regrets, or of the strategy sums when a solution is judged.

Shape letters: ``n`` nodes, ``A`` actions of one player, ``H`` hero's hands, ``O`` the opponent's.
"""

from typing import Annotated, NamedTuple

from runout.arrays import Float32Array, Int32Array
from runout.cfr.cfr_kernels import EVALUATE, LEARN, RESPOND, Step
from runout.jit import kernel
from runout.simd import decision_kernels
from runout.simd.decision_kernels import Decision, Learning

#: Kinds of node, seen from the hero; all others are terminals.
HERO_ACTS, VILLAIN_ACTS = 0, 1


class Terminals(NamedTuple):
    """Folds, or showdowns.

    Attributes:
        node: ``[k]`` the nodes.
        row: ``[k]`` the row of each one's reach.
        payoff: ``[k]`` what hero wins at the fold, or the winner at the showdown.
    """

    node: Int32Array
    row: Int32Array
    payoff: Float32Array


class Forest(NamedTuple):
    """The betting of one street after every way to enter it, seen from one player.

    Roots are handled in groups whose rows fit into the processor's cache. Numbers of nodes and of
    rows count within the group, children of a node are consecutive, and parents come first.

    Attributes:
        group: ``[groups, 10]`` beginning and end of the group's nodes, roots, folds and showdowns,
            the number of its rows of reach, and how many of its folds have the reach of a showdown,
            because hero can fold or call: they are the first of both, in the same order.
        kind: ``[n]`` `HERO_ACTS`, `VILLAIN_ACTS`, or something else at terminals.
        first_child: ``[n]`` the first child.
        num_children: ``[n]`` number of actions.
        first_action: ``[n]`` the first action's row in the tables of the player to act.
        row: ``[n]`` the row of the opponent's reach; only its own actions begin a new row.
        root: ``[roots]`` the first node of each tree.
        folds: all folds, group by group.
        showdowns: all showdowns, group by group.
        rake: ``[showdowns]`` hero's gain whichever hand wins, which is negative; empty without.
        chance: ``[chances]`` nodes, in the order of the next street's roots.
        chance_row: ``[chances]`` their rows of reach.
    """

    group: Int32Array
    kind: Int32Array
    first_child: Int32Array
    num_children: Int32Array
    first_action: Int32Array
    row: Int32Array
    root: Int32Array
    folds: Terminals
    showdowns: Terminals
    rake: Float32Array
    chance: Int32Array
    chance_row: Int32Array


class Lanes(NamedTuple):
    """Working space of sixteen terminals.

    Attributes:
        reach: the opponent's reach.
        value: sums of reach; hands that the board blocks are 0.
        met: the reach that hands meet at showdowns; blocked hands are 0.
        by_card: the reach that holds a card.
        running: 3 O + 53 running sums of all hands and of each card, whose first rows stay 0; one
            such row before the river.
    """

    reach: Annotated[Float32Array, "O", 16]
    value: Annotated[Float32Array, "H", 16]
    met: Annotated[Float32Array, "H", 16]
    by_card: Annotated[Float32Array, 52, 16]
    running: Annotated[Float32Array, "sums", 16]


class Scratch(NamedTuple):
    """Working space of one worker on one street.

    Attributes:
        reach: the opponent's reach.
        value: hero's counterfactual values.
        lanes: of the terminals.
        rows: numbers of a decision before they become 16-bit codes, as wide as the wider player's;
            empty with 32-bit tables.
    """

    reach: Annotated[Float32Array, "rows", "O"]
    value: Annotated[Float32Array, "n", "H"]
    lanes: Lanes
    rows: Annotated[Float32Array, "actions", "widest"]


@kernel
def push_reach(
    forest: Forest, group: int, villain: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pushes the opponent's reach down a group, and adds it to its strategy sums when learning."""
    row, reach, begin = forest.row, out_scratch.reach, forest.group[group, 0]
    for node in range(begin, forest.group[group, 1]):
        if forest.kind[node] != VILLAIN_ACTS:
            continue
        decision = Decision(
            int(forest.first_action[node]),
            int(forest.num_children[node]),
            int(row[node]),
            int(row[begin + forest.first_child[node]]),
        )
        if step.mode == LEARN:
            decision_kernels.play_and_add(villain, decision, step.strategy, out_scratch.rows, reach)
        else:
            decision_kernels.play(villain.strategy_sum, decision, reach)


@kernel
def pull_values(
    forest: Forest, group: int, hero: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pulls hero's values up a group, and adds to its regrets when learning."""
    kind, mode, begin = forest.kind, step.mode, forest.group[group, 0]
    value, space, has_locks = out_scratch.value, out_scratch.rows, hero.lock.shape[0] > 0
    positive, negative = step.positive_regret, step.negative_regret
    for node in range(forest.group[group, 1] - 1, begin - 1, -1):
        if kind[node] != HERO_ACTS and kind[node] != VILLAIN_ACTS:
            continue
        decision = Decision(
            int(forest.first_action[node]),
            int(forest.num_children[node]),
            int(node - begin),
            int(forest.first_child[node]),
        )
        if kind[node] == VILLAIN_ACTS:
            decision_kernels.add_up(decision, value)
        elif mode == EVALUATE:
            decision_kernels.mix(hero.strategy_sum, decision, value)
        elif mode == RESPOND:
            decision_kernels.take_best(decision, value)
            if has_locks:
                decision_kernels.keep_locked(hero, decision, value)
        elif has_locks:
            decision_kernels.learn_unlocked(hero, decision, positive, negative, space, value)
        else:
            decision_kernels.mix_and_learn(hero, decision, positive, negative, space, value)
