"""The web page over everything solved: found bundles, answers about their nodes, a server.

Private by place; `runout` has the public names.
"""

__all__: list[str] = []
