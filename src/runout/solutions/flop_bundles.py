"""What is kept of a solved board, and the bundles of spots and of the flops of joint solves.

There is one layout and one codec.

Tables stand one after another in a few flat arrays, street by street, OOP before IP, so that a
bundle of many flops has few files. The arrays, by part:

* ``shares``: average strategies, ``[boards, A, W]`` for each street and player, rows as in
  `StreetLayout`, columns by hand and padded, or by bucket; of 16 or of 8 bits.
* ``values``, ``bounds``: before rivers ``[boards, C, n]`` what hands get from the next card on, by
  `StreetLayout.next_roots`, and ``[boards, C, 2]``; see `encode_values`.
* ``locked``: ``[boards, A]`` 1 at the first row of decisions where hands were told what to do; only
  if some were.
* ``equity``: on flops ``[n, m]`` what OOP's hands win of a pot against IP's, checked down.
* ``river_game``, ``river_PLAYER_bucket``: of rivers in buckets, ``[runouts]`` the game that each is
  part of, and ``[games, n]`` the column of each hand there.
* ``turn_PLAYER_bucket``: of turns in buckets, ``[turns, n]`` the column of each hand.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Float32Array, FloatArray, IntArray, Uint16Array
from runout.cards.flops import ALL_RUNOUTS, CanonicalBoard, FlopList, GivenFlop, RunoutSubset
from runout.cards.ranges import Range
from runout.config.spot import SpotConfig
from runout.config.yaml_text import parse_yaml
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
from runout.solutions.flop import StoredSpot, StoredTables
from runout.solutions.node import Quality, Unit
from runout.solutions.values import ExploitabilityMeaning, require_array, require_shares
from runout.storage.bundle import (
    Bundle,
    Manifest,
    StoredArray,
    load_bundle,
    part_of,
    read_manifest,
    reading_contents,
    require_number,
)
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree, PreflopTree, build_flop_trees

SHARES, VALUES, BOUNDS, LOCKED = "shares", "values", "bounds", "locked"
EQUITY, RIVER_GAME = "equity", "river_game"
BUCKETS = ("river_oop_bucket", "river_ip_bucket")
TURN_BUCKETS = ("turn_oop_bucket", "turn_ip_bucket")
PARTS = (SHARES, VALUES, BOUNDS, LOCKED, EQUITY, RIVER_GAME, *BUCKETS, *TURN_BUCKETS)

#: An array in memory, or a `StoredArray`; both have the same indices.
Stored = Any

_LARGEST = {np.dtype(np.uint8): 2**8 - 1, np.dtype(np.uint16): 2**16 - 1}
_LARGEST_STEP = 2**15 - 1
_NO_VALUE = -(2**15)
_LARGEST_EQUITY = 2**16 - 1

# Probabilities, values and equities as small whole numbers.


def normalize_sums(sums: AnyArray, num_actions: Sequence[int] | AnyArray) -> npt.NDArray[Any]:
    """Returns ``[A, W]`` sums of actions as shares of their decision.

    Where a decision has no sum all of its actions are equally likely. Sums are in any scale that
    the actions of a decision share, and `num_actions` of each decision in the order of the rows;
    whole numbers become float32.
    """
    numbers: npt.NDArray[Any] = sums.astype(np.float32 if sums.dtype.kind in "iu" else sums.dtype)
    counts = np.asarray(num_actions, dtype=np.int64)
    if not len(counts):
        return numbers
    totals = np.repeat(np.add.reduceat(numbers, counts.cumsum() - counts, axis=0), counts, axis=0)
    equal = np.repeat(1.0 / counts, counts).astype(numbers.dtype)[:, None]
    # Less than the smallest normal number has lost its digits.
    is_known = totals > np.finfo(np.float32).tiny
    return np.where(is_known, numbers / np.where(is_known, totals, totals.dtype.type(1.0)), equal)


def encode_shares(
    sums: AnyArray, num_actions: Sequence[int] | AnyArray, dtype: npt.DTypeLike = np.uint16
) -> AnyArray:
    """Returns ``[A, W]`` the shares of actions; see `normalize_sums` for the arguments.

    Of 16 bits it is the square root that is kept: near 0 the steps are small, so that a line that
    is taken once in a million hands still has a range, and nowhere is the error above 3e-5. Of 8
    bits it is the share itself.
    """
    shares, kind = normalize_sums(sums, num_actions), np.dtype(dtype)
    scaled = _LARGEST[kind] * (np.sqrt(shares) if kind == np.uint16 else shares)
    codes: AnyArray = np.rint(scaled).astype(kind)
    return codes


def decode_shares(
    codes: AnyArray,
    num_actions: Sequence[int] | AnyArray | None = None,
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[Any]:
    """Returns ``[A, W]`` probabilities, of the actions of one decision if there are no numbers."""
    sums = codes.astype(dtype)
    counts = [len(codes)] if num_actions is None else num_actions
    return normalize_sums(sums if codes.dtype == np.uint8 else sums**2, counts)


@dataclass(frozen=True, eq=False)
class EncodedValues:
    """Rows of values as `encode_values` keeps them; what is asked for is decoded.

    Attributes:
        codes: ``[.., n]``.
        bounds: ``[.., 2]`` the smallest value of a row, and a step.
    """

    codes: AnyArray
    bounds: AnyArray

    def __getitem__(self, place: Any) -> FloatArray:
        codes, bounds = self.codes[place], self.bounds[place].astype(np.float64)
        values = bounds[..., :1] + (codes.astype(np.float64) + _LARGEST_STEP) * bounds[..., 1:]
        known: FloatArray = np.where(codes == _NO_VALUE, np.nan, values)
        return known


def encode_values(values: FloatArray) -> EncodedValues:
    """Returns rows ``[C, n]`` of values as steps between the smallest and the largest of a row."""
    is_known = ~np.isnan(values)
    low = np.min(values, axis=1, where=is_known, initial=np.inf)
    high = np.max(values, axis=1, where=is_known, initial=-np.inf)
    low, high = (np.where(is_known.any(axis=1), bound, 0.0) for bound in (low, high))
    bounds = np.stack([low, (high - low) / (2 * _LARGEST_STEP)], axis=1).astype(np.float32)
    base, step = bounds[:, :1].astype(np.float64), bounds[:, 1:].astype(np.float64)
    steps = np.rint((np.nan_to_num(values) - base) / np.where(step > 0.0, step, 1.0))
    codes = np.clip(steps - _LARGEST_STEP, -_LARGEST_STEP, _LARGEST_STEP)
    return EncodedValues(np.where(is_known, codes, _NO_VALUE).astype(np.int16), bounds)


def encode_equities(shares: FloatArray) -> Uint16Array:
    """Returns shares of pots of 16 bits."""
    codes: Uint16Array = np.rint(_LARGEST_EQUITY * shares).astype(np.uint16)
    return codes


@dataclass(frozen=True, eq=False)
class EncodedShares:
    """Shares of actions as bundles keep them; those that are asked for are decoded.

    Attributes:
        codes: ``[boards, A, W]``; see `encode_shares`.
        game: ``[boards]`` where hands are in buckets, what is a board to ``codes``; None elsewhere.
        bucket: ``[games, n]`` the column of each hand there.
    """

    codes: AnyArray
    game: IntArray | None = None
    bucket: AnyArray | None = None

    def __getitem__(self, place: tuple[int, Any]) -> FloatArray:
        """Returns ``[A, n]`` what hands do at a decision, by board and rows."""
        board, rows = place
        game, columns = self._find(board)
        return decode_shares(self.codes[game, rows])[:, columns]

    def on_board(self, board: int, num_actions: AnyArray) -> Float32Array:
        """Returns ``[A, n]`` what hands do at all decisions, given the actions of each."""
        game, columns = self._find(board)
        return decode_shares(self.codes[game], num_actions, np.float32)[:, columns]

    def buckets_on(self, board: int) -> IntArray | None:
        """Returns ``[n]`` the column of each hand where hands are in buckets."""
        _, columns = self._find(board)
        return None if self.bucket is None else columns.astype(np.int64)

    def _find(self, board: int) -> tuple[int, Any]:
        """Returns where the codes of a board are, and of each hand the column."""
        if self.game is None or self.bucket is None:
            return board, slice(None)
        game = int(self.game[board])
        # Hands that hold the river card have no bucket; any column will do.
        return game, np.minimum(self.bucket[game], self.codes.shape[2] - 1)


# Where tables are in the arrays, and what is read from them.


class StoredLayout(NamedTuple):
    """The tables of some streets of a stored board.

    ``in_buckets`` has for streets in buckets how many boards they have, games on rivers, and how
    many columns OOP and IP; other streets have the columns of hands.
    """

    streets: Sequence[StreetLayout]
    cards: CardsToCome
    in_buckets: Mapping[Street, tuple[int, tuple[int, int]]] = MappingProxyType({})

    def shapes(self, part: str) -> Iterator[tuple[int, ...]]:
        """Yields the shapes of OOP's and IP's tables, street by street."""
        boards = (1, *(len(deal.card) for deal in self.cards.deals))
        for layout, number in zip(self.streets, boards, strict=False):
            games, widths = self.in_buckets.get(layout.street, (number, self.cards.widths))
            for player, hands in enumerate(self.cards.players):
                rows, lines = layout.num_actions[player], len(layout.next_roots)
                if part == SHARES:
                    yield games, rows, widths[player]
                elif part == LOCKED:
                    yield number, rows
                elif layout.street != Street.RIVER:
                    yield number, lines, len(hands.combos) if part == VALUES else 2

    def size(self, part: str) -> int:
        """Returns how many numbers the array of a part has."""
        return sum(map(math.prod, self.shapes(part)))

    def split(self, part: str, numbers: Stored) -> list[tuple[Stored, Stored]]:
        """Returns views of the tables of OOP and IP in the array of a part, by street."""
        tables, begin = [], 0
        for shape in self.shapes(part):
            end = begin + math.prod(shape)
            tables.append(part_of(numbers, begin, end, shape))
            begin = end
        return list(zip(tables[::2], tables[1::2], strict=True))


@dataclass(frozen=True, eq=False)
class StoredArrays:
    """The arrays of a stored board, checked for dtype, shape and finiteness before they are used.

    Strategies, values and equities stay in their files until they are asked for.

    Attributes:
        where: what errors name.
        arrays: of the bundle.
        names: what the bundle calls the parts.
    """

    where: str
    arrays: Mapping[str, AnyArray] | Mapping[str, StoredArray]
    names: Mapping[str, str]

    def read(
        self, streets: Sequence[StreetLayout], cards: CardsToCome, scale: float = 1.0
    ) -> StoredTables:
        """Returns what was kept of some streets; a unit of values is ``scale`` of the money."""
        layout = StoredLayout(streets, cards)
        strategy, unit = self.read_shares(streets, cards), np.float32(scale)
        codes: Any = self._split(layout, VALUES, np.int16)
        bounds = self._split(layout, BOUNDS, np.float32)
        values = [
            (EncodedValues(oop, low[...] * unit), EncodedValues(ip, high[...] * unit))
            for (oop, ip), (low, high) in zip(codes, bounds, strict=True)
        ]
        locked = self._split(layout, LOCKED, np.uint8) if self._has(LOCKED) else None

        def buckets(depth: int, player: int, board: int) -> IntArray | None:
            return strategy[depth][player].buckets_on(board)

        if streets[0].street != Street.FLOP:
            return StoredTables(strategy, values, locked, None, buckets)
        equity: Any = self._require(EQUITY, [np.uint16], *(len(p.combos) for p in cards.players))

        def shares() -> FloatArray:
            won: FloatArray = equity[...] / _LARGEST_EQUITY
            return won

        return StoredTables(strategy, values, locked, shares, buckets)

    def read_shares(
        self, streets: Sequence[StreetLayout], cards: CardsToCome
    ) -> list[tuple[EncodedShares, EncodedShares]]:
        """Returns the strategies alone; see `read`."""
        shares, in_buckets = self._require(SHARES, list(_LARGEST), None), dict[Street, Any]()
        layout = StoredLayout(streets, cards, in_buckets)
        # By street in buckets, the game of each board and by player the columns of hands.
        known: dict[Street, tuple[IntArray, list[AnyArray]]] = {}
        if self._has(TURN_BUCKETS[0]):
            games = np.arange(len(cards.deals[0].card))
            oop, ip = turns = self._require_buckets(TURN_BUCKETS, np.uint16, len(games), cards)
            in_buckets[Street.TURN] = len(games), (int(oop.max()) + 1, int(ip.max()) + 1)
            known[Street.TURN] = games, turns
        if streets[-1].street == Street.RIVER and self._has(RIVER_GAME):
            num_runouts = len(cards.deals[-1].card) if cards.deals else 1
            games = self._require(RIVER_GAME, [np.int32], num_runouts)[...].astype(np.int64)
            if games.min() < 0:
                raise BundleError(self.where, f"{self.names[RIVER_GAME]} has numbers below 0")
            number = int(games.max()) + 1
            # What earlier streets leave of the array is the rivers'.
            left = shares.size - layout._replace(streets=streets[:-1]).size(SHARES)
            width = left // max(number * sum(streets[-1].num_actions), 1)
            in_buckets[Street.RIVER] = number, (width, width)
            buckets = self._require_buckets(BUCKETS, np.uint8, number, cards)
            known[Street.RIVER] = games, buckets
        found = []
        for each, (oop, ip) in zip(streets, self._split(layout, SHARES, shares.dtype), strict=True):
            game, (first, second) = known.get(each.street, (None, (None, None)))
            # As large as their number is that of hands that cannot be.
            for table, bucket in ((oop, first), (ip, second)):
                if bucket is not None and bucket.max(initial=0) > table.shape[-1]:
                    raise BundleError(
                        self.where, f"has buckets beyond {table.shape[-1]} solved ones"
                    )
            found.append((EncodedShares(oop, game, first), EncodedShares(ip, game, second)))
        return found

    def _require_buckets(
        self, parts: Sequence[str], dtype: type, number: int, cards: CardsToCome
    ) -> list[AnyArray]:
        """Returns ``[number, n]`` the columns of OOP's and IP's hands."""
        return [
            self._require(part, [dtype], number, len(hands.combos))[...]
            for part, hands in zip(parts, cards.players, strict=True)
        ]

    def _has(self, part: str) -> bool:
        return self.names.get(part) in self.arrays

    def _require(self, part: str, dtypes: Sequence[Any], *shape: int | None) -> Stored:
        return require_array(self.where, self.arrays, self.names[part], dtypes, shape)

    def _split(
        self, layout: StoredLayout, part: str, dtype: npt.DTypeLike
    ) -> list[tuple[Stored, Stored]]:
        size = layout.size(part)  # nothing is kept of nothing: rivers have no next card
        return layout.split(part, self._require(part, [dtype], size) if size else np.zeros(0))


# A saved spot: how its bundle is laid out, and how its solution is opened without a solver.
#
# The bundle has a solution, which is looked at, and, unless it was told not to, the resume part,
# which a solver goes on from. Arrays of the solution are named ``solution_PART``, those of the
# resume part ``STREET_PLAYER_PART``. Bundles that were saved on the way have the resume part alone.

SPOT_KIND = "spot"
SPOT_SCHEMA_VERSION = 2
SPOT_SCHEMAS = (1, SPOT_SCHEMA_VERSION)
REPORT = "report"
_REAL = "real_chips"

#: What a bundle calls the parts of a spot.
SPOT_NAMES = {part: f"solution_{part}" for part in PARTS}


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
    """Returns in which game the exploitability of a spot is: rivers in buckets are another one.

    Best responses tell all hands apart on turns, so with buckets there it is an upper bound.
    """
    if config.rivers != "compact":
        return ExploitabilityMeaning.REAL_GAME
    is_bound = config.turn_buckets is not None
    return ExploitabilityMeaning.UPPER_BOUND if is_bound else ExploitabilityMeaning.OWN_GAME


@dataclass(frozen=True)
class RealGameLoss:
    """What OOP and IP win with best responses, and with their strategies, beyond half the pot."""

    best_response: tuple[float, float]
    value: tuple[float, float]
    pot: float

    @property
    def exploitability_pot(self) -> float:
        """The mean gain of a best response, as a fraction of the pot."""
        return sum(self.gains_pot) / len(self.gains_pot)

    @property
    def gains_pot(self) -> tuple[float, float]:
        """What OOP and IP gain by answering best instead, as fractions of the pot."""
        oop, ip = (best - own for best, own in zip(self.best_response, self.value, strict=True))
        return oop / self.pot, ip / self.pot

    def to_report(self) -> dict[str, Any]:
        """Returns what the report of a spot notes."""
        return {_REAL: [list(self.best_response), list(self.value)]}

    @classmethod
    def of_report(cls, report: Mapping[str, Any], pot: float) -> "RealGameLoss | None":
        """Returns what a report has noted, None if nothing was measured."""
        if _REAL not in report:
            return None
        (best_oop, best_ip), (oop, ip) = (map(require_number, pair) for pair in report[_REAL])
        return cls((best_oop, best_ip), (oop, ip), pot)


def quality_of(config: SpotConfig, report: Mapping[str, Any], manifest: Manifest | None) -> Quality:
    """Returns how well a spot is solved, of what its report says."""
    curve = (
        (int(require_number(number)), require_number(chips) / config.pot)
        for number, chips in report["curve_chips"]
    )
    loss = RealGameLoss.of_report(report, config.pot)
    return Quality(
        require_number(report["exploitability_chips"]) / config.pot,
        meaning_of(config),
        int(require_number(report["iterations"])),
        require_number(report["seconds"]),
        real_exploitability=None if loss is None else loss.exploitability_pot,
        curve=tuple(curve),
        manifest=manifest,
    )


def has_solution(path: Path | str) -> bool:
    """Returns whether a saved spot can be opened without a solver."""
    return any(name.startswith("solution_") for name in read_manifest(path).arrays)


def arrays_of_spot(
    bundle: Bundle, streets: Sequence[StreetLayout], cards: CardsToCome
) -> Mapping[str, Any]:
    """Returns the arrays of a saved spot in the layout of now."""
    if bundle.manifest.schema_version == SPOT_SCHEMA_VERSION:
        return bundle.stored
    arrays = convert_spot(bundle.arrays, streets, cards)
    known = {name for name in arrays if not name.startswith("solution_")}
    return {name: arrays[name] for name in arrays if name in {*SPOT_NAMES.values(), *known}}


def load_spot(path: Path | str) -> StoredSpot:
    """Opens the solution of a saved spot; arrays stay on the disk until they are looked at."""
    bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMAS, verify=False)
    with reading_contents(path):
        config = SpotConfig.parse(parse_yaml(bundle.config_text or ""))
        spot = build_spot(config)
        cards = spot.plan_cards()
        quality = quality_of(config, bundle.documents[REPORT], bundle.manifest)
        streets = make_layouts(spot.tree)
        stored = arrays_of_spot(bundle, streets, cards)
    tables = StoredArrays(str(path), stored, SPOT_NAMES).read(streets, cards)
    return StoredSpot(spot, cards, tables, quality, config, config_text=bundle.config_text or "")


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

    The bucket number says which of the flop's ways to make buckets the leaf uses.
    """
    # Both players hold everything.
    bucket, turn = f"flop{flop}_bucket{bucket_number}", f"flop{flop}_turn_bucket{bucket_number}"
    return {
        **{part: f"flop{flop}_leaf{leaf}_{part}" for part in (SHARES, VALUES, BOUNDS)},
        EQUITY: f"flop{flop}_equity",
        RIVER_GAME: f"flop{flop}_game{bucket_number}",
        **dict.fromkeys(BUCKETS, bucket),
        **dict.fromkeys(TURN_BUCKETS, turn),
    }


@dataclass(frozen=True, eq=False)
class JointFlops:
    """What was kept of all flop leaves on all flops.

    Attributes:
        last_street: the last street whose strategies were kept.
        bucket_numbers: of each leaf, which of a flop's ways to make buckets it uses; none if rivers
            are not in buckets.
        is_old: whether arrays are those of schema 1.
        runout_subset: the runouts of the game.
    """

    arrays: Mapping[str, StoredArray]
    flops: FlopList
    last_street: Street
    config_text: str
    bucket_numbers: tuple[int, ...] = ()
    is_old: bool = False
    runout_subset: RunoutSubset = ALL_RUNOUTS

    @classmethod
    def load(cls, path: Path) -> "JointFlops":
        """Opens what was kept; arrays stay on the disk until they are looked at."""
        bundle = load_bundle(path, FLOPS_KIND, FLOPS_SCHEMAS, verify=False)
        with reading_contents(path):
            layout = bundle.documents[LAYOUT]
            flops = tuple(GivenFlop.parse(text).canonical for text in layout["flops"])
            runouts = layout.get("runouts", ())  # numbers of turns and rivers, and a seed
            for number, least in zip(runouts, (1, 1, 0), strict=False):
                if number is not None and not (type(number) is int and number >= least):
                    raise ValueError("runouts that are no numbers of cards")
            return cls(
                arrays=bundle.stored,
                flops=FlopList(flops, require_shares(layout["weights"], len(flops))),
                last_street=Street[layout["last_street"].upper()],
                config_text=bundle.config_text or "",
                bucket_numbers=tuple(layout["bucket_numbers"]),
                is_old=bundle.manifest.schema_version < FLOPS_SCHEMA_VERSION,
                runout_subset=RunoutSubset(*runouts),
            )

    def trees(self, tree: PreflopTree) -> tuple[PostflopTree, ...]:
        """Returns the betting at each flop leaf, in pots."""
        from runout.config.load import parse_config  # configs of runs, which spots do not need
        from runout.config.run import RunConfig

        with reading_contents("config of the flops"):
            config = parse_config(self.config_text, RunConfig)
            assert config.postflop_model is not None
            rules = config.joint_settings.betting_rules(config.postflop_model)
            return build_flop_trees(tree, rules)

    def open(
        self,
        given: GivenFlop,
        leaf: int,
        trees: Sequence[PostflopTree],
        weights: FloatArray,
        pot_bb: float,
    ) -> StoredSpot:
        """Opens a flop leaf, by its number, on one flop, as a spot in big blinds.

        The flop is in any suits, in which paths and hands are, too. The betting at all leaves is in
        pots; ``weights[2, 1326]`` are what OOP and IP bring.
        """
        stored, streets, planned = self._find(self.flops.find(given), leaf, trees)
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
        flop_cards, subset = self.flops.flops[flop], self.runout_subset
        cards = CardsToCome.plan(flop_cards, _EVERYONE, subset=subset)
        leaves = [
            StoredLayout([s for s in make_layouts(each) if s.street <= self.last_street], cards)
            for each in trees
        ]
        names = names_of_flop(flop, leaf, self.bucket_numbers[leaf] if self.bucket_numbers else 0)
        where, streets = f"flop {self.flops.names[flop]}", leaves[leaf].streets
        if not self.is_old:
            return StoredArrays(where, self.arrays, names), streets, cards
        with reading_contents(where):
            arrays = convert_joint_flop(self.arrays, names, flop, leaf, leaves)
        return StoredArrays(where, arrays, names), streets, cards


# Bundles of schema 1, which had one array for each street and player, as arrays of parts.


def convert_spot(
    arrays: Mapping[str, AnyArray], streets: Sequence[StreetLayout], cards: CardsToCome
) -> dict[str, AnyArray]:
    """Returns the arrays of a spot that was saved as ``solution_STREET_PLAYER_PART``."""
    converted = dict(arrays)
    for part, old in {SHARES: "strategy", VALUES: VALUES, BOUNDS: BOUNDS, LOCKED: LOCKED}.items():
        tables = []
        for layout, (player, word) in product(streets, enumerate(PLAYER_WORDS)):
            table = arrays.get(f"solution_{layout.street.label}_{word}_{old}", np.zeros(0))
            in_buckets = layout.street == Street.RIVER and SPOT_NAMES[RIVER_GAME] in arrays
            if part == SHARES and table.size and not in_buckets:  # columns of hands were not padded
                padding = cards.players[player].width - table.shape[-1]
                table = np.pad(table, [(0, 0), (0, 0), (0, padding)])
            tables += [table.ravel()] if table.size else []
        converted |= {SPOT_NAMES[part]: np.concatenate(tables)} if tables else {}
    return converted


def convert_joint_flop(
    arrays: Mapping[str, StoredArray],
    names: Mapping[str, str],
    flop: int,
    leaf: int,
    leaves: Sequence[StoredLayout],
) -> dict[str, Any]:
    """Returns the arrays of a flop leaf that was saved as ``flopF_leafL_STREET_PLAYER``.

    The values of all leaves of a flop were lines of one array. Parts are called by their `names`
    now; flops and leaves count from 0.
    """
    tables = [
        arrays[f"flop{flop}_leaf{leaf}_{layout.street.label}_{word}"][...].ravel()
        for layout, word in product(leaves[leaf].streets, PLAYER_WORDS)
    ]
    converted: dict[str, Any] = {**arrays, names[SHARES]: np.concatenate(tables)}
    for part in (VALUES, BOUNDS):
        ends = np.cumsum([one.size(part) for one in leaves[: leaf + 1]])[:-1]
        *_, own = np.split(arrays[f"flop{flop}_{part}"][...].ravel(), ends)
        converted[names[part]] = own[: leaves[leaf].size(part)]
    return converted
