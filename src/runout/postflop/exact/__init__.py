"""Solving a flop with every combo on every turn and river card."""
