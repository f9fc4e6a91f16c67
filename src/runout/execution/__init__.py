"""Running many independent tasks on the cores at hand; private."""

__all__: list[str] = []
