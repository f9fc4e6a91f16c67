"""Preflop and postflop as one game: every iteration visits every flop leaf on every flop."""
