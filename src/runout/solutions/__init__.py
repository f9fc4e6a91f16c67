"""Solutions as data: what solves produce, what a node says, how it is kept; no solver is needed."""
