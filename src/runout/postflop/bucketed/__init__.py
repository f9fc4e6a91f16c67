"""Solving a flop with buckets of hands, on real cards, and making the buckets anew from EVs."""
