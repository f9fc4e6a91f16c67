"""Hands in buckets: features, clustering, buckets of one flop, percentile buckets; private.

What makes no sense raises `AbstractionError`, deals that cannot be `CardError`.
"""

__all__: list[str] = []
