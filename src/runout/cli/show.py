"""`runout show` and `export`: any node of any result, in the terminal or as a file."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import numpy as np
from rich.text import Text

from runout.cards.deck import HAND_BY_COMBO, HAND_NAMES, format_cards
from runout.cards.flops import GivenFlop
from runout.cards.ranges import Range
from runout.cli import console, formatting, inspect, node_tables, options
from runout.cli.console import Shown, print_json, print_parts, show
from runout.cli.formatting import Json, bold, dim, format_count_of, format_percent, format_signed
from runout.cli.node_tables import EV_WORDS
from runout.cli.options import argument, flag, option
from runout.cli.plots import ExploitabilityCurve
from runout.errors import CardError, OptionError, RangeError, quote
from runout.events import reporting_phase
from runout.solutions import node_files, run, tables
from runout.solutions.flop_bundles import FLOPS_KIND, MOST_VERIFIED_BYTES, SPOT_KIND, has_solution
from runout.solutions.node import SMALLEST_REACH, HandSpace, Node, Solution
from runout.solutions.preflop import PREFLOP_KIND, PreflopSolution
from runout.solutions.reports import REPORT_KIND, TableChoice, flops_report_to_json, load_report
from runout.solutions.sheet import Column, Sheet, columns, write_csv, write_parquet
from runout.solutions.tables import Measure, Part, PartView, report_cards
from runout.solutions.values import VALUES_KIND, ValueSource
from runout.storage.bundle import read_manifest
from runout.storage.files import replacing_file
from runout.trees.actions import format_amount
from runout.trees.betting import BB, SB

#: Hands that arrive less often are left out of ranges, whose weights have so many digits.
SMALLEST_WEIGHT = 0.005
_WEIGHT_DIGITS = 2

_EXTRAPOLATED = "bold yellow"
_EVERYTHING = "all"
_NO_ROUNDS = "its flops were not solved again in rounds"

PathArgument = Annotated[Path, argument("DIR", "Directory that a solve or a report wrote.")]
_NODE = 'Path of a node: x:b59:c:8h, r2.5:c, "bet 33%, call".'
NodeOption = Annotated[str | None, option("--node -n", "PATH", _NODE)]
PlayerOption = Annotated[
    Literal["sb", "bb", "oop", "ip"] | None, flag("--player -p", "Default: the player to act.")
]
RangeOption = Annotated[str | None, option("--range", "RANGE", 'Only these hands: "22+,A2s+".')]
_CLASSES = "Only these hand classes: sets,flush-draws; without one: -top-pair."
ClassOption = Annotated[str | None, option("--class", "NAMES", _CLASSES)]
_MEASURE = "Measure in the grid (default: the strategy)."
_EV = "from-here: folding is 0; net: since the start of the hand."
EvOption = Annotated[Literal["from-here", "net"], flag("--ev", _EV)]
FlopOption = Annotated[str | None, option("--flop", "CARDS", "Flop, if several were solved.")]
SprOption = Annotated[float | None, option("--spr", "X", "Stack over pot, if there are several.")]
_BY = "Table by hand class, equity or next card."
ByOption = Annotated[Literal["class", "equity", "card"] | None, flag("--by", _BY)]
_SORT = "Order of --by card: card, share, b59, ev-oop, eqr-ip."
_TRACE = "Follow a hand through all decisions before the flop."


def show_result(
    path: PathArgument,
    node: NodeOption = None,
    player: PlayerOption = None,
    hand: Annotated[str | None, option("--hand", "HAND", "These hands: AK, AKs or AhKh.")] = None,
    hands: RangeOption = None,
    classes: ClassOption = None,
    measure: Annotated[Measure | None, flag("--show", _MEASURE)] = None,
    compare: Annotated[str | None, option("--compare", "PATH", "Compare with this node.")] = None,
    by: ByOption = None,
    sort: Annotated[str, option("--sort -s", "COLUMN", _SORT)] = tables.BY_CARD,
    ev: EvOption = "from-here",
    ranges: Annotated[bool, flag("--ranges", "Both ranges as text, for solve-spot.")] = False,
    exact: Annotated[bool, flag("--exact", "With --ranges: all hands and digits.")] = False,
    round_number: Annotated[int | None, flag("--round", "Round of a run with rounds.")] = None,
    trace: Annotated[str | None, option("--trace", "HAND", _TRACE)] = None,
    flop: FlopOption = None,
    spr: SprOption = None,
    check: Annotated[bool, flag("--check", "Origin and files; all are verified.")] = False,
    flops: Annotated[bool, flag("--flops", "List all solved flops.")] = False,
    json: options.JsonFlag = False,
) -> None:
    """Show any result: first decisions, a node, a hand, or a report.

    EV is what a player wins from the node on; chips in the pot belong to the pot. So folding is 0,
    and winning an uncontested pot is the pot. --ev net counts from the start of the hand.
    """
    modes = {"--check": check, "--trace": trace, "--ranges": ranges}
    modes |= {"--hand": hand, "--by": by, "--compare": compare is not None}
    options.require_at_most_one({name: bool(given) for name, given in modes.items()})
    others = {name: given for name, given in modes.items() if name != "--compare"}
    for name, given in {**others, "--json": json}.items():
        options.require_at_most_one({"--show": measure is not None, name: bool(given)})
    if spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop")
    if check:
        inspect.check_bundles(path, flops, json)
    elif not _show_overview(path, node, flop, flops, json):
        part = read_part(hands, classes, player)
        with opening(path, flop, spr, round_number, node or "") as view:
            look = _Look(view, part, ev == "net", json)
            if trace is not None:
                look.trace(trace)
            elif ranges:
                look.ranges(node or "", exact)
            elif by == "card":
                look.cards(node or "", sort)
            elif by is not None:
                look.groups(node or "", by)
            elif hand is not None:
                look.hands(node or "", hand)
            else:
                look.nodes(node, compare, measure)


def _show_overview(path: Path, node: str | None, flop: str | None, flops: bool, json: bool) -> bool:
    """Shows a result that has no nodes; returns whether it is one."""
    kind, place = run.find_result(path)
    if kind == REPORT_KIND:
        from runout.cli.report import report_parts

        report, choice = load_report(path), TableChoice()
        show(json, flops_report_to_json(report, choice), *report_parts(report, choice))
    elif kind == inspect.ABSTRACTION_KIND:
        from runout.cli.buckets import show_abstraction

        show_abstraction(place, json)
    elif kind == VALUES_KIND and flop is None:
        if node is not None:
            raise OptionError("--flop", f"is missing, {path} holds several flops")
        inspect.show_values(place, flops, json)
    else:
        return False
    return True


@contextmanager
def opening(
    path: Path, flop: str | None, spr: float | None, round_number: int | None, node: str
) -> Iterator[Solution]:
    """Opens a result that has nodes, or a flop of one whose strategies were kept."""
    kind, place = run.find_result(path)
    is_run = flop is None and kind in (PREFLOP_KIND, FLOPS_KIND)
    if is_run or (flop is None and kind == SPOT_KIND and has_solution(place)):
        view = run.open(path)
        if round_number is not None and isinstance(view, PreflopSolution):
            last = len(view.earlier_strategies)
            if not (last and 0 <= round_number <= last):
                rounds = f"it has 0 to {last}" if last else _NO_ROUNDS
                raise OptionError("--round", f"{round_number} is no round of this run, {rounds}")
            view = view.of_round(round_number)
        yield view
        return
    with console.using_kernels() as on_event:
        from runout.cfr.team import Team
        from runout.execution.pool import count_cores
        from runout.flops.solve import SolvedFlop
        from runout.flops.spot_solution import SpotSolution

        if flop is None:  # tables of a solver that have no solution beside them
            is_verified = read_manifest(place).size_bytes <= MOST_VERIFIED_BYTES
            kept = SpotSolution.load(place, verify=is_verified).view
        else:
            given, bundle = GivenFlop.parse(flop), inspect.open_values(path)
            if not bundle.solutions:
                raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
            kept = SolvedFlop.load(bundle, given.name, spr, team=Team(count_cores())).view
            assert kept.quality is not None
            kept.quality = replace(kept.quality, provenance=bundle.provenance)
        with reporting_phase(on_event, "values of the node"):  # seconds for a flop; kept
            kept.node(node)
        yield kept


def read_part(hands: str | None, classes: str | None, player: str | None = None) -> Part:
    """Returns which hands ``--range`` and ``--class`` choose, of either player or the named one."""
    try:
        hand_range = None if hands is None else Range(hands)
    except RangeError as error:
        raise OptionError("--range", str(error)) from error
    try:
        choice = None if classes is None else tables.parse_class_choice(classes)
    except CardError as error:
        raise OptionError("--class", error.problem) from error
    return Part(player, hand_range, choice)


@dataclass(frozen=True)
class _Look:
    """A look at some hands of a solution, as the options ask for it.

    EVs are net or from the node on; it is printed for people or as a document.
    """

    view: Solution
    part: Part
    is_net: bool
    json: bool

    def node(self, path: str) -> Node:
        """Returns a node with the hands to show; refuses a part without hands."""
        whole, part = self.view.node(path), self.part
        node, player = part.of(whole), part.player_at(whole)
        if not part.is_whole and not node.is_held[player].any():
            given, place = "--range" if part.classes is None else "--class", node.path or "the root"
            raise OptionError(given, f"leaves nothing of {node.players[player]}'s range at {place}")
        return node.net() if self.is_net else node

    def print(self, document: Json, parts: Iterable[Shown], *nodes: Node) -> None:
        """Prints the document, or the parts with quality, warnings about nodes and the origin."""
        lines = node_tables.quality_lines(self.view.quality, *nodes)
        show(self.json, document, *parts, "", *lines, *([self.view.note] if self.view.note else []))

    def nodes(self, path: str | None, compare: str | None, measure: Measure | None) -> None:
        """Shows a node, two nodes side by side, or the first decisions."""
        view, part = self.view, self.part
        if path is None and compare is None and isinstance(view, PreflopSolution):
            standard = [view.node_at(number) for number in view.standard_nodes()]
            nodes = [self.node(one.path) for one in standard if part.player_at(one) == one.actor]
            report = *decision_parts(nodes, measure), "", *report_parts(view)
            show(self.json, nodes_to_json(view, nodes), *report)
            return
        nodes = [self.node(one) for one in (path or "", compare) if one is not None]
        node, player = nodes[0], part.player_at(nodes[0])
        if compare is not None:
            grid = node_tables.grid_parts(nodes, player, measure)
            titles = map(node_tables.title, nodes)
            heads = [Text(f"{n}  ").append_text(head) for n, head in enumerate(titles, start=1)]
            remark = "difference: the first node minus the second\n" + EV_WORDS[self.is_net]
            parts = [*heads, "", tables.comparison_sheet(nodes), dim(remark), "", *grid]
        else:
            is_default = part.player is None and part.is_whole
            parts = node_tables.node_parts(node, None if is_default else player, measure)
            sheet = Sheet((Column("after", style="dim"), Column("answer", wraps=True)))
            for action in node.actions:
                answer = view.node(node.path_after(action.code))
                shares = zip(answer.actions, answer.frequency().tolist(), strict=True)
                if answer.actor is not None:
                    words = [f"{one.label} {format_percent(often, 1)}" for one, often in shares]
                    sheet.add(action.code, f"{answer.players[answer.actor]} {'   '.join(words)}")
            parts += ["", sheet] if sheet.rows else []
        if not part.is_whole:
            combos, of_all = node.combos(player), view.node(node.path).combos(player)
            share = f" ({100 * combos / of_all:.1f}%)" if of_all > 0.0 else ""
            held = f"{node.players[player]}'s {of_all:,.2f} combos{share}"
            parts.append(dim(f"only {combos:,.2f} of {held}"))
        self.print(nodes_to_json(view, nodes), parts, *nodes)

    def hands(self, path: str, text: str) -> None:
        """Shows single hands of a node: how much arrives, values and actions."""
        node, document = self.node(path), dict[str, Any]()
        parts: list[Shown] = [node_tables.title(node)]
        asked = None if self.part.player is None else self.part.player_at(node)
        for player, held in tables.choose_hands(node, text, asked).items():
            name, sheet = node.players[player], tables.hands_sheet(node, player, held)
            document[name] = sheet.records()
            if held:
                num_combos = node.hand_space.num_combos[held]
                arriving = float((node.weights[player, held] * num_combos).sum())
                combos = f"{format_count_of(arriving, 'combo')} of {num_combos.sum()}"
                parts += ["", bold(f"{text} of {name}: {combos}")]
                is_actor = player == node.actor
                parts += node_tables.action_parts(node, sheet) if is_actor else [sheet]
        place = {"path": node.path, "board": format_cards(node.board)}
        self.print({**place, **document}, parts, node)

    def groups(self, path: str, by: tables.Grouping) -> None:
        """Shows a range by groups of hands."""
        node = self.node(path)
        player = self.part.player_at(node)
        sheets = tables.group_sheets(node, player, by).values()
        parts = [*node_tables.fact_parts(node), *(p for sheet in sheets for p in ("", sheet))]
        self.print(tables.groups_to_json(node, player, by), parts, node)

    def cards(self, path: str, sort: str) -> None:
        """Shows every kind of card that can come at a node, and the means over all cards."""
        report = tables.sort_cards(report_cards(self.view, path), sort)
        first = report.rows[0].node
        who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
        cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
        head = bold(f"{who} after {cards} on {format_cards(report.before.board)}")
        head.append(f"   pot {format_amount(first.pot)}\nnode {report.path}", "not bold")
        shares = "share: how often the card comes on this line; all: the mean over cards"
        remark = dim(f"{shares}\n{EV_WORDS[first.is_net]}")
        parts: list[Shown] = [head, "", tables.cards_sheet(report), remark]
        document = node_files.document_head(self.view.quality) | tables.cards_to_json(report)
        likeliest = max((row.node for row in report.rows), key=lambda node: node.reach or 0.0)
        self.print(document, parts, likeliest)

    def ranges(self, path: str, exact: bool) -> None:
        """Shows both ranges at a node; of one player as bare text."""
        node, is_one = self.view.node(path), self.part.player is not None
        ranges = {}
        for player in (self.part.player_at(node),) if is_one else (0, 1):
            weights = node.weights[player].clip(0.0, 1.0)
            if node.hand_space is HandSpace.HANDS:
                weights = weights[HAND_BY_COMBO]
            rounded = np.where(weights < SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))
            ranges[node.players[player]] = Range(weights if exact else rounded)
        if self.json:
            print_json(tables.ranges_to_json(node, ranges))
        elif is_one:
            print(*ranges.values())
        else:
            parts: list[Shown] = [node_tables.title(node)]
            for name, held in ranges.items():
                combos = format_count_of(round(held.num_combos, 1), "combo")
                parts.append(f"\n{name}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
                parts.append(str(held) or "nothing")
            print_parts(*parts)

    def trace(self, text: str) -> None:
        """Shows hands at every decision before the flop that they arrive at."""
        view = self.view
        if not isinstance(view, PreflopSolution):
            raise OptionError("--trace", "follows hands before the flop, give --hand instead")
        decisions: list[list[Node]] = [[], []]
        for number in view.decisions():
            node = view.node_at(number)
            decisions[node.actor or 0].append(node.net() if self.is_net else node)
        try:
            hands = np.flatnonzero(Range(text).hand_weights()).tolist()
        except RangeError as error:
            raise OptionError(f"--trace {text}", error.problem) from error
        documents: list[dict[str, Any]] = []
        parts: list[Shown] = []
        for hand in hands:
            documents.append({"hand": HAND_NAMES[hand]})
            for player, nodes in enumerate(decisions):
                sheet, name = tables.trace_sheet(nodes, player, hand), nodes[0].players[player]
                documents[-1][name] = sheet.records()
                parts += [bold(f"{HAND_NAMES[hand]} as {name}"), *_trace_parts(sheet), ""]
        document = documents[0] if len(documents) == 1 else {"hands": documents}
        show(self.json, document, *parts, dim(EV_WORDS[self.is_net]))


def _trace_parts(sheet: Sheet) -> Iterator[Text]:
    """Yields the decisions that a hand arrives at: frequency and EV of each action."""
    present = [row for row in sheet.rows if row[2] >= SMALLEST_REACH]
    for _, decision, reach, ev, _, actions in present:
        share = "" if round(reach, 3) >= 1.0 else f", arrives {format_percent(reach, 1)}"
        yield Text(f"  {decision}: EV {_format_ev(ev)}{share}")
        width = max(len(label) for _, label, *_ in actions.rows)
        for _, label, frequency, worth in actions.rows:
            numbers = f"{format_percent(frequency, 1):>6}  {_format_ev(worth):>10}"
            style = "" if frequency >= SMALLEST_REACH else "dim"
            yield Text(f"    {label.ljust(width)}  {numbers}", style=style)
    if hidden := len(sheet.rows) - len(present):
        yield dim(f"  and {format_count_of(hidden, 'decision')} where it never arrives")


def _format_ev(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{format_signed(value)} bb"


def decision_parts(nodes: Iterable[Node], measure: Measure | None = None) -> list[Shown]:
    """Returns decisions one after another."""
    parts = (("", *node_tables.node_parts(node, None, measure)) for node in nodes)
    return list(chain.from_iterable(parts))[1:]


def nodes_to_json(view: Solution, nodes: Sequence[Node]) -> Json:
    """Returns nodes under JSON names: of a run as a list with its report, of a spot one or two."""
    head, documents = node_files.document_head(view.quality), map(node_files.node_to_json, nodes)
    if isinstance(view, PreflopSolution):
        return {**head, **view.summary_to_json(), "nodes": list(documents)}
    return {**head, **dict(zip(("node", "compared"), documents, strict=False))}


# The report of a preflop solve.


def report_parts(view: PreflopSolution) -> list[Shown]:
    """Returns the course of a preflop solve; the value and the exploitability come last."""
    report = view.report
    parts: list[Shown] = []
    if len(report.curve_mbb) > 1:
        heading = bold("Exploitability in mbb/hand, by iteration")
        parts += [heading, ExploitabilityCurve(report.curve_mbb), ""]
    if report.ranges_rounds:
        headings = ">round", ">actions moved by", ">preflop, mbb/hand", ">worst flop, % of the pot"
        sheet = Sheet(columns(*headings))
        for done in report.ranges_rounds:
            is_bound = done.flop_exploitability_meaning.is_upper_bound
            left = formatting.format_mbb(done.exploitability_mbb)
            share = formatting.format_bound(done.flop_exploitability_pot, is_bound)
            sheet.add(done.number, format_percent(done.change), left, share)
        parts += [bold("Rounds with the ranges that arrive on the flop"), sheet, ""]
    if report.flop_leaves:
        parts += [*_leaf_parts(view), ""]
    sb, bb = map(view.game_value_bb, (SB, BB))
    value = f"game value {format_signed(sb)} bb/hand for SB, {format_signed(bb)} bb/hand for BB"
    if math.isnan(sb):
        value = "game value unknown: no EVs were kept of this round"
    return [*parts, value, *node_tables.quality_lines(view.quality)]


def _leaf_parts(view: PreflopSolution) -> list[Shown]:
    """Returns the flops that are seen, and the source of their values."""
    leaves = view.report.flop_leaves
    sources = [leaf.source for leaf in leaves.values()]
    if set(sources) == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        checked_down = f"{flops} checked down: raw equity, no bets after the flop"
        return [Text(checked_down, style=_EXTRAPOLATED)]
    headings = columns("", "node", ">pot, bb", ">SPR", ">seen")
    sheet = Sheet((*headings, Column("values", wraps=True)))
    for leaf in view.tree.flop_leaves():
        known = leaves[leaf.path]
        is_guessed = known.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = known.detail.startswith(known.source.value)
        sheet.add(
            "!" if is_guessed else "",
            leaf.path,
            format_amount(leaf.pot_bb),
            format_amount(leaf.spr),
            format_percent(view.share_of_deals(leaf.node), 1),
            known.detail if is_named else f"{known.source.value}, {known.detail}",
            style=_EXTRAPOLATED if is_guessed else "",
        )
    parts: list[Shown] = [bold("Flops and the source of their values"), sheet]
    if num_guessed := sources.count(ValueSource.EXTRAPOLATED):
        were = "flop was" if num_guessed == 1 else "flops were"
        advice = "add the SPR to postflop_sprs, or write auto"
        parts.append(Text(f"! {num_guessed} {were} extrapolated: {advice}", style=_EXTRAPOLATED))
    return parts


# Files of many nodes.

_DEPTH = "Steps below the node, or all."
Layout = Literal["json", "csv", "parquet"]


def export_solution(
    path: PathArgument,
    node: NodeOption = None,
    layout: Annotated[Layout, flag("--format -f", "One document, or a row per number.")] = "json",
    file: Annotated[Path | None, option("--output -o", "FILE", "Default: stdout.")] = None,
    depth: Annotated[str | None, option("--depth", "N", _DEPTH)] = None,
    hands: RangeOption = None,
    classes: ClassOption = None,
    ev: EvOption = "from-here",
    flop: FlopOption = None,
    spr: SprOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Write nodes with all hands as JSON, CSV or Parquet.

    By default these are all decisions before the flop of a run, or the first one of a spot. Rows
    are by node, action and hand, with the EVs of `runout show`.
    """
    if json and layout != "json":
        raise OptionError("--json", f"is another format than --format {layout}, give one of them")
    if layout == "parquet" and file is None:
        raise OptionError("--output", "is missing, Parquet needs a file")
    if depth not in (None, _EVERYTHING) and not (depth.isascii() and depth.isdigit()):
        raise OptionError("--depth", f"{quote(depth)} is not a whole number from 0 up, or all")
    steps = None if depth == _EVERYTHING else int(depth or 0)
    part = read_part(hands, classes)
    with opening(path, flop, spr, None, node or "") as view:
        seen, paths = PartView(view, part, ev == "net"), [node or ""]
        is_list = isinstance(view, PreflopSolution) and depth is None
        if isinstance(view, PreflopSolution) and is_list and node is None:
            paths = [view.tree.path(number) for number in view.decisions()]
        found = (one for start in paths for one in seen.nodes(start, steps))
        frames = (one.tidy_columns() for one in found if one.actor is not None)
        first = next(frames, None) if layout != "json" else {}
        if first is None:
            raise OptionError("--node", "no player acts there, choose a decision or give --depth")
        parts = chain([first], frames)

        def write_document(stream: TextIO) -> int:
            if is_list:
                document = nodes_to_json(view, list(map(seen.node, paths)))
                return console.write_document(document, stream)
            return node_files.write_json(seen, stream, steps, node or "")

        def write_rows(stream: TextIO) -> int:
            rows = (row for frame in parts for row in zip(*frame.values(), strict=True))
            return write_csv(first, rows, stream)

        if layout == "parquet" and file is not None:
            with console.naming_file("--output", file), replacing_file(file) as place:
                num_rows = write_parquet(place, parts)
            console.print_note(f"wrote {file}, {format_count_of(num_rows, 'row')}")
        elif layout == "csv":
            console.write_to(file, "row", write_rows)
        else:
            console.write_to(file, "document", write_document)
