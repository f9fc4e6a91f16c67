"""Exact all-in equities and strength distributions, by enumeration; private."""

__all__: list[str] = []
