"""How solved spots and the flops of joint solves are laid out on disk."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
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
    EncodedShares,
    EncodedValues,
    StoredSpot,
    StoredStreet,
    StoredTables,
)
from runout.solutions.node import ExploitabilityUnit, Provenance, Quality, Unit
from runout.solutions.values import ExploitabilityMeaning, require_array
from runout.storage.bundle import load_bundle, read_manifest, reading_contents
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree, PotType, PreflopTree, build_flop_trees

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

#: What an equity of 1 is kept as.
LARGEST_EQUITY = 2**16 - 1
_SHARE_DTYPES = [np.uint8, np.uint16]

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
    stakes = Stakes.in_chips(config.pot, config.stack)
    betting = (config.betting_rules(), stakes, config.first_street)
    rake = Rake(config.rake_rate, cap)
    return _make_spot(config.board_cards, config.ranges(), betting, rake, config.merges_suits)


@lru_cache(maxsize=2)  # a command measures a spot and then solves it
def _make_spot(
    board: tuple[int, ...],
    ranges: tuple[HandRange, HandRange],
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
    tables = read_tables(str(path), bundle.arrays, make_layouts(spot.tree), cards)
    return StoredSpot(spot, cards, tables, quality, config)


def read_tables(
    where: str,
    arrays: Mapping[str, AnyArray],
    layouts: Sequence[StreetLayout],
    cards: CardsToCome,
    names: Mapping[str, str] | None = None,
) -> StoredTables:
    """Returns what was kept of a spot, after looking whether it fits its tree and cards.

    Arrays that a bundle may lack: values and equities, which versions before them did not keep,
    and strategies of players who have no decision on a street.

    Args:
        where: what errors name.
        arrays: by the names that `name_of_spot` gives.
        layouts: the streets whose strategies were kept.
        cards: the hands and boards.
        names: what errors call the arrays that have other names in their bundle.

    Raises:
        BundleError: naming the first array that is missing, or is another than it should be.
    """
    reader = _TableReader(where, arrays, cards, names or {})
    boards = (1, *(len(deal.card) for deal in cards.deals))
    has_values = any(name.endswith(f"_{VALUES}") for name in arrays)
    streets = []
    for layout, number in zip(layouts, boards, strict=False):
        oop, ip = (reader.shares(layout, number, player) for player in _PLAYERS)
        values = None
        if has_values and layout.street != Street.RIVER:
            values = (reader.values(layout, number, 0), reader.values(layout, number, 1))
        streets.append(StoredStreet((oop, ip), values, reader.locks(layout, number)))
    if layouts[0].street != Street.FLOP or not (has_values or EQUITY in arrays):
        return StoredTables(tuple(streets), None)
    first, second = reader.num_hands
    equity = reader.require(EQUITY, [np.uint16], first, second)
    return StoredTables(tuple(streets), lambda: equity.astype(np.float64) / LARGEST_EQUITY)


@dataclass(frozen=True, eq=False)
class _TableReader:
    """The arrays of a spot and what they must fit; see `read_tables`."""

    where: str
    arrays: Mapping[str, AnyArray]
    cards: CardsToCome
    names: Mapping[str, str]

    @property
    def num_hands(self) -> list[int]:
        return [len(player.combos) for player in self.cards.players]

    def require(self, name: str, dtypes: Sequence[type], *shape: int | None) -> AnyArray:
        called = self.names.get(name)
        return require_array(self.where, self.arrays, name, dtypes, shape, called=called)

    def shares(self, layout: StreetLayout, num_boards: int, player: int) -> EncodedShares:
        rows, hands = layout.num_actions[player], self.num_hands[player]
        name = name_of_spot(layout.street, player, STRATEGY)
        if rows == 0 and name not in self.arrays:
            return EncodedShares(np.zeros((num_boards, 0, hands), np.uint8))
        if layout.street != Street.RIVER or RIVER_GAME not in self.arrays:
            codes = self.require(name, _SHARE_DTYPES, num_boards, rows, None)
            if codes.shape[2] < hands:  # more are padding
                self.require(name, _SHARE_DTYPES, num_boards, rows, hands)
            return EncodedShares(codes)
        game = self.require(RIVER_GAME, [np.int32], num_boards).astype(np.int64)
        if game.min() < 0:
            raise BundleError(self.where, f"{RIVER_GAME} has numbers below 0")
        num_games, name_of_bucket = int(game.max()) + 1, name_of_spot(layout.street, player, BUCKET)
        codes = self.require(name, _SHARE_DTYPES, num_games, rows, None)
        bucket = self.require(name_of_bucket, [np.uint8], num_games, hands)
        return EncodedShares(codes, game, bucket)

    def values(self, layout: StreetLayout, num_boards: int, player: int) -> EncodedValues:
        codes, bounds = (name_of_spot(layout.street, player, part) for part in (VALUES, BOUNDS))
        lines = (num_boards, len(layout.next_roots))
        return EncodedValues(
            self.require(codes, [np.int16], *lines, self.num_hands[player]),
            self.require(bounds, [np.float32], *lines, 2),
        )

    def locks(self, layout: StreetLayout, num_boards: int) -> tuple[AnyArray, AnyArray] | None:
        oop, ip = (name_of_spot(layout.street, player, LOCKED) for player in _PLAYERS)
        if oop not in self.arrays:
            return None
        first, second = layout.num_actions
        return (
            self.require(oop, [np.uint8], num_boards, first),
            self.require(ip, [np.uint8], num_boards, second),
        )


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

    def begin_of(self, leaf: int) -> Iterator[tuple[tuple[Street, int], int]]:
        """Yields street and player of all values of a leaf, with their first line."""
        for (number, street, player), begin in self.begin.items():
            if number == leaf:
                yield (street, player), begin


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
        layouts = [make_layouts(each) for each in trees]
        arrays, names = self._arrays_of(flop, leaf, layouts, cards, pot_bb)
        kept = [layout for layout in layouts[leaf] if layout.street <= self.last_street]
        if self._lacks_buckets(arrays, cards):
            kept = kept[: Street.RIVER]
        tables = read_tables(f"flop {self.flops[flop]}", arrays, kept, cards, names)
        return StoredSpot(spot, cards, tables, None, unit=Unit.BIG_BLINDS)

    def _arrays_of(
        self,
        flop: int,
        leaf: int,
        layouts: Sequence[Sequence[StreetLayout]],
        cards: CardsToCome,
        pot_bb: float,
    ) -> tuple[dict[str, AnyArray], dict[str, str]]:
        """Returns the arrays of a flop leaf on a flop, by the names of spots, and their own names.

        Values are in big blinds.
        """
        own_names = {EQUITY: equity_name(flop)}
        for street, player in product(Street, _PLAYERS):
            name = name_of_spot(street, player, STRATEGY)
            own_names[name] = name_of_flop(flop, leaf, street, player)
        if self.bucket_numbers and self.last_street == Street.RIVER:
            own_names[RIVER_GAME], bucket = bucket_names(flop, self.bucket_numbers[leaf])
            for player in _PLAYERS:
                own_names[name_of_spot(Street.RIVER, player, BUCKET)] = bucket
        arrays = {name: self.arrays[own] for name, own in own_names.items() if own in self.arrays}
        values_name, bounds_name = value_names(flop)
        if values_name in self.arrays:
            boards = (1, *(len(deal.card) for deal in cards.deals))
            places = place_lines(layouts, boards)
            lines, hands = places.total, len(cards.players[0].combos)
            where = f"flop {self.flops[flop]}"
            codes = require_array(where, self.arrays, values_name, [np.int16], (lines, hands))
            bounds = require_array(where, self.arrays, bounds_name, [np.float32], (lines, 2))
            for (street, player), begin in places.begin_of(leaf):
                shape = (boards[street], len(layouts[leaf][street].next_roots))
                own = slice(begin, begin + math.prod(shape))
                arrays[name_of_spot(street, player, VALUES)] = codes[own].reshape(*shape, hands)
                in_bb = cast(Float32Array, bounds[own]) * np.float32(pot_bb)
                arrays[name_of_spot(street, player, BOUNDS)] = in_bb.reshape(*shape, 2)
        return arrays, own_names

    def _lacks_buckets(self, arrays: Mapping[str, AnyArray], cards: CardsToCome) -> bool:
        """Returns whether rivers are in buckets of which earlier versions did not keep the map."""
        names = [name_of_spot(Street.RIVER, player, STRATEGY) for player in _PLAYERS]
        kept = [arrays[name] for name in names if name in arrays]
        num_boards = len(cards.deals[-1].card)
        return not self.bucket_numbers and any(len(array) != num_boards for array in kept)
