"""The value of a two-player zero-sum game by linear programming in sequence form.

Koller, Megiddo and von Stengel (1994): a strategy is the probability x of every sequence of own
actions with a hand, which is linear: the actions of a decision share the probability of the
sequence that leads to it. Against it, the opponent's best answer is dual to one value for each of
its decisions.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack


class _Sequences:
    """The sequences of one player: number 0 is empty, then one per own action and hand."""

    def __init__(self, tree, player, num_hands):
        self.number = np.zeros((tree.num_nodes, num_hands), dtype=np.int64)
        rows, columns, entries = [0], [0], [1.0]
        num_sequences, num_constraints = 1, 1
        for node in range(tree.num_nodes):
            for child in tree.children(node):
                self.number[child] = self.number[node]
                if tree.actor[node] == player:
                    self.number[child] = num_sequences + np.arange(num_hands)
                    num_sequences += num_hands
            if tree.actor[node] != player:
                continue
            for hand in range(num_hands):
                for child in tree.children(node):
                    rows.append(num_constraints)
                    columns.append(self.number[child, hand])
                    entries.append(1.0)
                rows.append(num_constraints)
                columns.append(self.number[node, hand])
                entries.append(-1.0)
                num_constraints += 1
        shape = (num_constraints, num_sequences)
        self.constraints = csr_matrix((entries, (rows, columns)), shape=shape)
        self.right_hand_side = np.zeros(num_constraints)
        self.right_hand_side[0] = 1.0


def sequence_form_value(game):
    """Returns what player 0 of a `tests.reference.pair_cfr.PairGame` wins in equilibrium."""
    first, second = (_Sequences(game.tree, player, game.num_hands) for player in (0, 1))
    rows, columns, entries = [], [], []
    for node in range(game.tree.num_nodes):
        if not game.tree.children(node):
            pairs = np.broadcast_arrays(first.number[node][:, None], second.number[node])
            rows.append(pairs[0].ravel())
            columns.append(pairs[1].ravel())
            entries.append((game.dealt * game.payoff[node]).ravel())
    payoff = coo_matrix(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))),
        shape=(first.constraints.shape[1], second.constraints.shape[1]),
    ).tocsr()
    num_x, num_q = payoff.shape[0], len(second.right_hand_side)
    result = linprog(
        c=np.concatenate([np.zeros(num_x), -second.right_hand_side]),
        A_ub=hstack([-payoff.T, second.constraints.T]),
        b_ub=np.zeros(payoff.shape[1]),
        A_eq=hstack([first.constraints, csr_matrix((len(first.right_hand_side), num_q))]),
        b_eq=first.right_hand_side,
        bounds=[(0.0, None)] * num_x + [(None, None)] * num_q,
        method="highs",
    )
    assert result.success, result.message
    return -result.fun
