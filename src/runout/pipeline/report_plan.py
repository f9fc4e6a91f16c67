"""What a report over flops is about to solve: one spot, many flops, some lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import COMBOS_BY_HAND, HAND_BY_COMBO
from runout.cards.card import parse_cards
from runout.cards.flops import FlopList
from runout.config.load import load_flop_spot_config, load_spot_config, load_yaml
from runout.config.size_choice import PLAYER_KEYS, STREET_KEYS, sizes_at
from runout.config.spot import SpotConfig
from runout.config.yaml_text import format_yaml
from runout.errors import ConfigError, FlopListError, RangeError, TreeError, quote
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import format_range, parse_range
from runout.storage.manifest import digest_config
from runout.trees.actions import AGGRESSIVE_KINDS, format_amount
from runout.trees.bet_sizing import format_bet_size
from runout.trees.betting import Street
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_rows import ReportLine
from runout.views.flop_table import ROOT
from runout.views.node import NodeKind, weight_met
from runout.views.spot_bundle import build_spot
from runout.views.spot_path import SpotPosition, find_position

_FLOP = STREET_KEYS[Street.FLOP]


@dataclass(frozen=True)
class SizeVariant:
    """The same spot with one size of a player's first bets on the flop, and no other.

    Attributes:
        player: whose sizes, 0 OOP and 1 IP.
        code: the bet that is left, as in the tree with all sizes.
        bet_sizes: the key of the config.
    """

    player: int
    code: str
    bet_sizes: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ReportPlan:
    """One spot on many flops.

    Attributes:
        spot: what is played; its board is one of the flops.
        flops: those on which the ranges meet.
        lines: what is looked at on each.
        variants: what is solved besides, to say what one size costs; most often none.
        spots: where the solution of each flop is kept; None to keep none.
    """

    spot: SpotConfig
    flops: FlopList
    lines: tuple[ReportLine, ...]
    variants: tuple[SizeVariant, ...] = ()
    spots: Path | None = None

    @classmethod
    def make(
        cls,
        source: Path | None,
        given: Mapping[str, Any],
        flops: FlopList,
        paths: Sequence[str],
        *,
        has_size_costs: bool = False,
        spots: Path | None = None,
    ) -> "ReportPlan":
        """Reads a spot without a board and finds its lines.

        Args:
            source: the file of the spot, None if the keys say everything.
            given: keys that win over those of the file.
            flops: what to solve.
            paths: the lines, ``root`` or empty for the first decision.
            has_size_costs: whether to solve again with one size, where there are several.
            spots: where solutions are kept.

        Raises:
            ConfigError: naming the key at fault.
            FlopListError: if the ranges meet on none of the flops.
            TreeError: if a line is not on the tree, or leaves the flop.
        """
        spot = load_flop_spot_config(source, given, _first_flop(source, given, flops))
        for key, held in zip(PLAYER_KEYS, spot.ranges(), strict=True):
            _require_plain_suits(key, held)
        lines = tuple(dict.fromkeys(_find_line(spot, path) for path in paths))
        variants = _size_variants(spot, lines) if has_size_costs else ()
        if has_size_costs and not variants:
            problem = "there is nothing to compare, no line has two sizes of a first bet"
            raise TreeError("size costs", problem)
        return cls(spot, _met_flops(spot, flops), lines, variants, spots)

    def config_text(self) -> str:
        """Returns the spot without its board, as YAML."""
        mapping = self.spot.to_mapping()
        del mapping["board"]
        return format_yaml(mapping)

    def spot_facts(self) -> dict[str, Any]:
        """Returns what is solved on every flop, and when solves end."""
        game, rule = self.spot.game_mapping(), self.spot.stopping_rule()
        # Ranges as they are without a board.
        oop, ip = (format_range(held) for held in self.spot.ranges())
        return {
            **{key: value for key, value in game.items() if key != "board"},
            "oop": oop,
            "ip": ip,
            "max_iterations": rule.max_iterations,
            "max_seconds": rule.max_seconds,
            "target_chips": rule.exploitability,
        }

    @property
    def spot_digest(self) -> str:
        """Names what is solved on every flop."""
        return digest_config(self.spot_facts())

    @property
    def title(self) -> str:
        """The spot, in a few words."""
        spot = self.spot
        oop, ip = (f"{held.percentage:.1f} %" for held in spot.ranges())
        money = f"pot {format_amount(spot.pot)}, stack {format_amount(spot.stack)}"
        origin = "" if spot.origin is None else f"{spot.origin.run} {spot.origin.node}, "
        rivers = ", compact rivers" if spot.rivers == "compact" else ""
        return f"{origin}OOP {oop} against IP {ip} of hands, {money}{rivers}"


def count_deals(flops: Sequence[str], ranges: tuple[HandRange, HandRange]) -> FloatArray:
    """Returns ``[F]`` the weight of the pairs of combos that each flop leaves two ranges."""
    deals = []
    for flop in flops:
        oop, ip = (held.without_cards(parse_cards(flop)).weights for held in ranges)
        deals.append(float((oop * weight_met(ip)).sum()))
    return np.array(deals)


def _first_flop(source: Path | None, given: Mapping[str, Any], flops: FlopList) -> str:
    """Returns a flop on which the ranges of a spot meet."""
    keys = {**({} if source is None else load_yaml(source)), **given}
    try:
        oop, ip = (parse_range(str(keys[key])) for key in PLAYER_KEYS)
    except (KeyError, RangeError):  # whoever reads the spot says what is wrong
        return flops.names[0]
    deals = count_deals(flops.names, (oop, ip))
    if not deals.any():
        raise FlopListError("flops", "the two ranges meet on none of them")
    return flops.names[int(np.argmax(deals > 0.0))]


def _met_flops(spot: SpotConfig, flops: FlopList) -> FlopList:
    """Returns the flops on which two ranges can meet."""
    is_met = count_deals(flops.names, spot.ranges()) > 0.0
    kept = np.flatnonzero(is_met).tolist()
    return FlopList(
        tuple(flops.flops[number] for number in kept),
        flops.weights[is_met],
        tuple(flops.names[number] for number in kept),
    )


def _require_plain_suits(key: str, held: HandRange) -> None:
    """Refuses a range in which suits matter: a flop stands for those that differ by suits only."""
    first = held.weights[[combos[0] for combos in COMBOS_BY_HAND]]
    if not np.array_equal(held.weights, first[HAND_BY_COMBO]):
        problem = "tells suits apart, but a flop of a report stands for all that differ by suits"
        raise ConfigError(key, f"{problem}; give hands such as AKs and AKo")


def _find_line(spot: SpotConfig, path: str) -> ReportLine:
    text = path.strip()
    position = find_position(build_spot(spot), "" if text == ROOT else text)
    if position.dealt:
        raise TreeError(f"line {quote(path)}", "has cards in it, a report stays on the flop")
    if position.kind == NodeKind.FOLD:
        raise TreeError(f"line {quote(path)}", "ends with a fold, there is nothing to report")
    tree = position.spot.tree
    pot = tree.stakes.pot + sum(position.invested)
    return ReportLine(position.path, position.label, float(pot), position.actor, position.actions())


def _size_variants(spot: SpotConfig, lines: Sequence[ReportLine]) -> tuple[SizeVariant, ...]:
    """Returns each size alone, for players who make a first bet on one of the lines."""
    variants = []
    for player, path in enumerate(("", "x")):
        menu = sizes_at(spot.bet_sizes, _FLOP, PLAYER_KEYS[player], for_raises=False)
        texts = list(dict.fromkeys(format_bet_size(size) for size in menu))
        if len(texts) < 2 or path not in [line.path for line in lines]:
            continue
        choices = [_with_one_size(spot, player, text) for text in texts]
        bets = [_bets_at(spot, path, choice) for choice in choices]
        always = set.intersection(*map(set, bets))  # an all-in that is added to every size
        for choice, codes in zip(choices, bets, strict=True):
            code = next((code for code in codes if code not in always), codes[-1])
            variants.append(SizeVariant(player, code, choice))
    return tuple(variants)


def _with_one_size(spot: SpotConfig, player: int, text: str) -> dict[str, Any]:
    """Returns ``bet_sizes`` by street and player, with one size of a player on the flop."""
    sizes: dict[str, dict[str, list[str]]] = {
        street: {
            key: [
                format_bet_size(size)
                for size in sizes_at(spot.bet_sizes, street, key, for_raises=False)
            ]
            for key in PLAYER_KEYS
        }
        for street in STREET_KEYS
    }
    sizes[_FLOP][PLAYER_KEYS[player]] = [text]
    return sizes


def _bets_at(spot: SpotConfig, path: str, bet_sizes: Mapping[str, Any]) -> list[str]:
    changed = load_spot_config(None, spot.to_mapping() | {"bet_sizes": bet_sizes})
    position: SpotPosition = find_position(build_spot(changed), path)
    return [action.code for action in position.actions() if action.kind in AGGRESSIVE_KINDS]


def describe_variants(variants: Sequence[SizeVariant]) -> str:
    """Returns what is solved besides, in words."""
    return ", ".join(f"{PLAYER_NAMES[v.player]} with {v.code} only" for v in variants)
