"""Heads-up no-limit hold'em solver."""

__version__ = "0.1.0"
