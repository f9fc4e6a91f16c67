"""Vector instructions, lanes, decisions and products; nothing here knows cards."""
