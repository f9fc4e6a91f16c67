"""Measuring: how much strategies lose in the game with real cards."""
