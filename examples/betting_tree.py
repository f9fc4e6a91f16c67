"""A betting tree: which actions there are on a river, and who pays whom at the end.

Prints:

    river: OOP to act, pot 1, 1 behind
      OOP check
        IP check -> showdown, pot 1
        IP bet 50% (0.5)
          OOP fold -> IP wins the pot of 1
          OOP call -> showdown, pot 2
        IP all-in 1
          OOP fold -> IP wins the pot of 1
          OOP call -> showdown, pot 3
      OOP bet 50% (0.5)
        IP fold -> OOP wins the pot of 1
        IP call -> showdown, pot 2
      OOP all-in 1
        IP fold -> OOP wins the pot of 1
        IP call -> showdown, pot 3
    OOP has 20% equity and faces half a pot
    call -0.60, fold -0.50
"""

from runout.trees.betting import BettingRules, Street
from runout.trees.describe import format_tree
from runout.trees.tree import OOP, PostflopTree

rules = BettingRules.uniform([0.5], max_raises_per_street=0)
tree = PostflopTree.build(rules, 1.0, Street.RIVER)
print(format_tree(tree))

call, fold = tree.find_node("x-b50-c"), tree.find_node("x-b50-f")
winnings = tree.leaf_payoffs(OOP, equity=0.2)
print("OOP has 20% equity and faces half a pot")
print(f"call {winnings[call]:+.2f}, fold {winnings[fold]:+.2f}")
