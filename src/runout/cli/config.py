"""`runout config`: starter files, all errors of a file, and JSON Schema for editors."""

from pathlib import Path
from typing import Annotated, Any

import typer

from runout.cli.console import print_error, print_json, print_note
from runout.cli.options import JsonFlag, argument, flag, option
from runout.config.flops import BACKENDS, FlopsFile
from runout.config.load import KINDS, SweepConfig, load_config
from runout.config.run import PreflopConfig, RunConfig
from runout.config.section import ConfigSection
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.yaml_text import format_yaml
from runout.errors import ConfigError, OptionError, suggest

_FLOPS = {"solve_type": "compact", "flop_subset": 8, "bet_sizes": ["75%"], "river_buckets": 16}
_SPOT = {
    "oop": "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+",
    "ip": "22+,A2s+,K9s+,QTs+,JTs,A9o+,KTo+",
    "pot": 100,
    "stack": 450,
    "bet_sizes": ["33%", "75%"],
    "raise_sizes": ["2.5x"],
    "target": "0.5%",
}
#: The class of a file, the command that reads it, and the values that a starter has.
_STARTERS: dict[str, tuple[type[ConfigSection], str, dict[str, Any]]] = {
    "preflop": (
        RunConfig,
        "solve-preflop -c FILE -o runs/game",
        {
            "preflop": {"stacks_bb": 15, "raise_sizes": ["2bb", "allin"], "raise_cap": 3},
            "method": "joint",
            "iterations": 100,
            "preflop_exploitability_threshold_mbb": 20,
            "postflop_model": _FLOPS,
        },
    ),
    "flops": (
        FlopsFile,
        "solve-postflop -c FILE -o runs/flops",
        {"postflop_model": _FLOPS | {"postflop_sprs": [3.5]}},
    ),
    "spot": (SpotConfig, "solve-spot -c FILE -o runs/spot", {"board": "QsJh2h8c", **_SPOT}),
    "report": (
        ReportConfig,
        "report -c FILE --flops 25 -o runs/report",
        _SPOT | {"rivers": "compact"},
    ),
    "sweep": (
        SweepConfig,
        "lab sweep -c FILE -o runs/sweep",
        {
            "sweep": {"grid": {"river_buckets": [16, 32]}, "seeds": [0]},
            "postflop_model": _FLOPS | {"postflop_sprs": [3.5]},
        },
    ),
}
#: Sections of starters by their keys.
_SECTIONS: dict[str, type[ConfigSection]] = {
    "preflop": PreflopConfig,
    "postflop_model": BACKENDS["compact"],
}
KindArgument = Annotated[str, argument("KIND", f"Kind of the file: {', '.join(_STARTERS)}.")]


def _starter(kind: str) -> tuple[type[ConfigSection], str, dict[str, Any]]:
    if kind not in _STARTERS:
        names = ", ".join(_STARTERS)
        raise OptionError("KIND", f"{kind!r} is not one of {names}{suggest(kind, _STARTERS)}")
    return _STARTERS[kind]


def write_starter(
    kind: KindArgument,
    path: Annotated[Path | None, option("--output -o", "FILE", "File to write.")] = None,
    overwrite: Annotated[bool, flag("--overwrite", "Replace an existing file.")] = False,
) -> None:
    """Write a commented config file to start from, to stdout by default."""
    section, command, values = _starter(kind)
    name = "FILE" if path is None else str(path)
    more = "# Every key and its default: docs/configuration.md, or runout config schema."
    top = [f"# runout {command.replace('FILE', name)}", more]
    text = "\n".join([*top, *_lines(section, values)])
    if path is None:
        print(text)
        return
    if path.exists() and not overwrite:
        raise OptionError(str(path), "exists already, give --overwrite to replace it")
    path.write_text(f"{text}\n", "utf-8")
    print_note(f"wrote {path}; check it by: runout config validate {path}")


def _lines(section: type[ConfigSection], values: dict[str, Any]) -> list[str]:
    """Returns keys and values with the first sentence of each key's description above it."""
    lines, keys = [], section.json_schema()["properties"]
    for key, value in values.items():
        about = keys[key].get("description", "").replace("\n", " ")
        lines.append(f"# {about.partition('. ')[0].rstrip('.')}.")
        if key in _SECTIONS:
            lines += [f"{key}:", *(f"  {line}" for line in _lines(_SECTIONS[key], value))]
        else:
            # In a list, because YAML ends a scalar that stands alone with "...".
            lines.append(f"{key}: {format_yaml([value], is_inline=True).strip()[1:-1]}")
    return lines


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
            kind = next(what for each, (what, *_) in KINDS.items() if isinstance(config, each))
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
    section, _, _ = _starter(kind)
    dialect = "https://json-schema.org/draft/2020-12/schema"
    print_json({"$schema": dialect, **section.json_schema()})
