"""Results on disk: bundles of finished runs and checkpoints of unfinished ones; private."""

__all__: list[str] = []
