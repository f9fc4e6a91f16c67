"""A betting tree: which actions there are on a river, and who pays whom at the end.

Prints:
"""

from runout.trees.betting import BettingRules, Street
from runout.trees.describe import format_tree
from runout.trees.postflop_tree import OOP, PostflopTree

rules = BettingRules.uniform([0.5], max_raises_per_street=0)
tree = PostflopTree.build_with_spr(rules, 1.0, Street.RIVER)
print(format_tree(tree))

call, fold = tree.find_node("x-b50-c"), tree.find_node("x-b50-f")
winnings = tree.leaf_payoffs(OOP, equity=0.2)
print(f"OOP faces half a pot with 20 % equity: call {winnings[call]:+.2f}, fold {winnings[fold]:+.2f}")
