"""Solutions as data: what solves produce, what a node says, how it is kept; no solver is needed.

Private by place; `runout` has the public names.
"""

__all__: list[str] = []
