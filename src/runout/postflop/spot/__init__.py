"""One spot played with real cards: every combo, every turn and river card."""
