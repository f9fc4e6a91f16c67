"""The preflop game on top of postflop values; private."""

__all__: list[str] = []
