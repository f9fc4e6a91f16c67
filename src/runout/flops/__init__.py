"""Backends that solve a flop, and what hands win from each other on it; private."""

__all__: list[str] = []
