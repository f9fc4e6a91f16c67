"""Vector instructions, lanes, decisions and products; nothing here knows cards; private."""

__all__: list[str] = []
