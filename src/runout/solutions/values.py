"""What each hand gets back after the flop against each hand, on every solved flop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from math import isclose, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Arrays, FloatArray, IntArray, divide, read_only
from runout.cards import deck
from runout.cards.flops import FlopList, GivenFlop, canonical_flop
from runout.equity.matchups import preflop_table
from runout.errors import BundleError, CardError, OptionError
from runout.solutions.node import ExploitabilityMeaning as ExploitabilityMeaning
from runout.solutions.node import Quality, Solution
from runout.solutions.sheet import Column, Sheet
from runout.storage.bundle import MAX_NUMBER, Manifest, load_bundle, part_of, reading_contents
from runout.storage.writer import BundleWriter
from runout.trees.tree import PostflopTree

if TYPE_CHECKING:
    from pandas import DataFrame

    from runout.config.flops import FlopsConfig

# How a solve went.


@dataclass(frozen=True)
class FlopReport:
    """The end of one flop's solve.

    Attributes:
        iterations: iterations done, each updating both players; those of all rounds together.
        exploitability_pot: mean gain of a best response, as a fraction of the flop pot.
        strategy_delta: largest change of an action's probability in the last iteration.
        seconds: time that iterating took, on however many cores; of all rounds together.
        num_deals: deals that were sampled, 0 if all were enumerated.
        meaning: in which game the exploitability is, and whether it is a bound.
    """

    iterations: int
    exploitability_pot: float
    strategy_delta: float
    seconds: float
    num_deals: int
    meaning: ExploitabilityMeaning


def reports_to_array(reports: Sequence[FlopReport]) -> FloatArray:
    """Returns ``[n, 6]`` the numbers of reports, for saving."""
    meanings = list(ExploitabilityMeaning)
    rows = [{**vars(report), "meaning": meanings.index(report.meaning)} for report in reports]
    return np.array([list(row.values()) for row in rows], dtype=np.float64)


def reports_from_array(numbers: FloatArray) -> list[FlopReport]:
    """Returns the reports that `reports_to_array` wrote."""
    meanings = dict(enumerate(ExploitabilityMeaning))
    if unknown := set(numbers[:, -1].tolist()) - meanings.keys():
        raise ValueError(f"{min(unknown):g} is no meaning of an exploitability")
    return [
        FlopReport(int(iterations), pots, delta, seconds, int(deals), meanings[int(meaning)])
        for iterations, pots, delta, seconds, deals, meaning in numbers.tolist()
    ]


# What each hand gets back after the flop against each hand, on every solved flop.

NUM_POSITIONS = 2


@dataclass(frozen=True, eq=False)
class PostflopValues:
    """Values of all hand pairs at one stack-to-pot ratio.

    A value is what a hand gets back from the pot minus what it puts in after the flop, as a
    fraction of the flop pot: ``value_pot[f, 0, i, j] + value_pot[f, 1, j, i] == 1``.

    Attributes:
        flops: the solved flops and the share of all flops that each stands for.
        spr: effective stack over pot on entering the flop.
        value_pot: ``[F, 2, 169, 169]`` by flop, hero's position (OOP, IP), hero's and villain's
            hand; NaN where the flop leaves no way to deal both.
        reports: how each flop's solve went.
        ranges: ``[2, 169]`` how much of each hand OOP and IP held when it was solved, None if
            both held all hands.
    """

    flops: FlopList
    spr: float
    value_pot: npt.NDArray[np.float32]
    reports: tuple[FlopReport, ...]
    ranges: FloatArray | None = None

    def __post_init__(self) -> None:
        array, shape = self.value_pot, (len(self.flops.flops), NUM_POSITIONS, *[deck.NUM_HANDS] * 2)
        if array.dtype.kind != "f" or (array.shape, len(self.reports)) != (shape, shape[0]):
            came = f"value_pot of shape {array.shape} with {len(self.reports)} reports"
            raise ValueError(f"{came}, {shape[0]} flops need {shape}")

    def range_evs(self, flop_index: int) -> tuple[float, float]:
        """Returns what OOP and IP get of the pot on a flop, with the ranges it was solved for."""
        joint = deck.matchup_weights(self.flops.flops[flop_index]).astype(np.float64)
        if self.ranges is not None:
            joint *= self.ranges[0][:, None] * self.ranges[1][None, :]
        for values, weights in zip(self.value_pot[flop_index], (joint, joint.T), strict=True):
            self._require_known(flop_index, values[weights > 0.0])
        oop, ip = np.nan_to_num(self.value_pot[flop_index])
        return float((oop * joint).sum() / joint.sum()), float((ip * joint.T).sum() / joint.sum())

    def _require_known(self, number: int, values: FloatArray) -> None:
        """Refuses values of hands that can meet if some are missing: they must not pass for 0."""
        if not (np.abs(values) <= MAX_NUMBER).all():
            raise BundleError(self.flops.names[number], "hands that can meet have no value")

    def get_by_flop(
        self, flop_index: int, hero_position: int, hero_hand: int, villain_hand: int
    ) -> float:
        """Returns what a hand gets against a hand on one flop; both are 0 to 168."""
        value = float(self.value_pot[flop_index, hero_position, hero_hand, villain_hand])
        if np.isnan(value):
            hands = " against ".join(deck.HAND_NAMES[hand] for hand in (hero_hand, villain_hand))
            raise CardError(hands, f"cannot both be dealt on {self.flops.names[flop_index]}")
        return value

    def average(self, hero_position: int) -> FloatArray:
        """Returns ``[169, 169]`` mean values over the flops, NaN where no flop allows the pair.

        A flop counts by its own weight and the number of ways it leaves to deal the two hands.
        """
        return divide(*self._totals(hero_position))

    @cached_property
    def hand_avg_values(self) -> FloatArray:
        """``[2, 169]`` mean value of each hand as OOP and as IP, over flops and villain's hands."""
        totals = [self._totals(position) for position in range(NUM_POSITIONS)]
        return np.stack([divide(won.sum(axis=1), dealt.sum(axis=1)) for won, dealt in totals])

    def _totals(self, hero_position: int) -> tuple[FloatArray, FloatArray]:
        """Returns ``[169, 169]`` values added up over all deals, and the weight of these deals."""
        if hero_position not in range(NUM_POSITIONS):
            raise IndexError(f"position {hero_position}, there are OOP = 0 and IP = 1")
        total = np.zeros((deck.NUM_HANDS, deck.NUM_HANDS))
        weight = np.zeros((deck.NUM_HANDS, deck.NUM_HANDS))
        values = self.value_pot[:, hero_position]
        for number, (flop, share) in enumerate(
            zip(self.flops.flops, self.flops.weights, strict=True)
        ):
            joint, value = share * deck.matchup_weights(flop), values[number]
            self._require_known(number, value[joint > 0.0])
            total += joint * np.nan_to_num(value)
            weight += joint
        return total, weight


# What a flop is worth to two preflop players, at any stack-to-pot ratio.
#
# Preflop leaves have their own ratios. A book that was solved at a leaf's ratio answers exactly;
# between two solved ratios it interpolates (linearly in the logarithm of the ratio, as play changes
# with multiples of the pot); outside of all of them it takes the nearest and says so.

#: Position of the small blind after the flop.
IP = 1

#: Ratios closer than this share of themselves count as equal.
SPR_TOLERANCE = 0.02

#: Ratios are printed with four digits, and may be given so.
SPR_ROUNDING = 1e-3


class ValueSource(StrEnum):
    """Where a leaf's values come from."""

    SOLVED = "solved"
    INTERPOLATED = "interpolated"
    EXTRAPOLATED = "extrapolated"
    RAW_EQUITY = "raw equity"
    JOINT = "joint"


@dataclass(frozen=True, eq=False)
class LeafValues:
    """What the player in position gets at a preflop leaf that sees a flop.

    Attributes:
        share_of_ip: ``[169, 169]`` fraction of the flop pot that comes back to the row's hand in
            position against the column's hand, minus what it puts in after the flop.
        source: where it comes from.
        detail: in words, such as ``between SPR 3.5 and 6``.
    """

    share_of_ip: FloatArray
    source: ValueSource
    detail: str


@dataclass(frozen=True, eq=False)
class ValueBook:
    """Values by stack-to-pot ratio.

    Attributes:
        sprs: solved ratios, ascending; none means that flops are checked down.
        shares: for each of them, `LeafValues.share_of_ip`.
    """

    sprs: tuple[float, ...] = ()
    shares: tuple[FloatArray, ...] = ()

    @classmethod
    def from_values(cls, values: Sequence[PostflopValues]) -> "ValueBook":
        """Returns a book of solved ratios, averaged over their flops."""
        ordered = sorted(values, key=lambda solved: solved.spr)
        return cls(tuple(v.spr for v in ordered), tuple(map(average_share, ordered)))

    def at_spr(self, spr: float) -> LeafValues:
        """Returns the values at a stack-to-pot ratio."""
        if not self.sprs:
            return LeafValues(raw_equity(), ValueSource.RAW_EQUITY, "checked down")
        closest = int(np.abs(np.array(self.sprs) - spr).argmin())
        solved = self.sprs[closest]
        if abs(solved - spr) <= SPR_TOLERANCE * solved:
            detail = f"solved at SPR {solved:g}"
            return LeafValues(self.shares[closest], ValueSource.SOLVED, detail)
        above = int(np.searchsorted(self.sprs, spr))
        if above in (0, len(self.sprs)):
            nearest = min(above, len(self.sprs) - 1)
            detail = f"SPR {spr:g} is outside, taken from SPR {self.sprs[nearest]:g}"
            return LeafValues(self.shares[nearest], ValueSource.EXTRAPOLATED, detail)
        low, high = self.sprs[above - 1], self.sprs[above]
        weight = log(spr / low) / log(high / low)
        share = (1.0 - weight) * self.shares[above - 1] + weight * self.shares[above]
        return LeafValues(share, ValueSource.INTERPOLATED, f"between SPR {low:g} and {high:g}")


def average_share(values: PostflopValues) -> FloatArray:
    """Returns ``[169, 169]`` what the player in position gets, averaged over the flops.

    Hands that no flop of a short list allows together get their raw equity.
    """
    share = values.average(IP)
    missing = np.isnan(share)
    share[missing] = raw_equity()[missing]
    return read_only(share)


@cache
def raw_equity() -> FloatArray:
    """Returns ``[169, 169]`` the share of a pot that is checked down, by the hands of both."""
    return read_only(preflop_table().equities())


# What is kept of solved flops besides their values: strategies, buckets, whatever a backend needs.
#
# A backend says what it keeps of a flop as named arrays. On disk the arrays of one name, of all
# flops, are one file, so that a bundle has few files however many flops it has.

#: Returns a new array of a name, shape and type, to be filled.
CreateArray = Callable[[str, Sequence[int], np.dtype[Any]], AnyArray]

#: Of the arrays of a bundle that hold solutions: the numbers, and the shape on each flop.
_NUMBERS, _SHAPES = "solution", "solution_shape"


def join_solutions(solutions: Sequence[Sequence[Arrays]], create: CreateArray) -> None:
    """Writes solutions as the arrays of a bundle, flop by flop.

    Args:
        solutions: by stack-to-pot ratio and flop; every flop of a ratio has the same names.
        create: returns a new array of a name, shape and type; that it lives in a file, such as
            those of `BundleWriter.create_array`, saves a second copy in memory.
    """
    for number, of_flops in enumerate(solutions):
        for name, example in of_flops[0].items():
            # What does not depend on the ratio, such as buckets, is there once.
            pairs = zip(solutions[0], of_flops, strict=True)
            if number > 0 and all(np.array_equal(a[name], b[name]) for a, b in pairs):
                continue
            if {getattr(arrays.get(name), "dtype", None) for arrays in of_flops} != {example.dtype}:
                problem = f"{name} was kept by several versions, solve again with --no-resume"
                raise BundleError("strategies", problem)
            shapes = np.array([arrays[name].shape for arrays in of_flops], dtype=np.int64)
            ends = np.cumsum(np.prod(shapes, axis=1)).tolist()
            numbers = create(f"{_NUMBERS}_{number}_{name}", (ends[-1],), example.dtype)
            for begin, end, arrays in zip([0, *ends[:-1]], ends, of_flops, strict=True):
                numbers[begin:end] = np.ravel(arrays[name])
            create(f"{_SHAPES}_{number}_{name}", shapes.shape, shapes.dtype)[:] = shapes


def split_solutions(
    joined: Mapping[str, Any], num_ratios: int, num_flops: int
) -> tuple[tuple[Arrays, ...], ...]:
    """Returns what `join_solutions` wrote among the arrays of a bundle; empty if it did not."""
    prefix = f"{_NUMBERS}_0_"
    names = [key.removeprefix(prefix) for key in joined if key.startswith(prefix)]
    solutions = []
    for number in range(num_ratios if names else 0):
        of_flops: list[dict[str, AnyArray]] = [{} for _ in range(num_flops)]
        for name in names:
            is_own = f"{_NUMBERS}_{number}_{name}" in joined
            key = f"{number if is_own else 0}_{name}"
            numbers = joined[f"{_NUMBERS}_{key}"]
            shapes = cast(IntArray, joined[f"{_SHAPES}_{key}"][...])
            if shapes.ndim != 2 or len(shapes) != num_flops or (shapes < 0).any():
                raise ValueError(f"shapes of solutions of {num_flops} flops")
            ends = np.cumsum(np.prod(shapes, axis=1)).tolist()
            if numbers.ndim != 1 or ends[-1] != numbers.size:
                raise ValueError("solutions that have other shapes")
            places = zip(of_flops, [0, *ends[:-1]], ends, shapes.tolist(), strict=True)
            for arrays, begin, end, shape in places:
                arrays[name] = part_of(numbers, begin, end, shape)
        solutions.append(tuple(of_flops))
    return tuple(solutions)


def require_array(
    where: str,
    arrays: Mapping[str, Any],
    name: str,
    dtypes: Sequence[type],
    shape: tuple[int | None, ...],
    *,
    may_be_nan: bool = False,
) -> Any:
    """Returns an array of a bundle after looking whether it is what it should be.

    It has one of the dtypes, of which floats are read and looked through for infinities, and the
    shape, in which None is any length. Errors name `where` and the array.
    """
    array = arrays.get(name)
    if array is None:
        raise BundleError(where, f"has no array {name}")
    lengths = tuple(
        came if length is None else length for length, came in zip(shape, array.shape, strict=False)
    )
    if array.shape != lengths or len(shape) != array.ndim or array.dtype not in dtypes:
        wanted = " or ".join(np.dtype(dtype).name for dtype in dtypes)
        came, shown = f"{array.dtype} {array.shape}", str(shape).replace("None", "any")
        raise BundleError(where, f"{name} is {came}, this version builds {wanted} {shown}")
    if array.dtype.kind == "f":
        array = numbers = array[...]
        is_known = np.abs(numbers) <= MAX_NUMBER
        if not (is_known | np.isnan(numbers) if may_be_nan else is_known).all():
            raise BundleError(where, f"{name} has numbers that are not finite, or too large")
    return array


def require_shares(weights: npt.ArrayLike, num_flops: int) -> FloatArray:
    """Returns the weights of a list of flops: positive shares that add up to 1."""
    shares: FloatArray = np.array(weights, dtype=np.float64)
    if shares.shape != (num_flops,) or not (shares > 0.0).all() or not isclose(shares.sum(), 1.0):
        raise ValueError(f"weights of {num_flops} flops that are no shares of all")
    return shares


# Saving and opening postflop values; opening needs no solver and no kernel.

VALUES_KIND = "postflop_values"
VALUES_SCHEMA_VERSION = 2


@dataclass(frozen=True, eq=False, repr=False)
class ValueBundle(Solution):
    """Values at several stack-to-pot ratios on the same flops, and the config they came from.

    Attributes:
        values: one for each ratio.
        config_text: the YAML of the postflop model.
        config_digest: names everything in it that changes results.
        seed: of the run.
        solutions: by ratio and flop, what the backend has kept of its strategies; none if it was
            told to keep none.
        manifest: of its bundle; None as long as it is not saved.
    """

    kind = "values"

    values: tuple[PostflopValues, ...]
    config_text: str
    config_digest: str
    seed: int
    solutions: tuple[tuple[Arrays, ...], ...] = ()
    manifest: Manifest | None = None
    title: str = field(init=False)
    quality: Quality = field(init=False)

    def __post_init__(self) -> None:
        sprs = ", ".join(f"{values.spr:g}" for values in self.values)
        title = f"{len(self.flops)} flops at SPR {sprs}"
        reports = [report for values in self.values for report in values.reports]
        worst = max(reports, key=lambda report: report.exploitability_pot)
        quality = Quality(
            worst.exploitability_pot,
            worst.meaning,
            max(report.iterations for report in reports),
            sum(report.seconds for report in reports),
            manifest=self.manifest,
        )
        self.__dict__.update(title=title, quality=quality)

    def sheet(self) -> Sheet:
        """Returns a row for each ratio and flop, with what it is worth to both ranges."""
        keys = "spr flop weight ev_oop_pot ev_ip_pot exploitability_pot iterations seconds".split()
        sheet = Sheet(tuple(Column(key, key=key) for key in keys))
        for values in self.values:
            flops = values.flops
            for number, (name, share) in enumerate(zip(flops.names, flops.weights, strict=True)):
                report = values.reports[number]
                how = report.exploitability_pot, report.iterations, report.seconds
                sheet.add(values.spr, name, float(share), *values.range_evs(number), *how)
        return sheet

    def to_dataframe(self, *_: Any) -> "DataFrame":
        """Returns `sheet` as a frame; needs pandas."""
        return self.sheet().to_dataframe()

    @cached_property
    def config(self) -> "FlopsConfig":
        """The postflop model that was solved."""
        from runout.config.flops import FlopsConfig
        from runout.config.load import parse_config  # values are shown without it

        return parse_config(self.config_text, FlopsConfig)

    @cached_property
    def trees(self) -> tuple[PostflopTree, ...]:
        """The betting at each ratio, built again."""
        rules = self.config.betting_rules()
        return tuple(PostflopTree.build(rules, values.spr) for values in self.values)

    @property
    def flops(self) -> FlopList:
        """The flops that were solved."""
        return self.values[0].flops

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the bundle, all of it or nothing."""
        flops = self.values[0].flops
        with BundleWriter(
            path,
            kind=VALUES_KIND,
            schema_version=VALUES_SCHEMA_VERSION,
            seed=self.seed,
            config_text=self.config_text,
            config_digest=self.config_digest,
            measured=[f"reports_{number}" for number in range(len(self.values))],
            overwrite=overwrite,
        ) as writer:
            writer.add_array("flops", np.array(flops.flops, dtype=np.uint8))
            writer.add_array("flop_weights", flops.weights)
            given = np.array([deck.parse_cards(name) for name in flops.names], dtype=np.uint8)
            if not np.array_equal(given, np.array(flops.flops)):
                writer.add_array("flops_as_given", given)
            writer.add_array("sprs", np.array([values.spr for values in self.values]))
            for number, values in enumerate(self.values):
                writer.add_array(f"value_pot_{number}", values.value_pot)
                writer.add_array(f"reports_{number}", reports_to_array(list(values.reports)))
                if values.ranges is not None:
                    writer.add_array(f"ranges_{number}", values.ranges)
            join_solutions(self.solutions, writer.create_array)
            writer.commit()

    @classmethod
    def load(cls, path: Path | str, *, verify: bool = True) -> "ValueBundle":
        """Opens a bundle; values stay on disk until they are used, or verified."""
        bundle = load_bundle(path, VALUES_KIND, VALUES_SCHEMA_VERSION, verify=verify)
        where, arrays = str(path), bundle.arrays if verify else bundle.stored

        def read(name: str, dtype: type, *shape: int | None, may_be_nan: bool = False) -> Any:
            return require_array(where, arrays, name, [dtype], shape, may_be_nan=may_be_nan)

        with reading_contents(path):
            stored: Any = arrays.get("flops_as_given", arrays["flops"])
            cards, given = arrays["flops"][...].tolist(), stored[...].tolist()
            if [canonical_flop(flop) for flop in given] != [tuple(flop) for flop in cards]:
                raise ValueError("flops_as_given that are other flops")
            names = tuple(GivenFlop(tuple(flop)).name for flop in given)
            weights = require_shares(read("flop_weights", np.float64, None), len(cards))
            flops, values = FlopList(tuple((a, b, c) for a, b, c in cards), weights, names), []
            for number, spr in enumerate(read("sprs", np.float64, None).tolist()):
                value_pot: Any = arrays[f"value_pot_{number}"]
                numbers = read(f"reports_{number}", np.float64, None, None, may_be_nan=True)
                reports, ranges = tuple(reports_from_array(numbers)), None
                if f"ranges_{number}" in arrays:
                    ranges = read(f"ranges_{number}", np.float64, NUM_POSITIONS, deck.NUM_HANDS)
                values.append(PostflopValues(flops, spr, value_pot, reports, ranges))
            solutions = split_solutions(arrays, len(values), len(flops.flops))
        text, manifest = bundle.config_text or "", bundle.manifest
        digest, seed = manifest.config_digest or "", manifest.seed or 0
        return cls(tuple(values), text, digest, seed, solutions, manifest)

    def at_spr(self, spr: float | None = None) -> PostflopValues:
        """Returns the values of a solved ratio, as exact as it is printed, or of the only one."""
        found = [v for v in self.values if spr is None or isclose(v.spr, spr, rel_tol=SPR_ROUNDING)]
        if len(found) == 1:
            return found[0]
        solved = ", ".join(f"{ratio:.4g}" for ratio in sorted(v.spr for v in self.values))
        if spr is None:
            raise OptionError("--spr", f"there are several ratios, give one of {solved}")
        raise BundleError(f"spr {spr:g}", f"was not solved, this bundle has {solved}")
