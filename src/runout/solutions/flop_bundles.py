"""How solved spots and the flops of joint solves are laid out on disk."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, Int16Array
from runout.cards.deck import parse_board
from runout.cards.flops import GivenFlop
from runout.cards.ranges import HandRange
from runout.config.load import load_run_config, load_spot_config
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.holdem.cards import (
    PLAYER_WORDS,
    CardsToCome,
    PlayerHands,
    Rake,
    Spot,
    StreetLayout,
    make_layouts,
)
from runout.solutions.flop import (
    EncodedValues,
    StoredBuckets,
    StoredSpot,
    StoredStreet,
    StoredTables,
)
from runout.solutions.node import ExploitabilityUnit, Provenance, Quality, Unit
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import Bundle, load_bundle, read_manifest, reading_contents
from runout.trees.betting import BettingRules, Street
from runout.trees.tree import PostflopTree, PotType, PreflopTree, build_flop_trees

# --------------------------------------------------------------------------------------------------
# A saved spot: how its bundle is laid out, and how its solution is opened without a solver.
#
# The bundle has a solution, which is looked at, and, unless it was told not to, the resume part,
# which a solver goes on from. Arrays of the solution are named ``solution_STREET_PLAYER_PART``,
# those of the resume part ``STREET_PLAYER_PART``. Bundles that were saved on the way, or by
# versions before the solution, have the resume part alone.


SPOT_KIND = "spot"
SPOT_SCHEMA_VERSION = 1
REPORT = "report"

STRATEGY, VALUES, BOUNDS, LOCKED, BUCKET = "strategy", "values", "bounds", "locked", "bucket"
EQUITY = "solution_equity"
RIVER_GAME = "solution_river_game"

_PLAYERS = (0, 1)

#: Digests of larger bundles would take longer than one wants to wait for a node.
MOST_VERIFIED_BYTES = 2**28


def name_of_spot(street: Street, player: int, part: str) -> str:
    """Returns the name of an array of the solution."""
    return f"solution_{street.label}_{PLAYER_WORDS[player]}_{part}"


def build_spot(config: SpotConfig) -> Spot:
    """Returns the spot that a config describes.

    Raises:
        TreeError: if its betting tree is too large.
    """
    cap = math.inf if config.rake_cap is None else config.rake_cap
    stakes = (config.betting_rules(), config.pot, config.stack, config.first_street)
    rake = Rake(config.rake_rate, cap)
    return _make_spot(config.board_cards, config.ranges(), stakes, rake, config.merges_suits)


@lru_cache(maxsize=2)  # a command measures a spot and then solves it
def _make_spot(
    board: tuple[int, ...],
    ranges: tuple[HandRange, HandRange],
    stakes: tuple[BettingRules, float, float, Street],
    rake: Rake,
    merges_suits: bool,
) -> Spot:
    tree = PostflopTree.build_in_chips(*stakes)
    return Spot(board, ranges, tree, rake=rake, merges_suits=merges_suits)


def meaning_of(config: SpotConfig) -> ExploitabilityMeaning:
    """Returns in which game the exploitability of a spot is: rivers in buckets are another one."""
    is_real = config.rivers == "exact"
    return ExploitabilityMeaning.REAL_GAME if is_real else ExploitabilityMeaning.OWN_GAME


def quality_of(
    config: SpotConfig, report: Mapping[str, Any], provenance: Provenance | None
) -> Quality:
    """Returns how well a spot is solved, of what its report says."""
    return Quality(
        exploitability=float(report["exploitability_chips"]) / config.pot,
        unit=ExploitabilityUnit.POT,
        meaning=meaning_of(config),
        real_exploitability=None,
        iterations=int(report["iterations"]),
        seconds=float(report["seconds"]),
        curve=tuple(
            (int(iteration), float(chips) / config.pot)
            for iteration, chips in report.get("curve_chips", ())
        ),
        provenance=provenance,
    )


def has_solution(path: Path | str) -> bool:
    """Returns whether a saved spot can be opened without a solver.

    Raises:
        BundleError: if there is no bundle, or its manifest is damaged.
    """
    return any(name.startswith("solution_") for name in read_manifest(path).arrays)


def load_spot(path: Path | str) -> StoredSpot:
    """Opens the solution of a saved spot; arrays stay on the disk until they are looked at.

    Raises:
        BundleError: if it is missing, damaged, has no solution, or is of another version.
    """
    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMA_VERSION, verify=is_verified)
    with reading_contents(path):
        config = load_spot_config(bundle.config_text or "")
        spot = build_spot(config)
        cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)
        quality = quality_of(config, bundle.documents[REPORT], Provenance.of(bundle.manifest))
    return StoredSpot(spot, cards, _read_tables(bundle, config, spot, cards), quality, config)


def _read_tables(
    bundle: Bundle, config: SpotConfig, spot: Spot, cards: CardsToCome
) -> StoredTables:
    oop, ip = (len(player.combos) for player in cards.players)
    is_flop = spot.tree.first_street == Street.FLOP
    equity = bundle.require_array(EQUITY, np.uint16, (oop, ip)) if is_flop else None
    is_compact = RIVER_GAME in bundle.arrays
    buckets = _read_buckets(bundle, cards, config.river_buckets) if is_compact else None
    boards = (1, *(len(deal.card) for deal in cards.deals))
    streets = []
    for layout, num_boards in zip(make_layouts(spot.tree), boards, strict=True):
        widths = (oop, ip)
        if layout.street == Street.RIVER and buckets is not None:
            num_boards, number = len(buckets.bucket[0]), buckets.number
            widths = (number, number)
        streets.append(_read_street(bundle, layout, num_boards, widths, (oop, ip)))
    return StoredTables(tuple(streets), equity, buckets)


def _read_street(
    bundle: Bundle,
    layout: StreetLayout,
    num_boards: int,
    widths: tuple[int, int],
    num_hands: tuple[int, int],
) -> StoredStreet:
    def read(part: str, dtype: type, *shapes: tuple[int, ...]) -> Any:
        return tuple(
            bundle.require_array(name_of_spot(layout.street, player, part), dtype, shape)
            for player, shape in zip(_PLAYERS, shapes, strict=True)
        )

    rows = [(num_boards, actions) for actions in layout.num_actions]
    strategy = read(STRATEGY, np.uint16, *((*r, w) for r, w in zip(rows, widths, strict=True)))
    values = None
    if layout.street != Street.RIVER:
        lines = (num_boards, len(layout.next_roots))
        codes = read(VALUES, np.int16, *((*lines, number) for number in num_hands))
        bounds = read(BOUNDS, np.float32, (*lines, 2), (*lines, 2))
        oop, ip = (
            EncodedValues(cast(Int16Array, codes[p]), cast(Float32Array, bounds[p]))
            for p in _PLAYERS
        )
        values = (oop, ip)
    has_locks = name_of_spot(layout.street, 0, LOCKED) in bundle.arrays
    return StoredStreet(strategy, values, read(LOCKED, np.uint8, *rows) if has_locks else None)


def _read_buckets(bundle: Bundle, cards: CardsToCome, number: int) -> StoredBuckets:
    game = bundle.require_array(RIVER_GAME, np.int32, (len(cards.deals[-1].card),))
    num_games = int(game.max()) + 1

    def read(player: int, hands: PlayerHands) -> Any:
        name = name_of_spot(Street.RIVER, player, BUCKET)
        return bundle.require_array(name, np.uint8, (num_games, len(hands.combos)))

    oop, ip = (read(player, hands) for player, hands in enumerate(cards.players))
    return StoredBuckets(game, (oop, ip), number)


# --------------------------------------------------------------------------------------------------
# What a joint solve keeps of its flops: how the bundle is laid out, and one flop of it as a spot.
#
# Arrays are named ``flopF_leafL_STREET_PLAYER``: a share of 0 to 1 is kept as a whole number of 0
# to 255, with the axes of the tables: boards, actions, columns of hands. What hands get from the
# next card on, as for spots but in pots, is one array of lines for each flop (`place_lines` has
# their order), so that a bundle of many flops has not too many files.


FLOPS_KIND = "joint_flops"
FLOPS_SCHEMA_VERSION = 1
LAYOUT = "layout"


def name_of_flop(flop: int, leaf: int, street: Street, player: int) -> str:
    """Returns the name of the shares of a flop leaf on a flop."""
    return f"flop{flop}_leaf{leaf}_{street.label}_{PLAYER_WORDS[player]}"


def value_names(flop: int) -> tuple[str, str]:
    """Returns the names of the values ``[lines, n]`` of a flop and of their bounds."""
    return f"flop{flop}_values", f"flop{flop}_bounds"


class LinePlaces(NamedTuple):
    """Where the values of a flop are among its lines.

    Attributes:
        begin: by leaf, street and player, the first line; board by board, with a line for each
            tree node after which a card is dealt.
        total: of all of them.
    """

    begin: Mapping[tuple[int, Street, int], int]
    total: int


def place_lines(layouts: Sequence[Sequence[StreetLayout]], num_boards: Sequence[int]) -> LinePlaces:
    """Returns where values are.

    Args:
        layouts: by leaf and street.
        num_boards: boards of each street.
    """
    begin, total = {}, 0
    for leaf, streets in enumerate(layouts):
        for layout, number in zip(streets[:-1], num_boards[:-1], strict=True):
            for player in _PLAYERS:
                begin[leaf, layout.street, player] = total
                total += number * len(layout.next_roots)
    return LinePlaces(begin, total)


def equity_name(flop: int) -> str:
    """Returns the name of the equities of a flop: ``[n, n]``, of 65,535."""
    return f"flop{flop}_equity"


def bucket_names(flop: int, number: int) -> tuple[str, str]:
    """Returns the names of the games ``[runouts]`` and the buckets ``[games, n]`` of a flop."""
    return f"flop{flop}_game{number}", f"flop{flop}_bucket{number}"


@dataclass(frozen=True, eq=False)
class JointFlops:
    """What was kept of all flop leaves on all flops.

    Attributes:
        arrays: by name.
        flops: the flops, as text.
        leaves: the paths of the flop leaves.
        last_street: the last street whose strategies were kept.
        config_text: of the run.
        bucket_numbers: of each leaf, which of a flop's ways to make buckets it uses; none if rivers
            are not in buckets, or were kept without them.
    """

    arrays: Mapping[str, AnyArray]
    flops: tuple[str, ...]
    leaves: tuple[str, ...]
    last_street: Street
    config_text: str
    bucket_numbers: tuple[int, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "JointFlops":
        """Opens what was kept; arrays stay on the disk until they are looked at.

        Raises:
            BundleError: if it is missing, damaged, or of another version.
        """
        bundle = load_bundle(path, FLOPS_KIND, FLOPS_SCHEMA_VERSION, verify=False)
        try:
            layout = bundle.documents[LAYOUT]
            return cls(
                arrays=bundle.arrays,
                flops=tuple(layout["flops"]),
                leaves=tuple(layout["leaves"]),
                last_street=Street[layout["last_street"].upper()],
                config_text=bundle.config_text or "",
                bucket_numbers=tuple(layout.get("bucket_numbers", ())),
            )
        except (KeyError, TypeError) as error:
            raise BundleError(str(path), f"lacks or garbles {error}") from error

    @cached_property
    def number_of(self) -> Mapping[tuple[int, ...], int]:
        """The number of each flop, by its canonical cards."""
        flops = (GivenFlop(tuple(parse_board(text))).canonical for text in self.flops)
        return {cards: number for number, cards in enumerate(flops)}

    def trees(self, tree: PreflopTree) -> tuple[PostflopTree, ...]:
        """Returns the betting at each flop leaf, in pots.

        Raises:
            BundleError: if the config of the run cannot be read.
        """
        with reading_contents("config of the flops"):
            config = load_run_config(self.config_text)
            assert config.postflop_model is not None
            rules = config.joint_settings.betting_rules(config.postflop_model)
            return build_flop_trees(tree, {pot: rules[pot.value] for pot in PotType})

    def open(
        self,
        flop: int,
        leaf: int,
        trees: Sequence[PostflopTree],
        weights: FloatArray,
        pot_bb: float,
    ) -> StoredSpot:
        """Opens a flop leaf on one flop, as a spot in big blinds.

        Args:
            flop: its number.
            leaf: the number of the leaf.
            trees: the betting at all leaves, in pots.
            weights: ``[2, 1326]`` what OOP and IP bring.
            pot_bb: the pot on the flop.

        Raises:
            BundleError: if what was kept has another shape.
        """
        everyone = (HandRange.full(), HandRange.full())
        board = tuple(parse_board(self.flops[flop]))
        planned = CardsToCome.plan(board, everyone)
        oop, ip = (
            PlayerHands(hands.combos, weights[player, hands.combos])
            for player, hands in enumerate(planned.players)
        )
        cards = replace(planned, players=(oop, ip))
        spot = Spot(board, everyone, trees[leaf].scaled(pot_bb))
        tables = self._tables(flop, leaf, trees, cards, pot_bb)
        return StoredSpot(spot, cards, tables, None, unit=Unit.BIG_BLINDS)

    def _tables(
        self,
        flop: int,
        leaf: int,
        trees: Sequence[PostflopTree],
        cards: CardsToCome,
        pot_bb: float,
    ) -> StoredTables:
        boards = (1, *(len(deal.card) for deal in cards.deals))
        layouts = [make_layouts(tree) for tree in trees]
        places, streets = place_lines(layouts, boards), []
        for layout, num_boards in zip(layouts[leaf], boards, strict=True):
            is_river = layout.street == Street.RIVER
            names = [name_of_flop(flop, leaf, layout.street, player) for player in _PLAYERS]
            is_lost = is_river and self._lacks_buckets(names, num_boards)
            if layout.street > self.last_street or is_lost:
                break
            shapes = [(num_boards, rows) for rows in layout.num_actions]
            if is_river and self.bucket_numbers:
                shapes = [(-1, rows) for rows in layout.num_actions]
            oop, ip = (self._require(*each) for each in zip(names, shapes, strict=True))
            values = None
            if not is_river and value_names(flop)[0] in self.arrays:
                shape = (num_boards, len(layout.next_roots))
                first, second = (
                    self._values(flop, places, (leaf, layout.street, player), shape, pot_bb)
                    for player in _PLAYERS
                )
                values = (first, second)
            streets.append(StoredStreet((oop, ip), values))
        return StoredTables(
            tuple(streets), self.arrays.get(equity_name(flop)), self._buckets(flop, leaf)
        )

    def _lacks_buckets(self, names: list[str], num_boards: int) -> bool:
        """Returns whether rivers are in buckets of which earlier versions did not keep the map."""
        kept = [self.arrays[name] for name in names if name in self.arrays]
        return not self.bucket_numbers and any(len(array) != num_boards for array in kept)

    def _require(self, name: str, shape: tuple[int, int]) -> AnyArray:
        """Returns an array of boards and rows; what has no decisions is not kept."""
        num_boards, num_rows = shape
        if num_rows == 0:
            return np.zeros((max(num_boards, 0), 0, 0), np.uint8)
        array = self.arrays.get(name)
        is_wrong = array is None or array.ndim != 3 or array.shape[1] != num_rows
        if array is None or is_wrong or num_boards not in (-1, len(array)):
            came = "nothing" if array is None else str(array.shape)
            raise BundleError(f"array {name}", f"is {came}, this version builds {shape}")
        return array

    def _values(
        self,
        flop: int,
        places: LinePlaces,
        key: tuple[int, Street, int],
        shape: tuple[int, int],
        pot_bb: float,
    ) -> EncodedValues:
        """Returns values ``[boards, lines, n]``, their bounds in big blinds."""
        codes, bounds = (self.arrays[name] for name in value_names(flop))
        if len(codes) != places.total or bounds.shape != (places.total, 2):
            came = f"{codes.shape} and {bounds.shape}"
            problem = f"values of shapes {came}, this version builds {places.total} lines"
            raise BundleError(f"flop {self.flops[flop]}", problem)
        lines = slice(places.begin[key], places.begin[key] + shape[0] * shape[1])
        in_bb = cast(Float32Array, bounds[lines]) * np.float32(pot_bb)
        return EncodedValues(
            cast(Int16Array, codes[lines]).reshape(*shape, codes.shape[1]),
            in_bb.reshape(*shape, 2),
        )

    def _buckets(self, flop: int, leaf: int) -> StoredBuckets | None:
        if not self.bucket_numbers or self.last_street != Street.RIVER:
            return None
        game, bucket = (
            cast(Any, self.arrays[name]) for name in bucket_names(flop, self.bucket_numbers[leaf])
        )
        rivers = self.arrays.get(name_of_flop(flop, leaf, Street.RIVER, 0))
        number = 1 if rivers is None else rivers.shape[-1]
        return StoredBuckets(game, (bucket, bucket), number)
