"""How solved spots and the flops of joint solves are laid out on disk."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from runout.arrays import AnyArray, FloatArray
from runout.cards.deck import parse_board
from runout.cards.flops import CanonicalBoard, GivenFlop
from runout.cards.ranges import Range
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.holdem.cards import CardsToCome, PlayerHands, Rake, Spot, StreetLayout, make_layouts
from runout.solutions.flop import StoredSpot
from runout.solutions.node import Provenance, Quality, Unit
from runout.solutions.stored import (
    BOUNDS,
    BUCKETS,
    EQUITY,
    PARTS,
    RIVER_GAME,
    SHARES,
    VALUES,
    EncodedShares,
    StoredArrays,
    StoredLayout,
    convert_joint_flop,
    convert_spot,
)
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import load_bundle, read_manifest, reading_contents
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree, PotType, PreflopTree, build_flop_trees

# A saved spot: how its bundle is laid out, and how its solution is opened without a solver.
#
# The bundle has a solution, which is looked at, and, unless it was told not to, the resume part,
# which a solver goes on from. Arrays of the solution are named ``solution_PART``, those of the
# resume part ``STREET_PLAYER_PART``. Bundles that were saved on the way have the resume part alone.


SPOT_KIND = "spot"
SPOT_SCHEMA_VERSION = 2
SPOT_SCHEMAS = (1, SPOT_SCHEMA_VERSION)
REPORT = "report"

#: What a bundle calls the parts of a spot; `runout.solutions.stored` has what they are.
SPOT_NAMES = {part: f"solution_{part}" for part in PARTS}

#: Digests of larger bundles would take longer than one wants to wait for a node.
MOST_VERIFIED_BYTES = 2**28


def build_spot(config: SpotConfig) -> Spot:
    """Returns the spot that a config describes.

    Raises:
        TreeError: if its betting tree is too large.
    """
    cap = math.inf if config.rake_cap is None else config.rake_cap
    stakes = Stakes.in_chips(config.pot, config.stack)
    betting = (config.betting_rules(), stakes, config.first_street)
    rake = Rake(config.rake_rate, cap)
    return _make_spot(config.board_cards, config.ranges(), betting, rake, config.merges_suits)


@lru_cache(maxsize=2)  # a command measures a spot and then solves it
def _make_spot(
    board: tuple[int, ...],
    ranges: tuple[Range, Range],
    betting: tuple[BettingRules, Stakes, Street],
    rake: Rake,
    merges_suits: bool,
) -> Spot:
    tree = PostflopTree.build(*betting)
    return Spot(board, ranges, tree, rake=rake, merges_suits=merges_suits)


def meaning_of(config: SpotConfig) -> ExploitabilityMeaning:
    """Returns in which game the exploitability of a spot is: rivers in buckets are another one."""
    is_real = config.rivers == "exact"
    return ExploitabilityMeaning.REAL_GAME if is_real else ExploitabilityMeaning.OWN_GAME


def quality_of(
    config: SpotConfig, report: Mapping[str, Any], provenance: Provenance | None
) -> Quality:
    """Returns how well a spot is solved, of what its report says."""
    curve = ((int(number), float(chips) / config.pot) for number, chips in report["curve_chips"])
    return Quality(
        float(report["exploitability_chips"]) / config.pot,
        meaning_of(config),
        int(report["iterations"]),
        float(report["seconds"]),
        curve=tuple(curve),
        provenance=provenance,
    )


def has_solution(path: Path | str) -> bool:
    """Returns whether a saved spot can be opened without a solver."""
    return any(name.startswith("solution_") for name in read_manifest(path).arrays)


def load_spot(path: Path | str) -> StoredSpot:
    """Opens the solution of a saved spot; arrays stay on the disk until they are looked at."""
    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMAS, verify=is_verified)
    with reading_contents(path):
        config = parse_config(bundle.config_text or "", SpotConfig)
        spot = build_spot(config)
        cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)
        quality = quality_of(config, bundle.documents[REPORT], Provenance.of(bundle.manifest))
        arrays, streets = bundle.arrays, make_layouts(spot.tree)
        if bundle.manifest.schema_version < SPOT_SCHEMA_VERSION:
            parts = convert_spot(arrays, streets, cards)
            arrays = {SPOT_NAMES[part]: array for part, array in parts.items()}
    tables, text = (
        StoredArrays(str(path), arrays, SPOT_NAMES).read(streets, cards),
        bundle.config_text,
    )
    text = bundle.config_text or ""
    return StoredSpot(spot, cards, tables, quality, config, config_text=text)


# What a joint solve keeps of its flops: one flop leaf on one flop is read like a spot.
#
# Shares, of 8 bits, and values, in pots, are ``flopF_leafL_PART``. All leaves of a flop share its
# equities, and those with the same river buckets share these.


FLOPS_KIND = "joint_flops"
FLOPS_SCHEMA_VERSION = 2
FLOPS_SCHEMAS = (1, FLOPS_SCHEMA_VERSION)
LAYOUT = "layout"

_EVERYONE = (Range("random"), Range("random"))


def names_of_flop(flop: int, leaf: int, bucket_number: int = 0) -> dict[str, str]:
    """Returns what a bundle calls the parts of a flop leaf on a flop, by their numbers.

    The bucket number says which of the flop's ways to make river buckets the leaf uses.
    """
    bucket = f"flop{flop}_bucket{bucket_number}"  # both players hold everything
    return {
        **{part: f"flop{flop}_leaf{leaf}_{part}" for part in (SHARES, VALUES, BOUNDS)},
        EQUITY: f"flop{flop}_equity",
        RIVER_GAME: f"flop{flop}_game{bucket_number}",
        **dict.fromkeys(BUCKETS, bucket),
    }


@dataclass(frozen=True, eq=False)
class JointFlops:
    """What was kept of all flop leaves on all flops.

    Attributes:
        arrays: by name.
        flops: the flops, as text.
        last_street: the last street whose strategies were kept.
        config_text: of the run.
        bucket_numbers: of each leaf, which of a flop's ways to make buckets it uses; none if rivers
            are not in buckets.
        is_old: whether arrays are those of schema 1.
    """

    arrays: Mapping[str, AnyArray]
    flops: tuple[str, ...]
    last_street: Street
    config_text: str
    bucket_numbers: tuple[int, ...] = ()
    is_old: bool = False

    @classmethod
    def load(cls, path: Path) -> "JointFlops":
        """Opens what was kept; arrays stay on the disk until they are looked at."""
        bundle = load_bundle(path, FLOPS_KIND, FLOPS_SCHEMAS, verify=False)
        with reading_contents(path):
            layout = bundle.documents[LAYOUT]
            return cls(
                arrays=bundle.arrays,
                flops=tuple(layout["flops"]),
                last_street=Street[layout["last_street"].upper()],
                config_text=bundle.config_text or "",
                bucket_numbers=tuple(layout["bucket_numbers"]),
                is_old=bundle.manifest.schema_version < FLOPS_SCHEMA_VERSION,
            )

    @cached_property
    def number_of(self) -> Mapping[tuple[int, ...], int]:
        """The number of each flop, by its canonical cards."""
        flops = (GivenFlop(tuple(parse_board(text))).canonical for text in self.flops)
        return {cards: number for number, cards in enumerate(flops)}

    def trees(self, tree: PreflopTree) -> tuple[PostflopTree, ...]:
        """Returns the betting at each flop leaf, in pots."""
        with reading_contents("config of the flops"):
            config = parse_config(self.config_text, RunConfig)
            assert config.postflop_model is not None
            rules = config.joint_settings.betting_rules(config.postflop_model)
            return build_flop_trees(tree, {pot: rules[pot.value] for pot in PotType})

    def open(
        self,
        given: GivenFlop,
        leaf: int,
        trees: Sequence[PostflopTree],
        weights: FloatArray,
        pot_bb: float,
    ) -> StoredSpot:
        """Opens a flop leaf on one flop, as a spot in big blinds.

        Args:
            given: one of the flops, in any suits; paths and hands are in these.
            leaf: the number of the leaf.
            trees: the betting at all leaves, in pots.
            weights: ``[2, 1326]`` what OOP and IP bring.
            pot_bb: the pot on the flop.
        """
        stored, streets, planned = self._find(self.number_of[given.canonical], leaf, trees)
        oop, ip = (
            PlayerHands(hands.combos, weights[player, hands.combos])
            for player, hands in enumerate(planned.players)
        )
        cards = replace(planned, players=(oop, ip))
        spot = Spot(given.cards, _EVERYONE, trees[leaf].scaled(pot_bb))
        tables = stored.read(streets, cards, pot_bb)
        suits = CanonicalBoard.from_cards(given.cards).mapping
        return StoredSpot(spot, cards, tables, None, unit=Unit.BIG_BLINDS, suits=suits)

    def shares(
        self, flop: int, leaf: int, trees: Sequence[PostflopTree]
    ) -> tuple[Sequence[tuple[EncodedShares, EncodedShares]], CardsToCome]:
        """Returns the strategies of a flop leaf alone, and the cards; see `open`."""
        stored, streets, cards = self._find(flop, leaf, trees)
        return stored.read_shares(streets, cards), cards

    def _find(
        self, flop: int, leaf: int, trees: Sequence[PostflopTree]
    ) -> tuple[StoredArrays, Sequence[StreetLayout], CardsToCome]:
        """Returns the arrays of a flop leaf, the streets that were kept, and the cards."""
        cards = CardsToCome.plan(tuple(parse_board(self.flops[flop])), _EVERYONE)
        leaves = [
            StoredLayout([s for s in make_layouts(each) if s.street <= self.last_street], cards)
            for each in trees
        ]
        names = names_of_flop(flop, leaf, self.bucket_numbers[leaf] if self.bucket_numbers else 0)
        where, arrays = f"flop {self.flops[flop]}", self.arrays
        if self.is_old:
            with reading_contents(where):
                arrays = convert_joint_flop(arrays, names, flop, leaf, leaves)
        return StoredArrays(where, arrays, names), leaves[leaf].streets, cards
