"""Hands in buckets: features, clustering, buckets of one flop, percentile buckets; private."""

__all__: list[str] = []
