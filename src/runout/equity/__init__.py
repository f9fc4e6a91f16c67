"""Exact all-in equities and strength distributions, by enumeration."""
