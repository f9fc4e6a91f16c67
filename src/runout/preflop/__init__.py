"""The preflop game on top of postflop values."""
