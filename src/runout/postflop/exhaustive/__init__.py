"""Solving a flop between the 169 hands, with exact equities."""
