"""`runout spot`: any node of a solved spot, all hands or one, and all cards that can come."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.text import Text

from runout.cards.deck import format_card, format_cards
from runout.cards.flops import GivenFlop
from runout.cli.console import output, using_kernels, write_document, write_to
from runout.cli.formatting import Json, format_count_of
from runout.cli.inspect import choose_ratio, find_flop, open_values
from runout.cli.node_tables import (
    Cut,
    cuts_to_json,
    print_comparison,
    print_cuts,
    print_facts,
    print_node,
    print_quality,
    read_hand_option,
    show_hands,
    write_cuts_csv,
)
from runout.cli.options import (
    ClassOption,
    CompareOption,
    JsonFlag,
    MeasureOption,
    OptionError,
    RangeOption,
    describe_part,
    narrow,
    read_part,
    read_path,
    require_at_most_one,
)
from runout.cli.sheets import Column, Sheet, format_chips, format_share
from runout.config.spot import SpotConfig
from runout.errors import quote
from runout.events import reporting_phase
from runout.solutions.breakdown import CardReport, CardsView, Part, PartView, report_cards
from runout.solutions.flop_bundles import MOST_VERIFIED_BYTES, has_solution, load_spot
from runout.solutions.node import Measure, Node, Provenance
from runout.solutions.node_files import (
    View,
    document_head,
    node_summary_to_json,
    node_to_json,
    rounded,
    write_json,
    write_node_csv,
)
from runout.solutions.preflop import FLOPS_FOLDER, VALUES_FOLDER, find_bundle
from runout.solutions.run import open_run
from runout.solutions.values import VALUES_KIND
from runout.storage.bundle import has_bundle, read_manifest
from runout.trees.actions import format_amount

if TYPE_CHECKING:
    from runout.solutions.flop import StoredSpot

_EVERYTHING = "all"
_BY_CARD = "card"
_LOCKED = " locked"


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
FileOption = Annotated[
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
    file: FileOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what is done at a node of a solved spot, what it is worth, and by which hands.

    Flops that `solve-postflop` or a run has kept are looked at in the same way; amounts are flop
    pots, and values those of the strategies with real cards. In a joint run a path begins before
    the flop, such as r2-c:Td9d6h:x, and amounts are big blinds.
    """
    given = {"--json": json, "--csv": csv, "--hand": hand, "--by": cut, "--show": measure}
    given |= {"--compare": compare is not None, "--range": hands is not None, "--class": classes}
    for names in _APART:
        require_at_most_one({name: given[name] not in (None, False) for name in names})
    _require_flop(spr, flop)
    if depth is not None and (not json or hand or cut or compare is not None):
        raise OptionError("--depth", "says how much --json writes, and goes with no other option")
    if file is not None and (hand is not None or not (json or csv)):
        raise OptionError("--output", "takes what --json or --csv write of a whole node")
    steps = _read_depth(depth)
    combos = None if hand is None else read_hand_option(hand)
    part = read_part(hands, classes)
    with opening_spot(path, flop, spr, node) as (view, note):
        whole = view.node(node)
        part = replace(part, player=None if player is None else player.number_at(whole))
        found = narrow(whole, part)
        nodes = [found] if compare is None else [found, narrow(view.node(compare), part)]
        if combos is not None:
            show_hands(found, hand or "", combos, part.player, json)
            if not json:
                _print_end(view, note, nodes)
        elif cut is not None and (json or csv):
            _write_cuts(file, found, part.player_at(found), cut, json)
        elif compare is not None and json:
            pair = dict(zip(("node", "compared"), map(node_to_json, nodes), strict=True))
            _write_json(file, {**document_head(view.quality), **pair})
        elif json:
            seen = PartView(view, part)
            write_to(file, "node", lambda stream: write_json(seen, stream, steps, node))
        elif csv:
            write_to(file, "hand", lambda stream: write_node_csv(found, stream, part.player))
        else:
            _print(view, nodes, part, measure, cut)
            _print_end(view, note, nodes)


#: Options of which at most one can be given: they ask for different things.
_APART = (
    ("--json", "--csv"),
    ("--hand", "--by", "--compare"),
    *(("--show", other) for other in ("--json", "--csv", "--hand", "--by")),
    ("--hand", "--range"),
    ("--hand", "--class"),
    ("--compare", "--csv"),
)


def _print(
    view: View, nodes: Sequence[Node], part: Part, measure: Measure | None, cut: Cut | None
) -> None:
    """Prints a node, or two side by side, of which a part of the hands is looked at."""
    console, node = output(), nodes[0]
    player = part.player_at(node)
    if len(nodes) > 1:
        print_comparison(console, (node, nodes[1]), player, measure)
    elif cut is not None:
        print_facts(console, node)
        console.print()
        print_cuts(console, node, player, cut)
    else:
        chosen = None if part.player is None and part.is_whole else player
        print_node(console, node, chosen, measure)
    if not part.is_whole:
        told = describe_part(view.node(node.path), node, player)
        console.print(told, style="dim", soft_wrap=True)


def _print_end(view: View, note: str, nodes: Sequence[Node]) -> None:
    """Prints how far what was shown can be trusted, and where it comes from."""
    console = output()
    console.print()
    print_quality(console, view.quality, *nodes)
    if note:
        console.print(note, soft_wrap=True, markup=False)


def _write_cuts(file: Path | None, node: Node, player: int, cut: Cut, json: bool) -> None:
    if json:
        _write_json(file, cuts_to_json(node, player, cut))
    else:
        write_to(file, "part", lambda stream: write_cuts_csv(node, player, cut, stream))


def _write_json(file: Path | None, document: Json) -> None:
    write_to(file, "document", lambda stream: write_document(document, stream))


def _require_flop(spr: float | None, flop: str | None) -> None:
    if spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop only")


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


def _open_tables(path: Path) -> tuple["StoredSpot", str]:
    """Opens the tables of a solver that have no solution beside them, with where they come from."""
    from runout.flops.spot_solution import SpotSolution

    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    solution = SpotSolution.load(path, verify=is_verified)
    return solution.view, _describe_origin(solution.config)


def _open_flop(path: Path, text: str, spr: float | None) -> "StoredSpot":
    """Opens a flop whose strategies were kept.

    Raises:
        OptionError: if it was not solved, or no strategies were kept.
    """
    from runout.cfr.team import Team
    from runout.execution.pool import count_cores
    from runout.flops.live_spot import open_kept_flop
    from runout.flops.solve import PostflopAbstraction

    given, bundle = GivenFlop.parse(text), open_values(path)
    if not bundle.solutions:
        raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
    chosen = choose_ratio(bundle, spr)
    find_flop(path, chosen, given)
    solved = PostflopAbstraction.from_bundle(bundle)
    index = bundle.values.index(chosen)
    kept = open_kept_flop(solved, given, index, Team(count_cores()))
    manifest = read_manifest(find_bundle(path, VALUES_FOLDER))
    assert kept.quality is not None
    kept.quality = replace(kept.quality, provenance=Provenance.of(manifest))
    return kept


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


def report_spot(
    path: SpotArgument,
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            "-s",
            metavar="COLUMN",
            help="card, share, an action such as b59, or ev-oop, equity-ip, eqr-ip, ...",
        ),
    ] = _BY_CARD,
    csv: CsvFlag = False,
    file: FileOption = None,
    json: JsonFlag = False,
) -> None:
    """Show every card that can come at a node: what is done then, EV, equity and EQR.

    At a node where a card is dealt these are the decisions after it; at any other node those of the
    same line with another card. Cards that differ by suits only are one row.
    """
    require_at_most_one({"--json": json, "--csv": csv})
    _require_flop(spr, flop)
    if file is not None and not (json or csv):
        raise OptionError("--output", "takes what --json or --csv write")
    with opening_spot(path, flop, spr, node) as (view, note):
        report = report_cards(view, node)
        sheet, means = cards_sheet(report)
        order = _order(sheet, sort)
        if json:
            shown = card_report_to_json(report, sheet, means, order)
            _write_json(file, {**document_head(view.quality), **shown})
            return
        sheet.rows[:] = [sheet.rows[number] for number in order]
        if csv:
            write_to(file, "row", sheet.write_csv)
            return
        for place, number in enumerate(order):
            if report.chosen in report.rows[number].cards:
                sheet.styles[place] = "bold"
        sheet.add(None, None, None, "all", *means, style="dim")
        console = output()
        console.print(_title(report), soft_wrap=True)
        console.print()
        sheet.print_in_full(console)
        console.print()
        shares = "share: how often the card comes, of the deals played on this line; all: the mean"
        console.print(shares, style="dim", soft_wrap=True)
        likeliest = max((row.node for row in report.rows), key=lambda node: node.reach or 0.0)
        print_quality(console, view.quality, likeliest)
        if note:
            console.print(note, soft_wrap=True, markup=False)


def cards_sheet(report: CardReport) -> tuple[Sheet, list[float]]:
    """Returns a row for each kind of card, and the means of all cards.

    Numbers say how often the card comes, what is done then, and what both players get.
    """
    nodes = [row.node for row in report.rows]
    first = nodes[0]
    columns = [Column("share", "share", format_share)]
    numbers, means = [report.shares()], [1.0]
    if first.actor is not None:
        columns += [Column(action.label, action.code, format_share) for action in first.actions]
        frequencies = np.stack([node.frequency() for node in nodes], axis=1)
        numbers += list(frequencies)
        means += map(report.mean, frequencies)
    for player, name in enumerate(first.players):
        end = name.lower()
        columns += [
            Column(f"{name} EV", f"ev-{end}", format_chips),
            Column("equity", f"equity-{end}", format_share),
            Column("EQR", f"eqr-{end}", format_share),
        ]
        ev = np.array([node.range_ev(player) for node in nodes])
        equity = np.array([node.range_equity(player) for node in nodes])
        numbers += [ev, equity, np.array([node.eqr(player) for node in nodes])]
        mean_ev, mean_equity = report.mean(ev), report.mean(equity)
        share = first.pot * mean_equity
        means += [mean_ev, mean_equity, mean_ev / share if share > 0.0 else math.nan]
    in_files = [Column(None, key) for key in (_BY_CARD, "cards", "alike")]
    sheet = Sheet((*in_files, Column("card"), *columns))
    for row, cells in zip(report.rows, np.stack(numbers, axis=1).tolist(), strict=True):
        name, *alike = map(format_card, row.cards)
        shown = row.name + (_LOCKED if row.node.is_locked else "")
        sheet.add(name, len(row.cards), " ".join(alike), shown, *cells)
    return sheet, means


def _order(sheet: Sheet, key: str) -> list[int]:
    """Returns the rows in the order of a column, the largest number first; cards from aces down.

    Raises:
        OptionError: if there is no such column.
    """
    places = {c.key: n for n, c in enumerate(sheet.columns) if c.key == _BY_CARD or c.form}
    if key not in places:
        known = ", ".join(places)
        raise OptionError("--sort", f"{quote(key)} is no column, use one of {known}")
    if key == _BY_CARD:
        return list(range(len(sheet.rows)))
    values = np.array([row[places[key]] for row in sheet.rows])
    return [int(row) for row in np.argsort(-np.nan_to_num(values, nan=-math.inf), kind="stable")]


def _title(report: CardReport) -> Text:
    first, before = report.rows[0].node, report.before
    who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
    cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
    title = Text(f"{who} after {cards} on {format_cards(before.board)}", style="bold")
    line = _line(report)
    return title.append(f"   node {line}, pot {format_amount(first.pot)}", "not bold")


def _line(report: CardReport) -> str:
    """Returns the path of all rows, with CARD where theirs is."""
    first = report.rows[0]
    dealt = report.before.path_after(format_card(first.cards[0]))
    return report.before.path_after("CARD") + first.node.path.removeprefix(dealt)


def card_report_to_json(
    report: CardReport, sheet: Sheet, means: list[float], order: list[int]
) -> Json:
    """Returns a report under JSON names; nodes are told without their hands."""
    shares = report.shares().tolist()
    keys = [column.key for column in sheet.columns if column.form is not None]
    return {
        "path": _line(report),
        "before": report.before.path,
        "chosen": None if report.chosen is None else format_card(report.chosen),
        "mean": dict(zip(keys, map(rounded, means), strict=True)),
        "rows": [
            {
                "cards": [format_card(card) for card in report.rows[number].cards],
                "share": rounded(shares[number]),
                **node_summary_to_json(report.rows[number].node),
            }
            for number in order
        ],
    }


app = typer.Typer(no_args_is_help=True, help="Look into solved spots.")
app.command(
    "show",
    epilog="Example: runout spot show runs/river --node x --hand KK ; "
    'runout spot show runs/river --player ip --range "22+,A2s+" --show eqr ; '
    "runout spot show runs/flop --node b59:c:8h --class sets,-flush-draws --by class ; "
    "runout spot show runs/flop --node b59:c:8h --compare b59:c:2c",
)(show_spot)
app.command(
    "report",
    epilog="Example: runout spot report runs/flop --node x:b59:c ; "
    "runout spot report runs/flop --node x:b59:c:8h:x --sort ev-ip --csv -o turns.csv",
)(report_spot)
