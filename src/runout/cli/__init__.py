"""The command line: typer commands and the rich console; private."""

__all__: list[str] = []
