"""Files of other programs: what they say in our configs, and our solutions in theirs; private.

A file that cannot be read raises `FormatError`. Public names: `runout`.
"""

__all__: list[str] = []
