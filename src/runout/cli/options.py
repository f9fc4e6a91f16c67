"""Options and arguments that several commands share, and how their text is read."""

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cards.deck import combo_cards, format_card, format_cards, parse_combo
from runout.cards.ranges import Range
from runout.errors import BundleError, CardError, ConfigError, OptionError, quote

if TYPE_CHECKING:  # configs and solutions take longer to import than a small answer
    from runout.config.flops import FlopsConfig
    from runout.config.run import RunConfig

#: Metavars of values that are paths.
_PATHS = ("FILE", "DIR", "RUN")


def read_path(text: str) -> Path:
    """Reads a path; refuses an empty text, which is not the current directory, and URLs."""
    if not text.strip() or "\0" in text:
        raise typer.BadParameter(f"{text!r} is not a path")
    from runout.storage.files import local_path  # not for commands without paths

    try:
        return local_path(text)
    except BundleError as error:
        raise typer.BadParameter(f"{quote(text)} {error.problem}") from None


def positive(value: Any) -> Any:
    """Returns the value or values of an option; refuses what is not above 0 and finite."""
    for number in value if isinstance(value, list) else [value]:
        if number is not None and not 0 < number < math.inf:
            shown = number if isinstance(number, int) else f"{number:g}"
            raise typer.BadParameter(f"{shown} is not a positive number")
    return value


def not_negative(seed: int | None) -> int | None:
    """Returns the seed; refuses a negative one."""
    if seed is not None and seed < 0:
        raise typer.BadParameter(f"{seed} is negative, seeds start at 0")
    return seed


def option(names: str, metavar: str, text: str, check: Callable[[Any], Any] | None = None) -> Any:
    """Declares an option with a value; its names are written as ``--output -o``.

    A metavar ``FILE``, ``DIR`` or ``RUN`` makes it a path; ``check`` raises `typer.BadParameter`.
    """
    parser = read_path if metavar in _PATHS else None
    return typer.Option(*names.split(), metavar=metavar, parser=parser, callback=check, help=text)


def flag(names: str, text: str) -> Any:
    """Declares an option without a value, or one with the values of an enumeration."""
    return typer.Option(*names.split(), help=text)


def argument(metavar: str, text: str) -> Any:
    """Declares an argument; ``DIR`` and ``RUN`` are paths, in brackets if they may be missing."""
    parser = read_path if metavar.strip("[].") in _PATHS else None
    return typer.Argument(metavar=metavar, parser=parser, help=text)


_BOARD = "Flop, turn or river, such as AhKsQd."
_CONFIG = "Config file, YAML."

JsonFlag = Annotated[bool, flag("--json", "Print one JSON document; progress stays on stderr.")]
BoardOption = Annotated[str | None, option("--board -b", "CARDS", _BOARD)]
RequiredBoardOption = Annotated[str, option("--board -b", "CARDS", _BOARD)]
_WORKERS = "Number of workers (default: all cores)."
WorkersOption = Annotated[int | None, option("--workers -w", "N", _WORKERS, positive)]
_EXECUTORS = "threads, processes, ray or ray:ADDRESS."
ExecutorOption = Annotated[str, option("--executor", "NAME", _EXECUTORS)]
ConfigOption = Annotated[Path, option("--config -c", "FILE", _CONFIG)]
OutputOption = Annotated[Path, option("--output -o", "DIR", "Directory to write.")]
OverwriteFlag = Annotated[bool, flag("--overwrite", "Replace the contents of DIR.")]
_RESUME = "Resume an interrupted run, or start over."
ResumeFlag = Annotated[bool, flag("--resume/--no-resume", _RESUME)]


def parse_hand(text: str, board: tuple[int, ...]) -> tuple[int, int]:
    """Returns the two cards of a ``--hand``; refuses cards of the board."""
    hand = combo_cards(parse_combo(text))
    for card in hand:
        if card in board:
            raise CardError(format_card(card), f"is on the board {format_cards(board)} already")
    return hand


def parse_live_range(text: str, board: tuple[int, ...]) -> Range:
    """Returns what a board leaves of a range; refuses one with no combo left."""
    return Range(text).live_on(board, quote(text))


def require_at_most_one(given: Mapping[str, bool]) -> None:
    """Refuses more than one of some options; ``given`` says by name whether each was given."""
    chosen = [option for option, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise OptionError(" ".join(chosen), "cannot be combined, give one of them")


def load_flops_config(path: Path, config: "FlopsConfig | RunConfig | None" = None) -> "FlopsConfig":
    """Reads which flops to solve and how, from a config of flops or of a run, unless it is given.

    Of a run, ``auto`` becomes the ratios that its preflop tree reaches.
    """
    from runout.config.flops import POSTFLOP_SECTION, FlopsConfig
    from runout.config.load import kind_of, load_config, load_yaml
    from runout.config.run import RunConfig
    from runout.runs.plan import postflop_config_for

    if config is None and kind_of(load_yaml(path)) is RunConfig:
        config = load_config(path, RunConfig)
    config = config or load_config(path, FlopsConfig)
    if isinstance(config, FlopsConfig):
        return config
    model, tree = config.postflop_model, config.preflop.tree
    if model is None:
        raise ConfigError(str(path), f"has no section {POSTFLOP_SECTION}")
    if model.postflop_sprs is None and not tree.flop_leaves():
        where = f"{POSTFLOP_SECTION}.postflop_sprs"
        raise ConfigError(where, "auto finds no ratio, this preflop tree sees no flop")
    return postflop_config_for(model, tree)


#: The options that describe a spot, by the key of its config that they set: names, type and
#: metavar; the help is the beginning of the key's description.
_SPOT_OPTIONS: dict[str, tuple[str, type, str]] = {
    "board": ("--board -b", str, "CARDS"),
    "oop": ("--oop", str, "RANGE"),
    "ip": ("--ip", str, "RANGE"),
    "pot": ("--pot", float, "CHIPS"),
    "stack": ("--stack", float, "CHIPS"),
    "bet_sizes": ("--bets", str, "SIZES"),
    "raise_sizes": ("--raises", str, "SIZES"),
    "donk_sizes": ("--donks", str, "SIZES"),
    "max_raises_per_street": ("--max-raises", int, "N"),
    "rake_rate": ("--rake", float, "X"),
    "rake_cap": ("--rake-cap", float, "CHIPS"),
    "target": ("--target", str, "PERCENT"),
    "max_iterations": ("--max-iterations", int, "N"),
    "max_seconds": ("--max-seconds", float, "S"),
    "precision": ("--precision", int, "BITS"),
    "rivers": ("--rivers", str, "WAY"),
}
SPOT_KEYS = tuple(_SPOT_OPTIONS)

_SPOT_CONFIG = "Config file, YAML; options override it."
SpotConfigOption = Annotated[Path | None, option("--config -c", "FILE", _SPOT_CONFIG)]
_FROM = "Take ranges, pot, stacks and sizes from a preflop solution."
FromOption = Annotated[Path | None, option("--from", "RUN", _FROM)]
SpotNodeOption = Annotated[str | None, option("--node -n", "PATH", "Node of --from, such as r2:c.")]


Command = Callable[..., None]


def taking_spot(*keys: str) -> Callable[[Command], Command]:
    """Adds options that describe a spot to a command, in place of its parameter ``given``.

    The command, whose parameters are keywords, gets those that were given, by their keys.
    """
    from runout.config.spot import SpotConfig

    parameters, texts = [], SpotConfig.about()
    for key in keys:
        names, kind, metavar = _SPOT_OPTIONS[key]
        about = " ".join(texts[key].split())
        first = re.split(r"[.;] ", about.replace("`", ""))[0].rstrip(".")
        shown: Any = Annotated[kind | None, option(names, metavar, f"{first}.")]
        parameter = inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None)
        parameters.append(parameter.replace(annotation=shown))

    def gather(found: dict[str, Any]) -> dict[str, Any]:
        # Options are text, in which null is the null of YAML.
        return {k: None if v == "null" else v for k, v in found.items() if v is not None}

    return _taking("given", parameters, gather)


def taking(name: str, kind: type[Any], *fields: str) -> Callable[[Command], Command]:
    """Adds fields of a dataclass, by default all, as options in place of a parameter of its type.

    All parameters are keywords, and the fields are annotated as those of a command.
    """
    declared = inspect.signature(kind).parameters
    parameters = [declared[field] for field in fields or declared]
    return _taking(name, parameters, lambda found: kind(**found))


def _taking(
    name: str,
    parameters: Sequence[inspect.Parameter],
    gather: Callable[[dict[str, Any]], Any],
) -> Callable[[Command], Command]:
    """Puts parameters in place of one parameter of a command, which gets their values gathered."""

    def add(command: Command) -> Command:
        def run(**values: Any) -> None:
            found = {parameter.name: values.pop(parameter.name) for parameter in parameters}
            command(**values, **{name: gather(found)})

        own = inspect.signature(command).parameters.values()
        order = [each for one in own for each in (parameters if one.name == name else [one])]
        run.__doc__, run.__annotations__ = command.__doc__, {p.name: p.annotation for p in order}
        run.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
        return run

    return add


@contextmanager
def reading_spot(
    file: Path | None, run: Path | None, node: str | None, given: dict[str, Any], *required: str
) -> Iterator[dict[str, Any]]:
    """Yields the given keys with those of a node of a preflop solution, if there is one.

    Without a file the required keys have to be among them. Errors about keys that came as options
    become errors about the options.
    """
    keys = given
    if run is not None and node is not None:
        from runout.runs.spot import spot_keys_from_run

        found = spot_keys_from_run(run, node)
        for key in given:
            if key in ("pot", "stack"):
                problem = f"is {found[key]} chips at {node}, leave it out with --from"
                raise OptionError(f"--{key}", problem)
        keys = {**found, **given}
    elif run is not None or node is not None:
        missing, other = ("--from", "--node") if run is None else ("--node", "--from")
        raise OptionError(missing, f"is missing, {other} needs it")
    for key in required if file is None else ():
        if key not in keys:
            raise OptionError(f"--{key}", "is missing, give it or a file by --config")
    try:
        yield keys
    except ConfigError as error:
        key, position = re.fullmatch(r"([^.\[]*)(.*)", error.where, re.DOTALL).groups()  # type: ignore[union-attr]
        if key not in keys or key not in _SPOT_OPTIONS:
            raise
        name = _SPOT_OPTIONS[key][0].split()[0]
        raise OptionError(f"{name}{position}", error.problem) from error
