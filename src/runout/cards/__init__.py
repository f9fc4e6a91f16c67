"""Poker facts: cards, combos, hands, strengths, suit isomorphism and flops."""
