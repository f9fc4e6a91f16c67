"""Running many independent tasks on the cores at hand."""
