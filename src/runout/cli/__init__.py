"""The command line: typer commands and the rich console."""
