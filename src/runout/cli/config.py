"""`runout config`: starter files, all errors of a file, and JSON Schema for editors."""

from pathlib import Path
from typing import Annotated, Any

import typer

from runout.cli.console import print_error, print_json, print_note
from runout.cli.options import JsonFlag, argument, flag, option
from runout.config.flops import FlopsFile
from runout.config.load import KINDS, SweepConfig, load_config
from runout.config.run import RunConfig
from runout.config.section import ConfigSection
from runout.config.spot import ReportConfig, SpotConfig
from runout.errors import ConfigError, OptionError, suggest

#: The sections of the kinds of files; each kind has a starter.
_KINDS: dict[str, type[ConfigSection]] = {
    "preflop": RunConfig,
    "flops": FlopsFile,
    "spot": SpotConfig,
    "report": ReportConfig,
    "sweep": SweepConfig,
}
_STARTERS = Path(__file__).parent / "starters"

KindArgument = Annotated[str, argument("KIND", f"Kind of the file: {', '.join(_KINDS)}.")]


def _section(kind: str) -> type[ConfigSection]:
    if kind not in _KINDS:
        names = ", ".join(_KINDS)
        raise OptionError("KIND", f"{kind!r} is not one of {names}{suggest(kind, _KINDS)}")
    return _KINDS[kind]


def write_starter(
    kind: KindArgument,
    path: Annotated[Path | None, option("--output -o", "FILE", "File to write.")] = None,
    overwrite: Annotated[bool, flag("--overwrite", "Replace an existing file.")] = False,
) -> None:
    """Write a commented config file to start from, to stdout by default."""
    _section(kind)
    text = (_STARTERS / f"{kind}.yaml").read_text("utf-8")
    if path is None:
        print(text, end="")
        return
    if path.exists() and not overwrite:
        raise OptionError(str(path), "exists already, give --overwrite to replace it")
    path.write_text(text.replace("FILE", str(path)), "utf-8")
    print_note(f"wrote {path}; check it by: runout config validate {path}")


def validate(
    paths: Annotated[list[Path], argument("FILE...", "Config files to check.")],
    json: JsonFlag = False,
) -> None:
    """Report all errors of config files at once, each with its line."""
    documents: list[dict[str, Any]] = []
    for path in paths:
        kind, found = None, list[ConfigError]()
        try:
            config = load_config(path)
            kind = next(what for each, (what, _) in KINDS.items() if isinstance(config, each))
        except ConfigError as error:
            found = [*getattr(error, "errors", [error])]
        lines = [str(each) if each.where == str(path) else f"{path}: {each}" for each in found]
        documents.append({"path": str(path), "kind": kind, "errors": lines})
        if kind is not None and not json:
            print(f"{path}: valid config of {kind}")
        for line in () if json else lines:
            print_error(line)
    if json:
        print_json({"files": documents})
    if any(document["errors"] for document in documents):
        raise typer.Exit(2)


def print_schema(kind: KindArgument = "preflop") -> None:
    """Print JSON Schema of a kind of config file, for editors."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    print_json({"$schema": dialect, **_section(kind).json_schema()})
