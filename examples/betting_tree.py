"""A betting tree, counted and described.

Prints:

    BettingTree(pot 180, stack 910, 469 nodes, 172 decisions)
    {'turn': 22, 'river': 150}
    turn: OOP to act, pot 180, 910 behind
      OOP check ... 265 more nodes
      OOP bet 33% (59) ... 122 more nodes
      OOP bet 75% (135) ... 75 more nodes
      OOP all-in 910 ... 2 more nodes
"""

import runout

tree = runout.BettingTree.of("33%, 75%", raises="3x", pot=180, stack=910, street="turn")
print(tree)
print(tree.decisions_by_street())
print(tree.describe(depth=1))
