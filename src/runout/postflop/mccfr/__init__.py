"""Solving a flop between the 169 hands from sampled cards."""
