"""`runout spot show`: any node of a solved spot, all hands or one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from runout.cards.flops import GivenFlop
from runout.cli.breakdown_tables import Cut, cuts_to_json, print_cuts, write_cuts_csv
from runout.cli.console import output, using_kernels
from runout.cli.node_compare import choose_measure, print_comparison
from runout.cli.options import JsonFlag, OptionError, read_path, require_at_most_one
from runout.cli.output_files import write_document, write_to
from runout.cli.part_options import (
    ClassOption,
    CompareOption,
    MeasureOption,
    RangeOption,
    describe_part,
    narrow,
    read_part,
)
from runout.cli.quality_lines import print_quality, print_warnings
from runout.cli.spot_hands import read_hand, show_hands
from runout.cli.spot_node import (
    print_facts,
    print_node,
    print_titles,
)
from runout.cli.values import choose_ratio, find_flop, open_values
from runout.config.spot import SpotConfig
from runout.errors import quote
from runout.events import reporting_phase
from runout.results.run_folders import FLOPS_FOLDER, VALUES_FOLDER, find_bundle
from runout.results.value_bundle import KIND as VALUES_KIND
from runout.storage.bundle import has_bundle, read_manifest
from runout.views.card_report import CardsView
from runout.views.measures import Measure
from runout.views.node import Node
from runout.views.node_files import View, document_head, write_json, write_node_csv
from runout.views.node_json import node_to_json
from runout.views.quality import Provenance
from runout.views.run_view import open_run
from runout.views.selection import Part, PartView
from runout.views.spot_bundle import MOST_VERIFIED_BYTES, has_solution, load_spot

if TYPE_CHECKING:
    from runout.postflop.spot.spot_view import SpotView

_EVERYTHING = "all"


class Player(StrEnum):
    """The players, after the flop and before it."""

    OOP = "oop"
    IP = "ip"
    SB = "sb"
    BB = "bb"

    def number_at(self, node: Node) -> int:
        """Returns the number of the player at a node.

        Raises:
            OptionError: if it has another name there: SB and BB act before the flop.
        """
        name = self.value.upper()
        if name not in node.players:
            names = " and ".join(node.players)
            raise OptionError(f"--player {self.value}", f"is nobody there, {names} are")
        return node.players.index(name)


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

SpotArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        parser=read_path,
        help="What `solve-spot`, `solve-postflop` or a joint `solve-preflop` wrote.",
    ),
]
CsvFlag = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", parser=read_path, help="Where --json or --csv goes to."
    ),
]
_HandOption = Annotated[
    str | None,
    typer.Option("--hand", metavar="HAND", help="Only this one: AKs, or two cards AhKh."),
]
_PlayerOption = Annotated[
    Player | None, typer.Option("--player", help="Whose hands (default: who acts).")
]
_CutOption = Annotated[
    Cut | None,
    typer.Option("--by", help="A table by hand class, or by equity, instead of the grid."),
]


def show_spot(
    path: SpotArgument,
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    hand: _HandOption = None,
    player: _PlayerOption = None,
    hands: RangeOption = None,
    classes: ClassOption = None,
    measure: MeasureOption = None,
    compare: CompareOption = None,
    cut: _CutOption = None,
    depth: DepthOption = None,
    csv: CsvFlag = False,
    file: OutputOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what is done at a node of a solved spot, what it is worth, and by which hands.

    Flops that `solve-postflop` or a run has kept are looked at in the same way; amounts are flop
    pots, and values those of the strategies with real cards. In a joint run a path begins before
    the flop, such as r2-c:Td9d6h:x, and amounts are big blinds.
    """
    _require_fitting(
        {"--json": json, "--csv": csv, "--hand": hand is not None, "--by": cut is not None}
        | {"--show": measure is not None, "--compare": compare is not None}
        | {"--range": hands is not None, "--class": classes is not None}
    )
    if spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop only")
    if depth is not None and (not json or hand or cut or compare is not None):
        raise OptionError("--depth", "says how much --json writes, and goes with no other option")
    if file is not None and (hand is not None or not (json or csv)):
        raise OptionError("--output", "takes what --json or --csv write of a whole node")
    steps = _read_depth(depth)
    combos = None if hand is None else read_hand(hand)
    part = read_part(hands, classes)
    with opening_spot(path, flop, spr, node) as (view, note):
        whole = view.node(node)
        part = replace(part, player=None if player is None else player.number_at(whole))
        found = narrow(whole, part)
        looked_at = part.player_at(found)
        if combos is not None:
            show_hands(found, hand or "", combos, part.player, json)
            if not json:
                _print_end(view, note, (found,))
        elif cut is not None and (json or csv):
            _write_cuts(file, found, looked_at, cut, json)
        elif compare is not None and json:
            _write_comparison(file, view, found, narrow(view.node(compare), part))
        elif json:
            seen = PartView(view, part)
            write_to(file, "node", lambda stream: write_json(seen, stream, steps, node))
        elif csv:
            write_to(file, "hand", lambda stream: write_node_csv(found, stream, part.player))
        else:
            others = None if compare is None else narrow(view.node(compare), part)
            _print(view, note, found, _Wish(part, measure, others, cut))


class _Wish(NamedTuple):
    """What is printed of a node: of which hands, in which grid, beside what, cut how."""

    part: Part
    measure: Measure | None
    compared: Node | None
    cut: Cut | None


def _print(view: View, note: str, node: Node, wish: _Wish) -> None:
    console, player = output(), wish.part.player_at(node)
    if wish.compared is not None:
        pair = (node, wish.compared)
        measure = choose_measure(pair, player, wish.measure)
        print_titles(console, pair)
        print_comparison(console, pair, player, measure)
    elif wish.cut is not None:
        print_facts(console, node)
        console.print()
        print_cuts(console, node, player, wish.cut)
    else:
        chosen = None if wish.part.player is None and wish.part.is_whole else player
        print_node(console, node, chosen, wish.measure)
    if not wish.part.is_whole:
        whole = view.node(node.path)
        console.print(describe_part(whole, node, player), style="dim", soft_wrap=True)
    _print_end(view, note, (node,) if wish.compared is None else (node, wish.compared))


def _print_end(view: View, note: str, nodes: Sequence[Node]) -> None:
    """Prints how far what was shown can be trusted, and where it comes from."""
    console = output()
    console.print()
    print_quality(console, view.quality)
    for node in nodes:
        print_warnings(console, node)
    if note:
        console.print(note, soft_wrap=True, markup=False)


def _require_fitting(given: Mapping[str, bool]) -> None:
    """Raises `OptionError` if two options were given that ask for different things."""
    require_at_most_one({name: given[name] for name in ("--json", "--csv")})
    require_at_most_one({name: given[name] for name in ("--hand", "--by", "--compare")})
    for other in ("--json", "--csv", "--hand", "--by"):
        require_at_most_one({"--show": given["--show"], other: given[other]})
    for name in ("--range", "--class"):
        require_at_most_one({"--hand": given["--hand"], name: given[name]})
    require_at_most_one({"--compare": given["--compare"], "--csv": given["--csv"]})


def _write_cuts(file: Path | None, node: Node, player: int, cut: Cut, json: bool) -> None:
    if not json:
        write_to(file, "part", lambda stream: write_cuts_csv(node, player, cut, stream))
        return
    document = cuts_to_json(node, player, cut)
    write_to(file, "document", lambda stream: write_document(document, stream))


def _write_comparison(file: Path | None, view: View, node: Node, other: Node) -> None:
    nodes = {"node": node_to_json(node), "compared": node_to_json(other)}
    document = {**document_head(view.quality), **nodes}
    write_to(file, "document", lambda stream: write_document(document, stream))


@contextmanager
def opening_spot(
    path: Path, flop: str | None, spr: float | None, node: str
) -> Iterator[tuple[CardsView, str]]:
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
