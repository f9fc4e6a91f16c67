"""Poker facts: cards, combos, hands, ranges, strengths, suit isomorphism and flops."""
