"""Typed YAML: what a run is told to do, checked before anything is computed; private."""

__all__: list[str] = []
