"""The options that describe a spot, and how what they say becomes keys of its config."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from runout.cli.options import OptionError, read_path
from runout.errors import ConfigError

OPTION_BY_KEY = {
    "board": "--board",
    "oop": "--oop",
    "ip": "--ip",
    "pot": "--pot",
    "stack": "--stack",
    "bet_sizes": "--bets",
    "raise_sizes": "--raises",
    "donk_sizes": "--donks",
    "max_raises_per_street": "--max-raises",
    "rake_rate": "--rake",
    "rake_cap": "--rake-cap",
    "target": "--target",
    "max_iterations": "--max-iterations",
    "max_seconds": "--max-seconds",
    "precision": "--precision",
    "rivers": "--rivers",
}


def _text(key: str, metavar: str, text: str, *others: str) -> Any:
    return typer.Option(OPTION_BY_KEY[key], *others, metavar=metavar, help=text)


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        parser=read_path,
        help="A config, YAML; options win over it.",
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        parser=read_path,
        help="Directory to write, none by default.",
    ),
]
BoardOption = Annotated[str | None, _text("board", "CARDS", "Flop, turn or river: QsJh2h.", "-b")]
OopOption = Annotated[str | None, _text("oop", "RANGE", "Who acts first: 22+,AKs:0.5.")]
IpOption = Annotated[str | None, _text("ip", "RANGE", "Who is in position.")]
PotOption = Annotated[float | None, _text("pot", "CHIPS", "What is in the middle.")]
StackOption = Annotated[float | None, _text("stack", "CHIPS", "What the shorter player has left.")]
BetsOption = Annotated[str | None, _text("bet_sizes", "SIZES", "Bets: 33%,75%,100c,e,a.")]
RaisesOption = Annotated[str | None, _text("raise_sizes", "SIZES", "Raises: 60%,2.5x,a.")]
DonksOption = Annotated[str | None, _text("donk_sizes", "SIZES", "Donk bets (default: as bets).")]
MaxRaisesOption = Annotated[
    int | None, _text("max_raises_per_street", "N", "Raises of a street at most.")
]
RakeOption = Annotated[
    float | None, _text("rake_rate", "X", "Share of the pot for the house, 0 to 1.")
]
RakeCapOption = Annotated[float | None, _text("rake_cap", "CHIPS", "The most that it takes.")]
TargetOption = Annotated[
    str | None, _text("target", "PERCENT", "Ends at this exploitability: 0.5%.")
]
MaxIterationsOption = Annotated[int | None, _text("max_iterations", "N", "Ends after so many.")]
MaxSecondsOption = Annotated[float | None, _text("max_seconds", "S", "Ends after this time.")]
PrecisionOption = Annotated[
    int | None, _text("precision", "BITS", "32, or 16 for half of the memory.")
]
FromOption = Annotated[
    Path | None,
    typer.Option("--from", metavar="RUN", help="Ranges, money and sizes of a preflop solution."),
]
NodeOption = Annotated[
    str | None, typer.Option("--node", "-n", metavar="PATH", help="With --from: such as r2-c.")
]
RiversOption = Annotated[
    str | None, _text("rivers", "WAY", "exact, or compact: a fraction of time and memory.")
]


def keys_from_run(run: Path | None, node: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys that a preflop solution gives, none without one.

    Raises:
        RunoutError: if one of the two options is missing, there is no such flop, or another money
            is given than the node has.
    """
    if run is None and node is None:
        return {}
    if run is None or node is None:
        missing, other = ("--from", "--node") if run is None else ("--node", "--from")
        raise OptionError(missing, f"is missing, {other} needs it")
    from runout.pipeline.spot_from_run import spot_keys_from_run

    keys = spot_keys_from_run(run, node)
    for key in ("pot", "stack"):
        if key in given:
            problem = f"is {keys[key]} chips at {node}, leave it out with --from"
            raise OptionError(OPTION_BY_KEY[key], problem)
    return keys


def require_keys(given: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuses options that do not say everything about a spot, where there is no file.

    Raises:
        OptionError: naming the first that is missing.
    """
    for key in keys:
        if key not in given:
            raise OptionError(OPTION_BY_KEY[key], "is missing, give it or a file by --config")


@contextmanager
def naming_options(given: Mapping[str, Any]) -> Iterator[None]:
    """Turns errors about keys that came as options into errors about the options.

    Raises:
        RunoutError: naming the option or key at fault.
    """
    try:
        yield
    except ConfigError as error:
        key, position = re.fullmatch(r"([^.\[]*)(.*)", error.where, re.DOTALL).groups()  # type: ignore[union-attr]
        if key not in given:
            raise
        raise OptionError(f"{OPTION_BY_KEY[key]}{position}", error.problem) from error
