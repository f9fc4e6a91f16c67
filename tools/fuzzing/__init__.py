"""Mutated inputs for everything that reads what a user wrote: see `tools.fuzz`."""
