"""Our solutions as files of other programs: TexasSolver, HRC, settings and reports of PioSOLVER.

Writers walk a solution node by node, so that memory does not grow with the file. A depth counts
actions and cards below the first node; None is everything.
"""

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from runout.cards.deck import NUM_CARDS, format_card
from runout.errors import FormatError
from runout.solutions.flop import StoredSpot, find_position
from runout.solutions.node import HandSpace, Node, NodeAction, Solution, Unit
from runout.solutions.preflop import PreflopSolution
from runout.solutions.reports import action_names
from runout.solutions.sheet import plain
from runout.solutions.tables import cards_sheet, report_cards
from runout.storage.files import StagingDirectory
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.betting import Street
from runout.trees.tree import NOT_A_LEAF, POSITION_NAMES, SHOWDOWN, BettingTree

Json = dict[str, Any]
_Looking = tuple[Callable[[str], Node], Callable[[str], bool]]

_SETTINGS = "settings.json"


def count_nodes(view: Solution, path: str, depth: int | None) -> tuple[int, int]:
    """Returns how many nodes and how many decisions there are from a node on, without a look."""
    tree: BettingTree
    if isinstance(view, StoredSpot):
        place = find_position(view.spot, path)
        tree, start, dealt = view.spot.tree, place.node, len(place.dealt)
        num_cards, first = NUM_CARDS - len(view.spot.board), view.spot.tree.first_street
    elif isinstance(view, PreflopSolution):
        tree, num_cards, first, dealt = view.tree, 0, Street.RIVER, 0
        start = tree.find_node(path)
    else:
        raise FormatError(path or "the root", "has no nodes to be counted")

    @cache
    def count(node: int, dealt: int, left: int | None) -> tuple[int, int]:
        kind, below = tree.leaf_kind[node], None if left is None else left - 1
        is_here = num_cards == 0 or tree.street[node] == first + dealt
        is_decision, parts = kind == NOT_A_LEAF and is_here, list[tuple[int, int]]()
        if is_decision and left != 0:
            parts = [count(child, dealt, below) for child in tree.layout.children(node)]
        elif kind in (NOT_A_LEAF, SHOWDOWN) and left != 0 and first + dealt < Street.RIVER:
            parts = [count(node, dealt + 1, below)] * (num_cards - dealt)
        return 1 + sum(n for n, _ in parts), int(is_decision) + sum(d for _, d in parts)

    return count(start, dealt, depth)


# TexasSolver: decisions and deals one inside another; its player 1 is out of position.


def write_texas(view: Solution, stream: TextIO, path: str = "", depth: int | None = None) -> int:
    """Writes what TexasSolver dumps of a node and what follows; returns the number of nodes."""
    looking = view.looking()
    node = looking[0](path)
    if node.hand_space is not HandSpace.COMBOS or not (node.actions or node.next_cards):
        raise FormatError(node.path or "the root", "TexasSolver has nodes after the flop only")
    number = _write_texas_node(looking, stream, node, depth)
    stream.write("\n")
    return number


def _write_texas_node(looking: _Looking, stream: TextIO, node: Node, depth: int | None) -> int:
    if node.actor is None:
        names, key = [format_card(card) for card in node.next_cards], "dealcards"
        head: Json = {"node_type": "chance_node", "deal_number": len(names)}
    else:
        names, key = [_texas_name(action, node) for action in node.actions], "childrens"
        held = node.held_columns(node.actor)
        rows = plain(np.nan_to_num(node.strategy[:, held]).T)
        hands = dict(zip((node.hand_space.names[each] for each in held), rows, strict=True))
        strategy = {"actions": names, "strategy": hands}
        head = {"node_type": "action_node", "player": 1 - node.actor, "actions": names}
        head |= {"strategy": strategy}
    stream.write(json.dumps(head).removesuffix("}"))
    number, is_open, below = 1, False, None if depth is None else depth - 1
    for name, step in zip(names, node.steps if depth != 0 else (), strict=depth != 0):
        look, is_end = looking
        if is_end(path := node.path_after(step)):
            continue
        child = look(path)
        if child.actor is None and (min(child.stacks) == 0.0 or not child.next_cards):
            continue  # without a decision
        stream.write((",\n" if is_open else f', "{key}": {{\n') + f"{json.dumps(name)}: ")
        number, is_open = number + _write_texas_node(looking, stream, child, below), True
    stream.write("}}" if is_open else "}")
    return number


def _texas_name(action: NodeAction, node: Node) -> str:
    if action.kind not in AGGRESSIVE_KINDS:
        return action.kind.name
    is_raise = any(other.kind is ActionKind.FOLD for other in node.actions)
    return f"{'RAISE' if is_raise else 'BET'} {action.amount:.6f}"


# HRC: a directory with a file for each decision of a street.


def write_hrc(view: Solution, directory: Path, path: str = "", depth: int | None = None) -> int:
    """Writes a directory as HRC exports it, all of it or nothing; returns the number of nodes.

    It has the decisions up to the next card. Amounts are thousandths of a big blind, or chips.
    """
    root = view.node(path)
    if root.actor is None:
        raise FormatError(root.path or "the root", "no player acts there, HRC has decisions only")
    staging, number = StagingDirectory(directory, _SETTINGS, can_overwrite=False), 0
    try:
        (staging.path / "nodes").mkdir()

        def visit(node: Node, left: int | None) -> int:
            nonlocal number
            own, number, after = number, number + 1, dict[str, int]()
            for action in node.actions if left != 0 else ():
                child = view.node(node.path_after(action.code))
                if child.actor is not None:
                    after[action.code] = visit(child, None if left is None else left - 1)
            text = json.dumps(hrc_node(node, after))
            (staging.path / "nodes" / f"{own}.json").write_text(text)
            return own

        visit(root, depth)
        (staging.path / _SETTINGS).write_text(json.dumps(_hrc_settings(root)))
        staging.publish()
    finally:
        staging.close()
    return number


def hrc_node(node: Node, after: dict[str, int]) -> Json:
    """Returns a decision as HRC has it; ``after`` has the numbers of the nodes behind actions."""
    actor, whole = node.actor or 0, _hrc_unit(node)
    to_call = max(node.invested) - node.invested[actor]

    def describe(action: NodeAction, added: float | None) -> Json:
        is_bet = action.kind in AGGRESSIVE_KINDS
        letter = "R" if is_bet else "F" if action.kind is ActionKind.FOLD else "C"
        amount = action.amount if is_bet else (added or 0.0) if letter == "C" else 0.0
        return {"type": letter, "amount": round(whole * amount)}

    actions = [
        describe(a, to_call) | ({"node": after[a.code]} if a.code in after else {})
        for a in node.actions
    ]
    taken = [
        {"player": step.actor} | describe(action, None) for step, action, _ in node.actions_taken()
    ]
    held = node.held_columns(actor)
    weights, played = node.weights[actor, held], np.nan_to_num(node.strategy[:, held]).T
    evs = np.nan_to_num(node.action_ev[:, held]).T
    names = [node.hand_space.names[column] for column in held]
    rows = zip(names, *map(plain, (weights, played, evs)), strict=True)
    return {
        "player": actor,
        "street": 0 if node.street is None else int(node.street) + 1,
        "children": len(actions),
        "sequence": taken,
        "actions": actions,
        "hands": {name: {"weight": w, "played": p, "evs": e} for name, w, p, e in rows},
    }


def _hrc_unit(node: Node) -> int:
    return 1000 if node.unit is Unit.BIG_BLINDS else 1


def _hrc_settings(root: Node) -> Json:
    whole, money = _hrc_unit(root), zip(root.stacks, root.invested, strict=True)
    buckets = [{"street": street, "buckets": 1326 if street else 169} for street in range(4)]
    hand = {"stacks": [round(whole * (left + put)) for left, put in money]}
    hand |= {"blinds": [*(round(whole * put) for put in reversed(root.invested)), 0]}
    engine = {"maxactive": 2, "configuration": {"abstractions": buckets}}
    return {
        "handdata": hand | {"skipSb": False, "movingBu": False, "anteType": "REGULAR"},
        "treeconfig": {"mode": "runout"},
        "engine": {"type": "runout", **engine},
        "eqmodel": {"id": "chipev", "raked": False, "rakecap": 0, "rakepct": 0.0, "nfnd": False},
    }


# PioSOLVER: the settings of a tree that begins at a node, and a report over cards.


def write_settings(view: Solution, stream: TextIO, path: str = "", depth: int | None = 0) -> int:
    """Writes ranges, board, pot and stacks at a node as settings of PioSOLVER."""
    node = view.node(path)
    if node.invested[0] != node.invested[1]:
        raise FormatError(node.path or "the root", "a bet is not called there yet")
    chips = 100.0 if node.unit is Unit.BIG_BLINDS else 1.0
    # Before the flop, player 0 is the small blind, who is in position after it.
    order = (0, 1) if node.players == POSITION_NAMES else (1, 0)
    ranges = [f"#Range{n}#{node.range_of(one).to_text('pio')}" for n, one in enumerate(order)]
    board = " ".join(map(format_card, node.board))
    money = [("Pot", chips * node.pot), ("EffectiveStacks", chips * min(node.stacks))]
    lines = ["#Type#NoLimit", *ranges, *([f"#Board#{board}"] if board else [])]
    lines += [f"#{key}#{format_amount(amount)}" for key, amount in money]
    stream.write("".join(f"{line}\n" for line in lines))
    return 1


def write_card_report(view: Solution, stream: TextIO, path: str = "", depth: int | None = 0) -> int:
    """Writes a node on every card that can come, as PioSOLVER's `report.csv` has turns."""
    report = report_cards(view, path)
    first, (*records, means) = report.rows[0].node, cards_sheet(report).records()
    names, writer = action_names(first.actions), csv.writer(stream, lineterminator="\n")
    board = report.before.board
    known = [" ".join(map(format_card, board[:3])), *map(format_card, board[3:])]
    ends = ("equity", "Equity"), ("ev", "EV"), ("eqr", "EQR")
    shown = {f"{who} {end}": f"{key}-{who.lower()}" for who in first.players for key, end in ends}
    shown |= {f"{name} freq": first.actions[number].code for name, number in names.items()}
    writer.writerow([f"runout report, {sum(len(row.cards) for row in report.rows)} cards"])
    writer.writerow([f"line {report.path()}, pot {format_amount(first.pot)}"])
    writer.writerow(["percent, EV as the pot; the last row is the mean"])
    writer.writerow([*("Flop", "Turn", "River")[: len(known) + 1], "Global %", *shown])

    def write(cards: list[str], share: float, record: Json) -> None:
        numbers = [(key.startswith("ev-") or 100.0, record[key]) for key in shown.values()]
        texts = ["" if number is None else f"{unit * number:.4f}" for unit, number in numbers]
        writer.writerow([*cards, f"{100.0 * share:.4f}", *texts])

    for row, record in zip(report.rows, records, strict=True):
        for card in row.cards:
            write([*known, format_card(card)], record["share"] / len(row.cards), record)
    write(["All"] + [""] * len(known), 1.0, means)
    return len(report.rows)


#: By the name of a format: what writes a node and what follows into a text file.
WRITERS: dict[str, Callable[[Solution, TextIO, str, int | None], int]] = {
    "texassolver": write_texas,
    "pio": write_settings,
    "pio-report": write_card_report,
}
