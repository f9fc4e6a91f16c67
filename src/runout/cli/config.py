"""`runout config` and `import`: starter files, errors, JSON Schema, files of other programs."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cards.ranges import RANDOM
from runout.cli.console import print_error, print_json, print_note, writing
from runout.cli.options import JsonFlag, argument, flag, option, taking_spot
from runout.config.flops import FlopsFile
from runout.config.load import KINDS, SweepConfig, load_config, parse_config
from runout.config.run import RunConfig
from runout.config.section import ConfigSection
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.yaml_text import format_yaml, parse_yaml
from runout.errors import ConfigError, FormatError, OptionError, one_line, quote, suggest

if TYPE_CHECKING:  # readers of other programs' files are imported when one is read
    from runout.formats.solvers import Item

#: The sections of the kinds of files; each kind has a starter.
_KINDS: dict[str, type[ConfigSection]] = {
    "preflop": RunConfig,
    "flops": FlopsFile,
    "spot": SpotConfig,
    "report": ReportConfig,
    "sweep": SweepConfig,
}
_STARTERS = Path(__file__).parent / "starters"
_PACKAGE = Path(__file__).parents[1]

KindArgument = Annotated[str, argument("KIND", f"Kind of the file: {', '.join(_KINDS)}.")]


def _section(kind: str) -> type[ConfigSection]:
    if kind not in _KINDS:
        names = ", ".join(_KINDS)
        raise OptionError("KIND", f"{kind!r} is not one of {names}{suggest(kind, _KINDS)}")
    return _KINDS[kind]


def _shipped_configs() -> dict[str, Path]:
    """Returns the files that `config init` writes, starters of each kind first.

    A wheel has the configs in the package, a checkout at its top.
    """
    inside = _PACKAGE / "configs"
    folder = inside if inside.is_dir() else _PACKAGE.parents[1] / "configs"
    files = [*(_STARTERS / f"{kind}.yaml" for kind in _KINDS), *sorted(folder.glob("*.yaml"))]
    return {path.stem: path for path in files}


def write_starter(
    name: Annotated[str | None, argument("NAME", "Kind of file or shipped config.")] = None,
    path: Annotated[Path | None, option("--output -o", "FILE", "File to write.")] = None,
    overwrite: Annotated[bool, flag("--overwrite", "Replace an existing file.")] = False,
) -> None:
    """Write a commented config, to stdout by default.

    NAME is a kind of file (preflop, flops, spot, report, sweep) or one of the configs that come
    with runout, such as smoke or hu_25bb. Without NAME they are listed.
    """
    files = _shipped_configs()
    if name is None:
        for each, file in files.items():
            words = file.read_text("utf-8").partition("\n#\n")[0].replace("\n#", "").split()
            title = re.split(r"[.:](?: |$)", " ".join(words[1:]))[0]
            title = "starter for a new file" if each in _KINDS else title
            print(f"{each:<26}{shorten(title, 54, placeholder='...')}")
        return
    if name not in files:
        raise OptionError(
            "NAME", f"{name!r} is not one of {', '.join(files)}{suggest(name, files)}"
        )
    text = files[name].read_text("utf-8")
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
    """Report all errors of config files with their lines."""
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
    """Print the JSON Schema of a kind of config."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema = _section(kind).model_json_schema(mode="serialization")  # with defaults as in YAML
    print_json({"$schema": dialect, **schema})


_FOREIGN = "Tree, range or hand of another program; - is stdin."
_PICK = "Spot or range to take, if there are several."
_STDIN = Path("-")


@taking_spot("board", "oop", "ip")
def import_file(
    *,
    path: Annotated[Path, argument("FILE", _FOREIGN)],
    output: Annotated[Path | None, option("--output -o", "FILE", "Config file to write.")] = None,
    pick: Annotated[str | None, option("--pick", "NAME", _PICK)] = None,
    given: dict[str, Any],
    overwrite: Annotated[bool, flag("--overwrite", "Replace an existing file.")] = False,
    json: JsonFlag = False,
) -> None:
    """Convert a file of another program to a config.

    The config goes to stdout by default. Files are trees of PioSOLVER (also saves), TexasSolver,
    WASM and Desktop Postflop, ranges of these, GTO+ and HRC, and hands in PHH. What no key of the
    config says is listed.
    """
    from runout.formats import imports

    if path == _STDIN:
        program, found = imports.read_text(sys.stdin.read(), "stdin")
    else:
        program, found = imports.read_path(path)
    items = [item for item in found if pick in (None, item.name)]
    is_list = (json and output is None) or all(item.is_range for item in items)
    if not items or not (is_list or len(items) == 1):
        names = ", ".join(quote(item.name) for item in found[:20])
        came = f"{quote(pick)} is not in the file" if pick else f"is missing, {path} holds several"
        raise OptionError("--pick", f"{came}, choose one of {names}")
    if output is not None and output.exists() and not overwrite:
        raise OptionError(str(output), "exists already, give --overwrite to replace it")
    text, documents = "", list[dict[str, Any]]()
    for item in items:
        if item.is_range:
            documents.append({"name": item.name, "range": item.keys["range"]})
            text += _format_key(item.name, item.keys["range"])
            continue
        config, left_out = spot_text(item, given)
        documents.append({"name": item.name, "config": parse_yaml(config), "left_out": left_out})
        source = f"imported from {path} ({', '.join(filter(None, [program, item.name]))})"
        text += "".join(f"# {one_line(line)}\n" for line in (source, *left_out)) + config
        for line in () if json else left_out:
            print_note(line)
    if output is not None or not json:
        with writing(output) as stream:
            stream.write(text)
    if output is not None:
        print_note(f"wrote {output}")
    if json:
        print_json({"program": program, "items": documents})


def _format_key(key: str, value: Any) -> str:
    """Writes a key and its value as a line of YAML, a mapping as several."""
    text = format_yaml({key: value}, is_inline=not isinstance(value, Mapping))
    return text[1:-2] + "\n" if text[0] == "{" else text


def spot_text(item: "Item", given: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Returns our YAML of a spot with the given keys, and lines for what it does not say.

    Raises:
        FormatError: if the keys make no config.
    """
    keys, left_out = {**item.keys, **given}, list(item.left_out)
    for key in ("oop", "ip"):
        if key not in keys:
            keys[key] = RANDOM
            left_out.append(f"the file has no range of {key.upper()}, {key} is {RANDOM}")
    if "board" not in keys:
        left_out.append("the file has no board, this is a config for runout report")
    order = [key for key in ("board", "oop", "ip", "pot", "stack", *keys) if key in keys]
    text = "".join(_format_key(key, keys[key]) for key in dict.fromkeys(order))
    try:
        parse_config(text, SpotConfig if "board" in keys else ReportConfig)
    except ConfigError as error:
        raise FormatError(item.name or "the file", f"makes no config of ours: {error}") from error
    return text, left_out
