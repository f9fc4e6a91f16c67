"""Typed YAML configs, checked before a solve starts; private."""

__all__: list[str] = []
