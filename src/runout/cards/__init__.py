"""Poker facts: cards, combos, hands, ranges, strengths, suit isomorphism and flops; private.

What makes no sense raises `CardError`, `RangeError` or `FlopListError`. Public names: `runout`.
"""

__all__: list[str] = []
