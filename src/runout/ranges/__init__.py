"""Weighted sets of combos and the text that players write them in."""
