"""Hold'em with real cards: every combo, every turn and river card, any two ranges; private."""

__all__: list[str] = []
