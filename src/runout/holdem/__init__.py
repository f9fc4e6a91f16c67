"""Hold'em with real cards: every combo, every turn and river card, any two ranges."""
