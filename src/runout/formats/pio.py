"""PioSOLVER: the settings of a tree, as PioVIEWER copies them and saves end with them.

Each setting is one line ``#Key#value``. A save (``.cfr``) is binary, but the settings of its tree
stand at its end in clear text. PioVIEWER makes lines of them by these rules: a size is a percentage
of the pot after calling, rounded half up; a bet with which its player has put in the share
``AllinThreshold`` of the stack is all-in; ``AddAllin`` offers all-in where it adds at most
``AddAllinOnlyIfLessThanThisTimesThePot`` of the pot after calling; and with ``Dont3bet`` a player
does not raise a raise.
"""

import re
from pathlib import Path
from typing import Any

from runout.errors import FormatError
from runout.formats import solvers
from runout.formats.solvers import Item, read_number
from runout.trees.sizes import PLAYER_KEYS, STREET_KEYS
from runout.trees.tree import PostflopTree

#: Bytes at the end of a save in which the settings stand: two ranges combo by combo take 50,000.
MAX_TAIL_BYTES = 1_000_000

_SETTING = re.compile(r"^[ \t]*#([A-Za-z][\w.]*)#(.*?)[ \t]*$", re.MULTILINE)

#: Settings that are read, or say nothing of the tree while those of `_REFUSED` are off.
_KNOWN = re.compile(
    r"Type|TreeBuilding|PreflopAggressor|Range[01]|Board|Pot|EffectiveStacks|AllinThreshold"
    r"|AddAllinOnlyIfLessThanThisTimesThePot|MergeSimilarBets(Threshold)?|MinimumBetsize"
    r"|ExtraLines|RemovedLines|Rake\..*|ICM\..*|Cap\w+"
    r"|(Flop|Turn|River)Config(IP)?\.(BetSize|RaiseSize|DonkBetSize|AddAllin|Dont3bet)"
)
_PLACES = [(street, who) for street in STREET_KEYS for who in PLAYER_KEYS]
_REFUSED = ("ICM.Enabled", "CapEnabled")


def read_settings(text: str) -> dict[str, str]:
    """Returns the settings in a text by their keys; of a key that is repeated, the last counts."""
    return {key: value.strip() for key, value in _SETTING.findall(text.replace("\r", "\n"))}


def read_tail(path: Path) -> str:
    """Returns the clear text at the end of a save; bytes before it are not read.

    Raises:
        FormatError: if no settings stand there.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - MAX_TAIL_BYTES, 0))
        tail = file.read().decode("latin-1").rpartition("\0")[2]
    if not read_settings(tail):
        raise FormatError(str(path), "no settings of a tree, such as #Pot#180, at its end")
    return tail


def read_tree(text: str, where: str) -> list[Item]:
    """Reads the settings of a tree."""
    settings, left_out = read_settings(text), list[str]()

    def number(key: str, default: str = "") -> float:
        return read_number(settings.get(key) or default, f"{where}, #{key}#")

    def is_on(key: str) -> bool:
        return settings.get(key, "").lower() == "true"

    def place(street: str, who: str, name: str) -> str:
        return f"{street.title()}Config{'IP' if who == 'ip' else ''}.{name}"

    def read(street: str, who: str, kind: str) -> list[str]:
        key = place(street, who, f"{kind}Size")
        sizes = solvers.read_sizes(settings.get(key, ""), left_out, f"#{key}#")
        has_all_in = is_on(place(street, who, "AddAllin")) and (sizes or kind != "DonkBet")
        return [*sizes, all_in] if has_all_in else sizes

    most = settings.get("AddAllinOnlyIfLessThanThisTimesThePot")
    all_in = f"a{most}%" if most else "a"
    bets = solvers.make_menus(lambda street, who: read(street, who, "Bet"))
    donks = {street: read(street, "oop", "DonkBet") for street in STREET_KEYS}
    keys: dict[str, Any] = {
        "pot": number("Pot"),
        "stack": number("EffectiveStacks"),
        "bet_sizes": solvers.write_menus(bets),
        "raise_sizes": solvers.write_menus(solvers.make_menus(lambda s, w: read(s, w, "Raise"))),
        "add_all_in_threshold": 0,
        "force_all_in_threshold": 0,
        "force_all_in_share": number("AllinThreshold", "100") / 100.0 or 1.0,
        "merging_threshold": 0,
    }
    for ours, theirs in (("board", "Board"), ("oop", "Range0"), ("ip", "Range1")):
        if settings.get(theirs):
            keys[ours] = settings[theirs]
    if "board" in keys:
        keys["board"] = re.sub(r"[\s,]", "", keys["board"])
    if any(donks[street] != bets[street]["oop"] for street in STREET_KEYS[1:]):
        keys["donk_sizes"] = donks
    if is_on("MergeSimilarBets"):
        keys["merging_threshold"] = number("MergeSimilarBetsThreshold") / 100.0
    if is_on("Rake.Enabled"):
        keys |= {"rake_rate": number("Rake.Fraction", "0"), "rake_cap": number("Rake.Cap", "0")}
    for ours, theirs in (("added_lines", "ExtraLines"), ("removed_lines", "RemovedLines")):
        lines = [line.strip() for line in re.split(r"\\n|[;,]", settings.get(theirs, ""))]
        keys |= {ours: list(filter(None, lines))} if any(lines) else {}
    keys |= _without_3bets(keys, {(s, w) for s, w in _PLACES if is_on(place(s, w, "Dont3bet"))})
    if number("MinimumBetsize", "0") > 1:
        left_out.append(f"#MinimumBetsize#{settings['MinimumBetsize']}: the smallest bet is 1 chip")
    for key, value in settings.items():
        if (key in _REFUSED and is_on(key)) or not _KNOWN.fullmatch(key):
            left_out.append(f"#{key}#{value}: no key of ours says that")
    return [Item("", keys, tuple(left_out))]


def _without_3bets(keys: dict[str, Any], refused: set[tuple[str, str]]) -> dict[str, Any]:
    """Returns the key of removed lines that keeps players from raising raises on some streets."""

    def is_refused(tree: PostflopTree, node: int) -> bool:
        parent = int(tree.layout.parent[node])
        place = STREET_KEYS[tree.street[parent]], PLAYER_KEYS[tree.layout.actor[parent]]
        return place in refused and _any_bet(tree.path(node)).endswith("b:b:b")

    return solvers.remove_lines(keys, is_refused, _any_bet) if refused else {}


def _any_bet(path: str) -> str:
    """Returns a path in which a ``b`` is every bet or raise."""
    return ":".join("b" if step[:1] in "bra" else step for step in path.split(":"))
