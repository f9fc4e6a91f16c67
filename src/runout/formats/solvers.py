"""TexasSolver and WASM or Desktop Postflop: what their trees are in our config.

Both build trees as we do, by sizes of the pot after calling. TexasSolver offers all-in everywhere,
leaves out raises below the minimum, and takes a bet for all-in by what its player has in the pot,
half of the pot at the start included. Postflop has our thresholds, in percent.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from runout.cards.deck import FLOP_SIZE
from runout.errors import FormatError, TreeError, quote
from runout.trees.actions import ActionKind
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.sizes import PLAYER_KEYS, STREET_KEYS, SizeRules, Sizes
from runout.trees.tree import PostflopTree

#: The key of an item that is a range.
RANGE = "range"

#: Settings of TexasSolver where a script has none; raises count the bet.
_TEXAS = {"allin_threshold": 0.67, "raise_limit": 4, "accuracy": 0.5, "max_iteration": 10_000}

#: Thresholds of Postflop, in percent, and ours.
_THRESHOLDS = {
    "addAllInThreshold": "add_all_in_threshold",
    "forceAllInThreshold": "force_all_in_threshold",
    "mergingThreshold": "merging_threshold",
}

#: Keys of a spot that decide its tree.
_RULES = {
    *("bet_sizes", "raise_sizes", "donk_sizes", "max_raises_per_street", "added_lines"),
    *("removed_lines", "add_all_in_threshold", "force_all_in_share", "merging_threshold"),
}

Menus = dict[str, dict[str, list[str]]]


class Item(NamedTuple):
    """One spot or range of a file.

    Attributes:
        name: in the file; empty if it has none.
        keys: of our config of a spot, without those that the file lacks; of a range, ``range``.
        left_out: lines for what no key says.
    """

    name: str
    keys: dict[str, Any]
    left_out: tuple[str, ...] = ()

    @property
    def is_range(self) -> bool:
        """Whether the item is a range and no spot."""
        return RANGE in self.keys


def make_menus(read: Callable[[str, str], list[str]]) -> Menus:
    """Returns the sizes that a function reads for each street and player."""
    return {street: {who: read(street, who) for who in PLAYER_KEYS} for street in STREET_KEYS}


def read_sizes(text: str, out_left: list[str], where: str) -> list[str]:
    """Returns sizes such as ``33, 2.5x, a`` as we write them; plain numbers are percent.

    What is no size of ours becomes a line of ``out_left``.
    """
    sizes = list[str]()
    for word in re.findall(r"[^\s,;]+", text.lower()):
        size = "a" if word == "ai" else f"{word}%" if word[-1].isdecimal() else word
        try:
            sizes += Sizes.parse([size], SizeRules(for_raises=True)).plain()
        except TreeError:
            out_left.append(f"{where}: {quote(word)} is no size of ours")
    return sizes


def write_menus(menus: Menus) -> Any:
    """Returns sizes by street and player, those that are alike only once."""
    rows: list[Any] = [row["oop"] if row["oop"] == row["ip"] else row for row in menus.values()]
    return rows[0] if all(row == rows[0] for row in rows) else dict(zip(menus, rows, strict=True))


def read_number(text: Any, where: str) -> float:
    """Returns a number from 0 up; others raise `FormatError`."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise FormatError(where, f"{quote(text)} is not a number from 0 up")
    return int(number) if number == int(number) else number


def remove_lines(
    keys: Mapping[str, Any],
    is_removed: Callable[[PostflopTree, int], bool],
    write: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Returns the key of removed lines that takes bets and raises out of the tree of a spot's keys.

    ``write`` turns the path of an action into its line. Nothing below a removed action is asked.
    """
    first = Street(len(keys["board"]) // 2 - FLOP_SIZE) if "board" in keys else Street.FLOP
    given = {name: keys[name] for name in _RULES & keys.keys()}
    rules = BettingRules.of(**{"max_raises_per_street": None} | given, first_street=first)
    tree = PostflopTree.build(rules, Stakes.in_chips(keys["pot"], keys["stack"]), first)
    lines = dict.fromkeys(keys.get("removed_lines", ()))
    for node in range(1, tree.num_nodes):  # level by level
        if tree.action_to(node).is_aggressive and is_removed(tree, node):
            line = write(tree.path(node))
            if not any(line.startswith(f"{known}:") for known in lines):
                lines[line] = None
    return {"removed_lines": list(lines)} if lines else {}


def read_texas(text: str, where: str) -> list[Item]:
    """Reads a script of TexasSolver."""
    values, left_out = dict[str, str](), list[str]()
    menus = {kind: make_menus(lambda *_: []) for kind in ("bet", "raise", "donk")}
    for number, line in enumerate(text.splitlines(), start=1):
        name, _, value = line.strip().partition(" ")
        values[name.removeprefix("set_")] = value.strip()
        if name != "set_bet_sizes":
            continue
        who, street, kind, *sizes = [*value.replace(" ", "").lower().split(","), "", ""]
        if street not in STREET_KEYS or who not in PLAYER_KEYS or kind not in (*menus, "allin"):
            raise FormatError(f"{where}, line {number}", f"{quote(value)} is not oop,flop,bet,50")
        if kind in menus:
            menus[kind][street][who] = read_sizes(",".join(sizes), left_out, f"line {number}")
    for menu in menus.values():
        for row in menu.values():
            row |= {who: list(dict.fromkeys([*sizes, "a"])) for who, sizes in row.items()}
    of = {
        name: read_number(values.get(name, x), f"{where}, set_{name}") for name, x in _TEXAS.items()
    }
    pot, stack = (
        read_number(values.get(name, ""), f"{where}, set_{name}")
        for name in ("pot", "effective_stack")
    )
    # Bets above this, half of the pot not counted, are all-in; ours are those of a share or more.
    most = of["allin_threshold"] * (stack + pot / 2.0) - pot / 2.0
    keys: dict[str, Any] = {
        "pot": pot,
        "stack": stack,
        "bet_sizes": write_menus(menus["bet"]),
        "raise_sizes": write_menus(menus["raise"]),
        "donk_sizes": {street: row["oop"] for street, row in menus["donk"].items()},
        "max_raises_per_street": max(int(of["raise_limit"]) - 1, 0),
        "add_all_in_threshold": 0,
        "force_all_in_threshold": 0,
        "force_all_in_share": min(max((math.floor(most) + 0.5) / stack, 1e-6), 1.0),
        "merging_threshold": 0,
        "target": f"{of['accuracy']:g}%",
        "max_iterations": int(of["max_iteration"]),
    }
    for ours, theirs in (("board", "board"), ("oop", "range_oop"), ("ip", "range_ip")):
        if values.get(theirs):
            keys[ours] = values[theirs].replace(",", "") if ours == "board" else values[theirs]
    return [Item("", keys | remove_lines(keys, _is_small_raise), tuple(left_out))]


def _is_small_raise(tree: PostflopTree, node: int) -> bool:
    """Returns whether TexasSolver leaves a raise out, for it is below the minimum."""
    action, before = tree.action_to(node), int(tree.layout.parent[node])
    if action.kind == ActionKind.RAISE:
        return action.size is None
    least, most = sorted(tree.invested[before].tolist())
    return bool(tree.stakes.stack - most < most - least)


def read_postflop(document: Any, where: str) -> list[Item]:
    """Reads a library of WASM or Desktop Postflop: its configurations or its ranges."""
    items = list[Item]()
    for row in document["data"]:
        name, value = "/".join(map(str, row["path"])), row["value"]
        if row.get("isGroup"):
            continue
        is_range, place = document["name"] == "ranges", f"{where}, {quote(name)}"
        items.append(Item(name, {RANGE: value}) if is_range else _postflop_tree(name, value, place))
    return items


def _postflop_tree(name: str, value: Mapping[str, Any], where: str) -> Item:
    left_out, numbers = list[str](), ("startingPot", "effectiveStack", "rakePercent", "rakeCap")
    of = {
        key: read_number(value.get(key, 0), f"{where}, {key}") for key in (*numbers, *_THRESHOLDS)
    }
    # Without a size we add no all-in, Postflop does.
    added = [f"a{of['addAllInThreshold']}%"] if of["addAllInThreshold"] else []

    def read(kind: str, street: str, who: str) -> list[str]:
        key = f"{who}{street.title()}{kind}"
        return read_sizes(str(value.get(key, "")), left_out, key) or (
            [] if kind == "Raise" else added
        )

    keys: dict[str, Any] = {
        "pot": of["startingPot"],
        "stack": of["effectiveStack"],
        "bet_sizes": write_menus(make_menus(lambda *place: read("Bet", *place))),
        "raise_sizes": write_menus(make_menus(lambda *place: read("Raise", *place))),
        **{ours: of[theirs] / 100.0 for theirs, ours in _THRESHOLDS.items()},
    }
    if value.get("donkOption"):
        keys["donk_sizes"] = {street: read("Donk", street, "oop") for street in STREET_KEYS}
    if of["rakePercent"]:
        keys |= {"rake_rate": of["rakePercent"] / 100.0, "rake_cap": of["rakeCap"]}
    for ours, theirs in (("added_lines", "addedLines"), ("removed_lines", "removedLines")):
        if lines := str(value.get(theirs, "")).lower():  # X-B50-C|A100 is x:b50:c:a
            keys[ours] = re.sub(r"a\d+", "a", re.sub(r"[-|]", ":", lines)).split(",")
    return Item(name, keys, tuple(left_out))
