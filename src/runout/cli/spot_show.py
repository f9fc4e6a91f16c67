"""`runout spot show`: any node of a solved spot, all hands or one."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import numpy as np
import typer

from runout.cards.canonical_hands import COMBOS_BY_HAND, parse_canonical_hand
from runout.cards.card import format_cards
from runout.cards.combos import parse_combo
from runout.cards.flops import GivenFlop
from runout.cli.console import output, print_json, print_note, using_kernels
from runout.cli.formatting import format_count_of
from runout.cli.options import JsonFlag, OptionError, read_path, require_at_most_one
from runout.cli.spot_report import hand_to_json, print_hands, print_node
from runout.cli.values import choose_ratio, find_flop, open_values
from runout.config.spot import SpotConfig
from runout.errors import CardError, quote
from runout.events import reporting_phase
from runout.results.run_folders import FLOPS_FOLDER, VALUES_FOLDER, find_bundle
from runout.results.value_bundle import KIND as VALUES_KIND
from runout.storage.bundle import has_bundle, read_manifest
from runout.storage.files import replacing_file
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.node import HandSpace, Node
from runout.views.node_files import View, write_json, write_node_csv
from runout.views.quality import Provenance
from runout.views.run_view import open_run
from runout.views.spot_bundle import MOST_VERIFIED_BYTES, has_solution, load_spot

if TYPE_CHECKING:
    from runout.postflop.spot.spot_view import SpotView

_COMBO_LENGTH = 4
_EVERYTHING = "all"

NodeOption = Annotated[
    str,
    typer.Option("--node", "-n", metavar="PATH", help="Actions and cards, such as b60:c:8h:x."),
]
FlopOption = Annotated[
    str | None,
    typer.Option("--flop", "-f", metavar="CARDS", help="Of solved flops: which, in any suits."),
]
SprOption = Annotated[
    float | None, typer.Option("--spr", metavar="X", help="Of solved flops: stack over pot.")
]
DepthOption = Annotated[
    str | None,
    typer.Option(
        "--depth", metavar="N", help="With --json: steps below the node, or all (default 0)."
    ),
]

app = typer.Typer(no_args_is_help=True, help="Look into solved spots.")


@app.command("show", epilog="Example: runout spot show runs/river --node x --hand KK")
def show_spot(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            parser=read_path,
            help="What `solve-spot`, `solve-postflop` or a joint `solve-preflop` wrote.",
        ),
    ],
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    hand: Annotated[
        str | None,
        typer.Option("--hand", metavar="HAND", help="Only this one: AKs, or two cards AhKh."),
    ] = None,
    depth: DepthOption = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the hands of the node as CSV.")] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=read_path,
            help="Where --json or --csv goes to.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show what is done at a node of a solved spot, what it is worth, and by which hands.

    Flops that `solve-postflop` or a run has kept are looked at in the same way; amounts are flop
    pots, and values those of the strategies with real cards. In a joint run a path begins before
    the flop, such as r2-c:Td9d6h:x, and amounts are big blinds.
    """
    require_at_most_one({"--json": json, "--csv": csv})
    if spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop only")
    if depth is not None and (not json or hand is not None):
        raise OptionError("--depth", "says how much --json writes, and goes with no other option")
    if file is not None and (hand is not None or not (json or csv)):
        raise OptionError("--output", "takes what --json or --csv write of a whole node")
    steps = _read_depth(depth)
    combos = None if hand is None else _read_hand(hand)
    with _opening(path, flop, spr, node) as (view, note):
        if combos is not None:
            _show_hands(view.node(node), hand or "", combos, json)
        elif json:
            _write(file, "node", lambda stream: write_json(view, stream, steps, node))
        elif csv:
            _write(file, "hand", lambda stream: write_node_csv(view.node(node), stream))
        else:
            print_node(output(), view.node(node))
            if note:
                output().print(note, soft_wrap=True, markup=False)


@contextmanager
def _opening(
    path: Path, flop: str | None, spr: float | None, node: str
) -> Iterator[tuple[View, str]]:
    """Opens what was solved; yields it with where it comes from, empty for nowhere.

    Raises:
        OptionError: if there are flops of which one must be chosen, or the chosen one is not there.
    """
    if flop is None:
        if has_bundle(path / FLOPS_FOLDER):  # a joint run has its flops below its preflop tree
            yield open_run(path), ""
            return
        _require_spot(path)
        if has_solution(path):
            stored = load_spot(path)
            yield stored, _describe_origin(stored.config)
            return
    with using_kernels() as on_event:
        view, note = _open_tables(path) if flop is None else (_open_flop(path, flop, spr), "")
        with reporting_phase(on_event, "values of the node"):  # seconds for a flop; kept
            view.node(node)
        yield view, note


def _require_spot(path: Path) -> None:
    if has_bundle(values := find_bundle(path, VALUES_FOLDER)):
        if read_manifest(values).kind == VALUES_KIND:
            raise OptionError("--flop", f"{path} holds flops, say which one to look at")


def _describe_origin(config: SpotConfig | None) -> str:
    return "" if config is None or config.origin is None else config.origin.describe()


def _open_tables(path: Path) -> tuple["SpotView", str]:
    """Opens the tables of a solver that have no solution beside them, with where they come from."""
    from runout.postflop.spot.spot_solution import SpotSolution

    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    solution = SpotSolution.load(path, verify=is_verified)
    return solution.view, _describe_origin(solution.config)


def _open_flop(path: Path, text: str, spr: float | None) -> "SpotView":
    """Opens a flop whose strategies were kept.

    Raises:
        OptionError: if it was not solved, or no strategies were kept.
    """
    from runout.cfr.parallel import Team
    from runout.execution.local import count_cores
    from runout.postflop.postflop_abstraction import PostflopAbstraction
    from runout.postflop.spot.kept_flop import KeptFlop
    from runout.postflop.spot.spot_view import SpotView

    given, bundle = GivenFlop.parse(text), open_values(path)
    if not bundle.solutions:
        raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
    chosen = choose_ratio(bundle, spr)
    find_flop(path, chosen, given)
    solved = PostflopAbstraction.from_bundle(bundle)
    index = bundle.values.index(chosen)
    kept = KeptFlop(solved, given, index, Team(count_cores()))
    manifest = read_manifest(find_bundle(path, VALUES_FOLDER))
    return SpotView(kept, replace(kept.quality, provenance=Provenance.of(manifest)))


def _read_depth(text: str | None) -> int | None:
    """Returns the number of steps, None for all of them.

    Raises:
        OptionError: if the text is neither a number nor ``all``.
    """
    if text is None:
        return 0
    if text == _EVERYTHING:
        return None
    if not text.isascii() or not text.isdigit():
        raise OptionError("--depth", f"{quote(text)} is not a whole number from 0 up, or all")
    return int(text)


def _read_hand(text: str) -> list[int]:
    """Returns the combos of a class such as ``AKs``, or the one of two cards.

    Raises:
        OptionError: if it is neither.
    """
    try:
        if len(text) == _COMBO_LENGTH:
            return [parse_combo(text)]
        return [int(combo) for combo in COMBOS_BY_HAND[parse_canonical_hand(text)]]
    except CardError as error:
        problem = f"is no hand such as AA, AKs, AKo or AhKh ({error.problem})"
        raise OptionError(f"--hand {text}", problem) from error


def _show_hands(node: Node, hand: str, combos: list[int], json: bool) -> None:
    """Prints what the hands do that the player to act, or else either player, can hold.

    Raises:
        OptionError: if nobody can hold them here.
    """
    if node.hand_space is HandSpace.HANDS:
        raise OptionError(f"--hand {hand}", "goes with a flop, `runout trace-hand` comes before it")
    players = range(len(PLAYER_NAMES)) if node.actor is None else [node.actor]
    held = {
        player: [combo for combo in reversed(combos) if node.is_held[player, combo]]
        for player in players
    }
    if not any(held.values()):
        whose = "either" if node.actor is None else f"{PLAYER_NAMES[node.actor]}'s"
        problem = f"is not in {whose} range on {format_cards(node.board)}"
        raise OptionError(f"--hand {hand}", problem)
    if json:
        documents = {
            PLAYER_NAMES[player]: [hand_to_json(node, player, combo) for combo in found]
            for player, found in held.items()
        }
        print_json({"path": node.path, "board": format_cards(node.board), **documents})
        return
    console = output()
    for player, found in held.items():
        if found:
            arriving = float(np.sum(node.weights[player, found]))
            combos_there = format_count_of(arriving, "combo")
            place = f"at {node.path}" if node.path else "at the root"
            head = f"{hand} of {PLAYER_NAMES[player]} {place}"
            console.print(f"{head}: {combos_there} of {len(found)}", style="bold", soft_wrap=True)
            print_hands(console, node, player, found)


def _write(file: Path | None, noun: str, write: Callable[[TextIO], int]) -> None:
    """Writes to a file, or to stdout."""
    if file is None:
        write(sys.stdout)
        return
    try:
        with replacing_file(file) as part, part.open("w", newline="") as stream:
            number = write(stream)
    except OSError as error:
        raise OptionError(f"--output {file}", error.strerror or str(error)) from None
    print_note(f"wrote {file}, {format_count_of(number, noun)}")
