"""Solutions as data: what a node says, the same before and after the flop, without any solver."""
