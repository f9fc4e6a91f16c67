"""Postflop backends: four ways to solve a flop, one result."""
