"""Menus of sizes for tests."""

from runout.trees.betting import BettingRules, SizeMenu


def menu_of(bets, raises=None, donks=None) -> SizeMenu:
    """The sizes of one player on one street; those of raises are by default those of bets."""
    return BettingRules.of(bets, 0, raises, donks).menus[0][0]
