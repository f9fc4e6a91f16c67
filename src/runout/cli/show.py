"""`runout show` and `export`: any node of any result, in the terminal or as a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Literal

import numpy as np

from runout.cards.deck import HAND_NAMES, format_cards
from runout.cards.flops import GivenFlop
from runout.cards.ranges import Range
from runout.cli import console, formatting, node_tables, options, overview
from runout.cli.console import Answer, Shown
from runout.cli.formatting import bold, dim, format_count_of, format_percent
from runout.cli.node_tables import EV_WORDS
from runout.cli.options import argument, flag, option
from runout.errors import CardError, OptionError, RangeError, quote
from runout.events import reporting_phase
from runout.solutions import node_files, run, tables
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND, has_solution
from runout.solutions.node import SMALLEST_REACH, Node, Solution
from runout.solutions.preflop import PREFLOP_KIND, PreflopSolution
from runout.solutions.reports import REPORT_KIND, TableChoice, flops_report_to_json, load_report
from runout.solutions.sheet import Column, Sheet, write_csv, write_parquet
from runout.solutions.tables import Measure, Part, PartView
from runout.solutions.values import VALUES_KIND
from runout.trees.actions import format_amount

#: Hands that arrive less often are left out of ranges, whose weights have so many digits.
SMALLEST_WEIGHT = 0.005
_WEIGHT_DIGITS = 2

_EVERYTHING = "all"

_NODE = 'Path of a node: x:b59:c:8h, r2.5:c, "bet 33%, call".'
_CLASSES = "Only these hand classes: sets,flush-draws; without one: -top-pair."
_MEASURE = "Measure in the grid (default: the strategy)."
_EV = "from-here: folding is 0; net: since the start."
_SORT = "Order of --by card: card, share, b59, ev-oop, eqr-ip."
_TRACE = "Follow a hand through all decisions before the flop."


Player = Literal["sb", "bb", "oop", "ip"]
By = Literal["class", "equity", "card"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """The options of `show`, of which `export` has those that choose nodes and hands."""

    path: Annotated[Path, argument("DIR", "Directory that a solve or a report wrote.")]
    node: Annotated[str | None, option("--node -n", "PATH", _NODE)] = None
    player: Annotated[Player | None, flag("--player -p", "Default: the player to act.")] = None
    hand: Annotated[str | None, option("--hand", "HAND", "These hands: AK, AKs or AhKh.")] = None
    hands: Annotated[str | None, option("--range", "RANGE", 'Only these hands: "22+,A2s+".')] = None
    classes: Annotated[str | None, option("--class", "NAMES", _CLASSES)] = None
    measure: Annotated[Measure | None, flag("--show", _MEASURE)] = None
    compare: Annotated[str | None, option("--compare", "PATH", "Compare with this node.")] = None
    by: Annotated[By | None, flag("--by", "Table by hand class, equity or next card.")] = None
    sort: Annotated[str, option("--sort -s", "COLUMN", _SORT)] = tables.BY_CARD
    ev: Annotated[Literal["from-here", "net"], flag("--ev", _EV)] = "from-here"
    ranges: Annotated[bool, flag("--ranges", "Both ranges as text, for solve-spot.")] = False
    exact: Annotated[bool, flag("--exact", "With --ranges: all hands and digits.")] = False
    trace: Annotated[str | None, option("--trace", "HAND", _TRACE)] = None
    flop: Annotated[str | None, option("--flop", "CARDS", "Flop, if several were solved.")] = None
    spr: Annotated[float | None, option("--spr", "X", "Stack over pot, if several.")] = None
    check: Annotated[bool, flag("--check", "Origin and files; all are verified.")] = False
    flops: Annotated[bool, flag("--flops", "List all solved flops.")] = False
    json: options.JsonFlag = False

    @property
    def is_net(self) -> bool:
        """Whether EVs count from the start of the hand."""
        return self.ev == "net"

    def mode(self) -> str:
        """Returns the option that says what is shown, "" for none; refuses more of them."""
        given = {name: getattr(self, name) not in (None, False) for name in ("check", *_MODES)}
        asked = {f"--{name}": is_given for name, is_given in given.items()}
        options.require_at_most_one(asked)
        if self.measure is not None:
            others = {**asked, "--compare": False, "--json": self.json}
            options.require_at_most_one({"--show": True, **others})
        return next((name for name, is_given in given.items() if is_given), "")

    def part(self) -> Part:
        """Returns which hands are asked for, and whose."""
        try:
            hand_range = None if self.hands is None else Range(self.hands)
        except RangeError as error:
            raise OptionError("--range", str(error)) from error
        try:
            choice = None if self.classes is None else tables.parse_class_choice(self.classes)
        except CardError as error:
            raise OptionError("--class", error.problem) from error
        return Part(self.player, hand_range, choice)


@options.taking("look", Look)
def show_result(*, look: Look) -> None:
    """Show any result: a node, a hand, or a report.

    EV is what a player wins from the node on; chips in the pot belong to the pot. So folding is 0,
    and winning an uncontested pot is the pot. --ev net counts from the start of the hand.
    """
    document, parts = _find_answer(look)
    console.show(look.json, document, *parts)


def _find_answer(look: Look) -> Answer:
    """Returns what is asked for, of a result of any kind."""
    mode, path = look.mode(), look.path
    if mode == "check":
        return overview.check_bundles(path, look.flops)
    kind, place = run.find_result(path)
    if kind == run.ABSTRACTION_KIND:
        from runout.cli.buckets import describe_abstraction

        return describe_abstraction(place)
    if kind == REPORT_KIND:
        from runout.cli.report import report_parts

        report, choice = load_report(path), TableChoice()
        return flops_report_to_json(report, choice), report_parts(report, choice)
    if kind == VALUES_KIND and look.flop is None:
        if look.node is not None:
            raise OptionError("--flop", f"is missing, {path} holds several flops")
        return overview.describe_values(place, look.flops)
    with opening(look) as seen:
        return _MODES.get(mode, _nodes)(look, seen)


@contextmanager
def opening(look: Look) -> Iterator[PartView]:
    """Opens a result that has nodes, or a flop of one whose strategies were kept."""
    part, flop, (kind, place) = look.part(), look.flop, run.find_result(look.path)
    if look.spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop")
    is_run = flop is None and kind in (PREFLOP_KIND, FLOPS_KIND)
    if is_run or (flop is None and kind == SPOT_KIND and has_solution(place)):
        yield PartView(run.open(look.path), part, look.is_net)
        return
    with console.using_kernels() as on_event:
        from runout.cfr.team import Team
        from runout.execution.pool import count_cores
        from runout.flops.solve import SolvedFlop
        from runout.flops.spot_solution import SpotSolution

        if flop is None:  # tables of a solver that have no solution beside them
            kept = SpotSolution.load(place).view
        else:
            given, bundle = GivenFlop.parse(flop), overview.open_values(look.path)
            if not bundle.solutions:
                problem = "has no strategies, solve with keep_strategies: true"
                raise OptionError(str(look.path), problem)
            kept = SolvedFlop.load(bundle, given.name, look.spr, team=Team(count_cores())).view
            assert kept.quality is not None
            kept.quality = replace(kept.quality, manifest=bundle.manifest)
        with reporting_phase(on_event, "values of the node"):  # seconds for a flop; kept
            kept.node(look.node or "")
        yield PartView(kept, part, look.is_net)


# What is shown of a result with nodes.


def _read_node(seen: PartView, path: str) -> Node:
    """Returns a node with the hands to show; refuses a part without hands."""
    node, part = seen.node(path), seen.part
    player = part.player_at(node)
    if not part.is_whole and not node.is_held[player].any():
        given, place = "--range" if part.classes is None else "--class", node.path or "the root"
        raise OptionError(given, f"leaves nothing of {node.players[player]}'s range at {place}")
    return node


def _with_quality(seen: PartView, parts: Sequence[Shown], *nodes: Node) -> list[Shown]:
    """Returns the parts with their share of the range, quality, warnings and the origin."""
    lines = list(parts)
    if not seen.part.is_whole:
        node, player = nodes[0], seen.part.player_at(nodes[0])
        combos, of_all = node.combos(player), seen.view.node(node.path).combos(player)
        share = f" ({100 * combos / of_all:.1f}%)" if of_all > 0.0 else ""
        held = f"{node.players[player]}'s {of_all:,.2f} combos{share}"
        lines.append(dim(f"only {combos:,.2f} of {held}"))
    lines += ["", *node_tables.quality_lines(seen.view.quality, *nodes)]
    return [*lines, seen.view.note] if seen.view.note else lines


def _nodes(look: Look, seen: PartView) -> Answer:
    """Shows a node with the answers to it, or the first decisions of a run."""
    view, part = seen.view, seen.part
    if look.node is None and isinstance(view, PreflopSolution):
        standard = [view.node_at(number) for number in view.standard_nodes()]
        nodes = [_read_node(seen, n.path) for n in standard if part.player_at(n) == n.actor]
        shown = node_tables.decision_parts(nodes, look.measure)
        return nodes_to_json(view, nodes), [*shown, "", *overview.report_parts(view)]
    node = _read_node(seen, look.node or "")
    is_default = part.player is None and part.is_whole
    player = None if is_default else part.player_at(node)
    parts = node_tables.node_parts(node, player, look.measure)
    sheet = Sheet((Column("after", style="dim"), Column("answer", wraps=True)))
    for action in node.actions:
        answer = view.node(node.path_after(action.code))
        shares = zip(answer.actions, answer.frequency().tolist(), strict=True)
        if answer.actor is not None:
            words = [f"{one.label} {format_percent(often, 1)}" for one, often in shares]
            sheet.add(action.code, f"{answer.players[answer.actor]} {'   '.join(words)}")
    parts += ["", sheet] if sheet.rows else []
    return nodes_to_json(view, [node]), _with_quality(seen, parts, node)


def _comparison(look: Look, seen: PartView) -> Answer:
    """Shows two nodes side by side."""
    nodes = [_read_node(seen, path or "") for path in (look.node, look.compare)]
    grid = node_tables.grid_parts(nodes, seen.part.player_at(nodes[0]), look.measure)
    heads = [node_tables.title(node, f"{number}  ") for number, node in enumerate(nodes, start=1)]
    remark = dim(f"difference: the first node minus the second\n{EV_WORDS[seen.is_net]}")
    parts = [*heads, "", tables.comparison_sheet(nodes), remark, "", *grid]
    return nodes_to_json(seen.view, nodes), _with_quality(seen, parts, *nodes)


def nodes_to_json(view: Solution, nodes: Sequence[Node]) -> formatting.Json:
    """Returns nodes under JSON names: of a run as a list with its report, of a spot one or two."""
    head, documents = node_files.document_head(view.quality), map(node_files.node_to_json, nodes)
    if isinstance(view, PreflopSolution):
        return {**head, **view.summary_to_json(), "nodes": list(documents)}
    return {**head, **dict(zip(("node", "compared"), documents, strict=False))}


def _hands(look: Look, seen: PartView) -> Answer:
    """Shows single hands of a node: how much arrives, values and actions."""
    node, text = _read_node(seen, look.node or ""), look.hand or ""
    document: dict[str, Any] = {"path": node.path, "board": format_cards(node.board)}
    parts: list[Shown] = [node_tables.title(node)]
    asked = None if look.player is None else seen.part.player_at(node)
    for player, held in tables.choose_hands(node, text, asked).items():
        name, sheet = node.players[player], tables.hands_sheet(node, player, held)
        document[name] = sheet.records()
        if held:
            num_combos = node.hand_space.num_combos[held]
            arriving = float((node.weights[player, held] * num_combos).sum())
            combos = f"{format_count_of(arriving, 'combo')} of {num_combos.sum()}"
            parts += ["", bold(f"{text} of {name}: {combos}")]
            if mates := tables.bucket_mates(node, player, held).replace(",", ", "):
                parts.append(dim(fill(f"play alike, in buckets: {mates}", formatting.MAX_COLUMNS)))
            is_actor = player == node.actor
            parts += node_tables.action_parts(node, sheet) if is_actor else [sheet]
    return document, _with_quality(seen, parts, node)


def _groups(look: Look, seen: PartView) -> Answer:
    """Shows a range by groups of hands, or every kind of card that can come."""
    if look.by == "card":
        return _cards(look, seen)
    by: tables.Grouping = "equity" if look.by == "equity" else "class"
    node = _read_node(seen, look.node or "")
    player = seen.part.player_at(node)
    sheets = tables.group_sheets(node, player, by).values()
    parts = [*node_tables.fact_parts(node), *(p for sheet in sheets for p in ("", sheet))]
    return tables.groups_to_json(node, player, by), _with_quality(seen, parts, node)


def _cards(look: Look, seen: PartView) -> Answer:
    """Shows every kind of card that can come at a node, and the means over all cards."""
    report = tables.sort_cards(tables.report_cards(seen, look.node or ""), look.sort)
    first = report.rows[0].node
    who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
    cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
    head = bold(f"{who} after {cards} on {format_cards(report.before.board)}")
    head.append(f"   pot {format_amount(first.pot)}\nnode {report.path()}", "not bold")
    shares = "share: how often the card comes on this line; all: the mean over cards"
    remark = dim(f"{shares}\n{EV_WORDS[first.is_net]}")
    parts: list[Shown] = [head, "", tables.cards_sheet(report), remark]
    document = node_files.document_head(seen.view.quality) | tables.cards_to_json(report)
    likeliest = max((row.node for row in report.rows), key=lambda node: node.reach or 0.0)
    return document, _with_quality(seen, parts, likeliest)


def _ranges(look: Look, seen: PartView) -> Answer:
    """Shows both ranges at a node; of one player as bare text."""
    node, is_one, ranges = seen.view.node(look.node or ""), look.player is not None, {}
    for player in (seen.part.player_at(node),) if is_one else (0, 1):
        held = node.range_of(player)
        rounded = np.round(held.weights, _WEIGHT_DIGITS)
        rounded[held.weights < SMALLEST_WEIGHT] = 0.0
        ranges[node.players[player]] = held if look.exact else Range(rounded)
    parts: list[Shown] = [] if is_one else [node_tables.title(node)]
    for name, held in ranges.items():
        if not is_one:
            combos = format_count_of(round(held.num_combos, 1), "combo")
            parts.append(f"\n{name}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
        parts.append(str(held) if is_one else str(held) or "nothing")
    return tables.ranges_to_json(node, ranges), parts


def _trace(look: Look, seen: PartView) -> Answer:
    """Shows hands at every decision before the flop that they arrive at."""
    view = seen.view
    if not isinstance(view, PreflopSolution):
        raise OptionError("--trace", "follows hands before the flop, give --hand instead")
    decisions: list[list[Node]] = [[], []]
    for number in view.decisions():
        node = view.node_at(number)
        decisions[node.actor or 0].append(node.net() if seen.is_net else node)
    try:
        hands = np.flatnonzero(Range(look.trace or "").hand_weights()).tolist()
    except RangeError as error:
        raise OptionError(f"--trace {look.trace}", error.problem) from error
    documents: list[dict[str, Any]] = []
    parts: list[Shown] = []
    for hand in hands:
        documents.append({"hand": HAND_NAMES[hand]})
        for player, nodes in enumerate(decisions):
            sheet, name = tables.trace_sheet(nodes, player, hand), nodes[0].players[player]
            documents[-1][name] = sheet.records()
            parts += [bold(f"{HAND_NAMES[hand]} as {name}"), *_trace_parts(sheet), ""]
    document = documents[0] if len(documents) == 1 else {"hands": documents}
    return document, [*parts, dim(EV_WORDS[seen.is_net])]


def _trace_parts(sheet: Sheet) -> list[Shown]:
    """Returns the decisions that a hand arrives at: frequency and EV of each action."""
    often = Column("how often", form=partial(format_percent, decimals=1))
    shown = Sheet((Column(wraps=True), often, Column("EV, bb", form=formatting.format_signed)))
    present = [row for row in sheet.rows if row[2] >= SMALLEST_REACH]
    for _, decision, reach, ev, _, actions in present:
        shown.add(decision, reach, ev, style="bold")
        for _, label, frequency, worth in actions.rows:
            style = "" if frequency >= SMALLEST_REACH else "dim"
            shown.add(f"  {label}", frequency, worth, style=style)
    hidden = format_count_of(len(sheet.rows) - len(present), "decision")
    is_whole = len(present) == len(sheet.rows)
    return [shown] if is_whole else [shown, dim(f"and {hidden} where it never arrives")]


#: What `show` shows of a result with nodes, by the option that asks for it.
_MODES: dict[str, Callable[[Look, PartView], Answer]] = {
    "trace": _trace,
    "ranges": _ranges,
    "hand": _hands,
    "by": _groups,
    "compare": _comparison,
}


# Files of many nodes.

_DEPTH = "Steps below the node, or all."
_FORMAT = "A document, rows, or as another program has it."
Layout = Literal["json", "csv", "parquet", "texassolver", "hrc", "pio", "pio-report"]


@options.taking("look", Look, "path", "node", "hands", "classes", "ev", "flop", "spr")
def export_solution(
    *,
    look: Look,
    layout: Annotated[Layout, flag("--format -f", _FORMAT)] = "json",
    file: Annotated[Path | None, option("--output -o", "FILE", "Default: stdout.")] = None,
    depth: Annotated[str | None, option("--depth", "N", _DEPTH)] = None,
    json: options.JsonFlag = False,
) -> None:
    """Write nodes as JSON, CSV, Parquet, or for other programs.

    By default these are all decisions before the flop of a run, or the first one of a spot. Rows
    are by node, action and hand, with the EVs of `runout show`. texassolver is its JSON, hrc a
    directory of nodes up to the next card, pio the settings of a tree that begins at the node,
    pio-report a table of the next cards.
    """
    from runout.formats import exports

    if json and layout != "json":
        raise OptionError("--json", f"is another format than --format {layout}, give one of them")
    if layout in ("parquet", "hrc") and file is None:
        needed = "Parquet needs a file" if layout == "parquet" else "hrc needs a directory"
        raise OptionError("--output", f"is missing, {needed}")
    if depth not in (None, _EVERYTHING) and not (depth.isascii() and depth.isdigit()):
        raise OptionError("--depth", f"{quote(depth)} is not a whole number from 0 up, or all")
    steps = None if depth == _EVERYTHING else int(depth or 0)
    with opening(look) as seen:
        view, paths, number, noun = seen.view, [look.node or ""], 0, "node"
        if isinstance(view, PreflopSolution) and depth is None and look.node is None:
            paths = [view.tree.path(number) for number in view.decisions()]
        if file is not None and steps != 0:
            _tell_size(seen, paths[0], steps, layout)
        if layout == "hrc" and file is not None:
            below = None if depth is None else steps
            number = exports.write_hrc(seen, file, look.node or "", below)
        elif layout in ("csv", "parquet"):
            nodes = (node for start in paths for node in seen.nodes(start, steps))
            number, noun = _write_rows(nodes, file, layout), "row"
        else:
            with console.writing(file) as stream:
                if layout != "json":
                    number = exports.WRITERS[layout](seen, stream, look.node or "", steps)
                elif isinstance(view, PreflopSolution) and depth is None:
                    document = nodes_to_json(view, list(map(seen.node, paths)))
                    stream.write(formatting.format_json(document) + "\n")
                    number = len(paths)
                else:
                    number = node_files.write_json(seen, stream, steps, paths[0])
    if file is not None:
        console.print_note(f"wrote {file}, {format_count_of(number, noun)}")


def _tell_size(seen: PartView, path: str, steps: int | None, layout: Layout) -> None:
    """Says what will be written, before it is: nodes, and bytes if they are like the first."""
    from runout.formats import exports

    nodes, decisions = exports.count_nodes(seen.view, path, steps)
    text = f"writing {format_count_of(nodes, 'node')}, {format_count_of(decisions, 'decision')}"
    if layout in ("json", "texassolver") and seen.node(path).actor is not None:
        first = StringIO()
        writers = {"json": lambda: node_files.write_json(seen, first, 0, path)}
        writers.get(layout, lambda: exports.WRITERS[layout](seen, first, path, 0))()
        number = nodes if layout == "json" else decisions
        text += f", about {formatting.format_bytes(number * len(first.getvalue()))}"
    console.print_note(text)


def _write_rows(nodes: Iterable[Node], file: Path | None, layout: Layout) -> int:
    """Writes a row for each action and hand of decisions; returns how many there are."""
    frames = (node.tidy_columns() for node in nodes if node.actor is not None)
    if (first := next(frames, None)) is None:
        raise OptionError("--node", "no player acts there, choose a decision or give --depth")
    parts = chain([first], frames)
    if layout == "parquet" and file is not None:
        with console.replacing("--output", file) as place:
            return write_parquet(place, parts)
    with console.writing(file) as stream:
        rows = (row for frame in parts for row in zip(*frame.values(), strict=True))
        return write_csv(first, rows, stream)
