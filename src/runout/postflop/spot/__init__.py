"""Looking into a solved spot, locking its nodes, and keeping it."""
