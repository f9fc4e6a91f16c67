"""`runout spot`: any node of a solved spot, all hands or one, and all cards that can come."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer
from rich.text import Text

from runout.cards.deck import format_card, format_cards
from runout.cards.flops import GivenFlop
from runout.cli import node_tables, options
from runout.cli.console import (
    Shown,
    print_json,
    print_parts,
    using_kernels,
    write_document,
    write_to,
)
from runout.cli.formatting import Json, bold, dim, format_chips, format_count_of, format_percent
from runout.cli.inspect import choose_ratio, find_flop, open_values
from runout.cli.node_tables import Cut
from runout.cli.options import argument, flag, option
from runout.config.spot import SpotConfig
from runout.errors import OptionError, quote
from runout.events import reporting_phase
from runout.solutions import node_files
from runout.solutions.breakdown import CardReport, Part, PartView, report_cards
from runout.solutions.flop_bundles import MOST_VERIFIED_BYTES, has_solution, load_spot
from runout.solutions.node import Measure, Node, Provenance
from runout.solutions.preflop import FLOPS_FOLDER, VALUES_FOLDER, find_bundle
from runout.solutions.run import open_run
from runout.solutions.sheet import Column, Sheet, rounded
from runout.solutions.solution import Solution
from runout.solutions.values import VALUES_KIND
from runout.storage.bundle import has_bundle, read_manifest
from runout.trees.actions import format_amount

if TYPE_CHECKING:
    from runout.solutions.flop import StoredSpot

_EVERYTHING = "all"
_BY_CARD = "card"
_LOCKED = " locked"

_DIR = "What `solve-spot`, `solve-postflop` or a joint `solve-preflop` wrote."
SpotArgument = Annotated[Path, argument("DIR", _DIR)]
NodeOption = Annotated[str, option("--node -n", "PATH", "Actions and cards, such as b60:c:8h:x.")]
_FLOP = "Of solved flops: which, in any suits."
FlopOption = Annotated[str | None, option("--flop -f", "CARDS", _FLOP)]
SprOption = Annotated[float | None, option("--spr", "X", "Of solved flops: stack over pot.")]
CsvFlag = Annotated[bool, flag("--csv", "Print the rows as CSV.")]
_FILE = "Where --json or --csv goes to."
FileOption = Annotated[Path | None, option("--output -o", "FILE", _FILE)]
_HAND = "Only this one: AKs, or two cards AhKh."
_BY = "A table by hand class, or by equity, instead of the grid."
_DEPTH = "With --json: steps below the node, or all (default 0)."


def show_spot(
    path: SpotArgument,
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    hand: Annotated[str | None, option("--hand", "HAND", _HAND)] = None,
    player: Annotated[
        Literal["oop", "ip", "sb", "bb"] | None,
        flag("--player", "Whose hands (default: who acts)."),
    ] = None,
    hands: options.RangeOption = None,
    classes: options.ClassOption = None,
    measure: Annotated[Measure | None, options.MEASURE] = None,
    compare: options.CompareOption = None,
    cut: Annotated[Cut | None, flag("--by", _BY)] = None,
    depth: Annotated[str | None, option("--depth", "N", _DEPTH)] = None,
    csv: CsvFlag = False,
    file: FileOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Show what is done at a node of a solved spot, what it is worth, and by which hands.

    Flops that `solve-postflop` or a run has kept are looked at in the same way; amounts are flop
    pots, and values those of the strategies with real cards. In a joint run a path begins before
    the flop, such as r2:c:Td9d6h:x, and amounts are big blinds.
    """
    given = {"--json": json, "--csv": csv, "--hand": hand, "--by": cut, "--show": measure}
    given |= {"--compare": compare is not None, "--range": hands is not None, "--class": classes}
    for names in _APART:
        options.require_at_most_one({name: given[name] not in (None, False) for name in names})
    if depth is not None and (not json or hand or cut or compare is not None):
        raise OptionError("--depth", "says how much --json writes, and goes with no other option")
    if file is not None and (hand is not None or not (json or csv)):
        raise OptionError("--output", "takes what --json or --csv write of a whole node")
    steps, part = _read_depth(depth), options.read_part(hands, classes)
    with opening_spot(path, flop, spr, node) as (view, note):
        whole = view.node(node)
        part = replace(part, player=_find_player(whole, player))
        found = options.narrow(whole, part)
        nodes = [found] if compare is None else [found, options.narrow(view.node(compare), part)]
        whose = part.player_at(found)
        chosen = None if hand is None else node_tables.choose_hands(found, hand, part.player)
        if chosen is not None and json:
            print_json(node_tables.hands_to_json(found, chosen))
        elif chosen is not None or not (json or csv):
            parts = _parts(view, nodes, part, measure, cut, chosen)
            print_parts(*parts, "", *_end(view, note, *nodes))
        elif csv and cut is not None:
            write_to(file, "part", node_tables.all_cuts(found, whose, cut).write_csv)
        elif csv:
            write_to(file, "hand", lambda out: node_files.write_node_csv(found, out, part.player))
        elif cut is not None:
            _write_json(file, node_tables.cuts_to_json(found, whose, cut))
        elif compare is not None:
            pair = dict(zip(("node", "compared"), map(node_files.node_to_json, nodes), strict=True))
            _write_json(file, {**node_files.document_head(view.quality), **pair})
        else:
            seen = PartView(view, part)
            write_to(file, "node", lambda out: node_files.write_json(seen, out, steps, node))


#: Options of which at most one can be given: they ask for different things.
_APART = (
    ("--json", "--csv"),
    ("--hand", "--by", "--compare"),
    *(("--show", other) for other in ("--json", "--csv", "--hand", "--by")),
    ("--hand", "--range"),
    ("--hand", "--class"),
    ("--compare", "--csv"),
)


def _find_player(node: Node, name: str | None) -> int | None:
    """Returns the number of a player, who has another name before the flop than after it."""
    if name is not None and name.upper() not in node.players:
        names = " and ".join(node.players)
        raise OptionError(f"--player {name}", f"is nobody there, {names} are")
    return None if name is None else node.players.index(name.upper())


def _parts(
    view: Solution,
    nodes: Sequence[Node],
    part: Part,
    measure: Measure | None,
    cut: Cut | None,
    chosen: node_tables.ChosenHands | None,
) -> list[Shown]:
    """Returns a node, or two side by side, of which a part of the hands is looked at."""
    node = nodes[0]
    player = part.player_at(node)
    if chosen is not None:
        return node_tables.hand_parts(node, chosen)
    if len(nodes) > 1:
        parts = node_tables.comparison_parts(
            nodes, list(map(node_tables.title, nodes)), player, measure
        )
    elif cut is not None:
        sheets = node_tables.cut_range(node, player, cut).values()
        parts = [*node_tables.fact_parts(node), *(part for sheet in sheets for part in ("", sheet))]
    else:
        parts = node_tables.node_parts(
            node, None if part.player is None and part.is_whole else player, measure
        )
    if not part.is_whole:
        parts.append(dim(options.describe_part(view.node(node.path), node, player)))
    return parts


def _end(view: Solution, note: str, *nodes: Node) -> list[Text]:
    """Returns how far what was shown can be trusted, and where it comes from."""
    return node_tables.quality_lines(view.quality, *nodes) + ([Text(note)] if note else [])


def _write_json(file: Path | None, document: Json) -> None:
    write_to(file, "document", lambda stream: write_document(document, stream))


@contextmanager
def opening_spot(
    path: Path, flop: str | None, spr: float | None, node: str
) -> Iterator[tuple[Solution, str]]:
    """Opens what was solved; yields it with where it comes from, empty for nowhere."""
    if flop is None:
        if spr is not None:
            raise OptionError("--spr", "goes with --flop only")
        if has_bundle(path / FLOPS_FOLDER):  # a joint run has its flops below its preflop tree
            yield open_run(path), ""
            return
        if has_bundle(values := find_bundle(path, VALUES_FOLDER)):
            if read_manifest(values).kind == VALUES_KIND:
                raise OptionError("--flop", f"{path} holds flops, say which one to look at")
        if has_solution(path):
            stored = load_spot(path)
            yield stored, _describe_origin(stored.config)
            return
    with using_kernels() as on_event:
        view, note = _open_tables(path) if flop is None else (_open_flop(path, flop, spr), "")
        with reporting_phase(on_event, "values of the node"):  # seconds for a flop; kept
            view.node(node)
        yield view, note


def _describe_origin(config: SpotConfig | None) -> str:
    return "" if config is None or config.origin is None else config.origin.describe()


def _open_tables(path: Path) -> tuple["StoredSpot", str]:
    """Opens the tables of a solver that have no solution beside them, with where they come from."""
    from runout.flops.spot_solution import SpotSolution

    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    solution = SpotSolution.load(path, verify=is_verified)
    return solution.view, _describe_origin(solution.config)


def _open_flop(path: Path, text: str, spr: float | None) -> "StoredSpot":
    """Opens a flop whose strategies were kept."""
    from runout.cfr.team import Team
    from runout.execution.pool import count_cores
    from runout.flops.solve import open_kept_flop

    given, bundle = GivenFlop.parse(text), open_values(path)
    if not bundle.solutions:
        raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
    chosen = choose_ratio(bundle, spr)
    find_flop(path, chosen, given)
    index = bundle.values.index(chosen)
    kept = open_kept_flop(bundle, given, index, Team(count_cores()))
    manifest = read_manifest(find_bundle(path, VALUES_FOLDER))
    assert kept.quality is not None
    kept.quality = replace(kept.quality, provenance=Provenance.of(manifest))
    return kept


def _read_depth(text: str | None) -> int | None:
    """Returns the number of steps, None for all of them."""
    if text is None:
        return 0
    if text == _EVERYTHING:
        return None
    if not text.isascii() or not text.isdigit():
        raise OptionError("--depth", f"{quote(text)} is not a whole number from 0 up, or all")
    return int(text)


_SORT = "card, share, an action such as b59, or ev-oop, equity-ip, eqr-ip, ..."
_SHARES = "share: how often the card comes, of the deals played on this line; all: the mean"


def report_spot(
    path: SpotArgument,
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    sort: Annotated[str, option("--sort -s", "COLUMN", _SORT)] = _BY_CARD,
    csv: CsvFlag = False,
    file: FileOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Show every card that can come at a node: what is done then, EV, equity and EQR.

    At a node where a card is dealt these are the decisions after it; at any other node those of the
    same line with another card. Cards that differ by suits only are one row.
    """
    options.require_at_most_one({"--json": json, "--csv": csv})
    if file is not None and not (json or csv):
        raise OptionError("--output", "takes what --json or --csv write")
    with opening_spot(path, flop, spr, node) as (view, note):
        report = _sorted(report_cards(view, node), sort)
        sheet, means = cards_sheet(report)
        if json:
            shown = card_report_to_json(report, sheet, means)
            _write_json(file, {**node_files.document_head(view.quality), **shown})
            return
        if csv:
            write_to(file, "row", sheet.write_csv)
            return
        for number, row in enumerate(report.rows):
            if report.chosen in row.cards:
                sheet.styles[number] = "bold"
        sheet.add(None, None, None, "all", *means, style="dim")
        likeliest = max((row.node for row in report.rows), key=lambda node: node.reach or 0.0)
        end = [dim(_SHARES), *_end(view, note, likeliest)]
        print_parts(_title(report), "", sheet, "", *end)


def cards_sheet(report: CardReport) -> tuple[Sheet, list[float]]:
    """Returns a row for each kind of card, and the means of all cards.

    Numbers say how often the card comes, what is done then, and what both players get.
    """
    nodes = [row.node for row in report.rows]
    first = nodes[0]
    columns = [Column("share", "share", format_percent)]
    numbers, means = [report.shares()], [1.0]
    if first.actor is not None:
        columns += [Column(action.label, action.code, format_percent) for action in first.actions]
        frequencies = np.stack([node.frequency() for node in nodes], axis=1)
        numbers += list(frequencies)
        means += map(report.mean, frequencies)
    for player, name in enumerate(first.players):
        end = name.lower()
        columns += [
            Column(f"{name} EV", f"ev-{end}", format_chips),
            Column("equity", f"equity-{end}", format_percent),
            Column("EQR", f"eqr-{end}", format_percent),
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


def _sorted(report: CardReport, key: str) -> CardReport:
    """Returns the rows in the order of a column, the largest number first; cards from aces down."""
    sheet, _ = cards_sheet(report)
    places = {c.key: n for n, c in enumerate(sheet.columns) if c.key == _BY_CARD or c.form}
    if key not in places:
        known = ", ".join(places)
        raise OptionError("--sort", f"{quote(key)} is no column, use one of {known}")
    if key == _BY_CARD:
        return report
    values = np.nan_to_num([row[places[key]] for row in sheet.rows], nan=-math.inf)
    return replace(report, rows=tuple(report.rows[n] for n in np.argsort(-values, kind="stable")))


def _title(report: CardReport) -> Text:
    first, before = report.rows[0].node, report.before
    who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
    cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
    facts = f"   node {_line(report)}, pot {format_amount(first.pot)}"
    return bold(f"{who} after {cards} on {format_cards(before.board)}").append(facts, "not bold")


def _line(report: CardReport) -> str:
    """Returns the path of all rows, with CARD where theirs is."""
    first = report.rows[0]
    dealt = report.before.path_after(format_card(first.cards[0]))
    return report.before.path_after("CARD") + first.node.path.removeprefix(dealt)


def card_report_to_json(report: CardReport, sheet: Sheet, means: list[float]) -> Json:
    """Returns a report under JSON names; nodes are told without their hands."""
    keys = [column.key for column in sheet.columns if column.form is not None]
    rows = [
        {
            "cards": list(map(format_card, row.cards)),
            "share": record["share"],
            **node_files.node_summary_to_json(row.node),
        }
        for row, record in zip(report.rows, sheet.records(), strict=True)
    ]
    return {
        "path": _line(report),
        "before": report.before.path,
        "chosen": None if report.chosen is None else format_card(report.chosen),
        "mean": dict(zip(keys, map(rounded, means), strict=True)),
        "rows": rows,
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
