"""One spot: a board, two ranges, the money and the betting, and how well it is to be solved."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from annotated_types import Ge, Le
from pydantic import AfterValidator, AllowInfNan, ConfigDict, Strict

from runout.arrays import FloatArray
from runout.cards.deck import (
    FLOP_SIZE,
    NUM_COMBOS,
    disjoint_combos,
    format_cards,
    live_combos,
    parse_board,
)
from runout.cards.ranges import RANDOM, Range
from runout.cfr.schedules import DCFR_SPOT, StoppingRule
from runout.config import values
from runout.config.section import END, LATER, NOTHING, ConfigSection, Read, problem
from runout.config.values import NotNegative
from runout.config.yaml_text import show_value
from runout.errors import RangeError, quote
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.paths import Line
from runout.trees.sizes import PLAYER_KEYS, STREET_KEYS, Place, SizeRules, Sizes, format_bet_size
from runout.trees.tree import PostflopTree

#: Probabilities of a lock may miss a sum of 1 by this much.
_SUM_TOLERANCE = 1e-5

_Shares: TypeAlias = tuple[tuple[str, float], ...]


class SpotOrigin(ConfigSection):
    """The node of a run that a spot was taken from, and what the run counted with there."""

    run: str
    """The directory of the run."""
    node: str
    """The actions before the flop."""
    oop_ev: float
    """EV of OOP in chips, the mean over flops."""
    ip_ev: float
    """EV of IP in chips, the mean over flops."""

    def describe(self) -> str:
        """Returns where the spot comes from and what was counted with, in one line."""
        return (
            f"from {self.run}, node {self.node}, where OOP gets {self.oop_ev:.1f} and IP "
            f"{self.ip_ev:.1f} chips on average over flops"
        )


def _read_range(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a pair of digits such as 77 is a number in YAML and means the hand
    if not isinstance(value, str):
        raise ValueError
    if Range(value).is_empty:
        raise problem("every weight is 0, no hand is left")
    return " ".join(value.split())


def _read_strategy(value: Any) -> tuple[tuple[str, _Shares], ...]:
    """Reads probabilities by action, for all hands, or by range and action."""
    inner = value.values() if isinstance(value, Mapping) else ()
    is_by_range = any(isinstance(shares, Mapping) for shares in inner)
    strategy = []
    for hands, shares in (value if is_by_range else {RANDOM: value}).items():
        place = (str(hands),) if is_by_range else ()
        try:
            Range(str(hands))
        except RangeError as error:
            raise problem(f"{quote(str(hands))} is not a range ({error})", *place) from error
        if not isinstance(shares, Mapping) or not shares:
            text = f"{show_value(shares or None)} is not a mapping of actions"
            raise problem(f"{text}, write {{x: 40%, b60: 60%}}", *place)
        numbers = {}
        for action, given in shares.items():
            share = given if type(given) in (int, float) else values.read_percentage(given)
            if share is None or not 0.0 <= share <= 1.0:
                text = f"{show_value(given)} is not a probability such as 0.4 or 40%"
                raise problem(text, *place, str(action))
            numbers[str(action).strip()] = float(share)
        total = sum(numbers.values())
        if abs(total - 1.0) > _SUM_TOLERANCE:
            raise problem(f"the probabilities sum to {total:g}, not to 1", *place)
        strategy.append((str(hands), tuple(numbers.items())))
    return tuple(strategy)


def _plain_strategy(strategy: tuple[tuple[str, _Shares], ...]) -> dict[str, Any]:
    by_range = {hands: dict(shares) for hands, shares in strategy}
    return by_range[RANDOM] if list(by_range) == [RANDOM] else by_range


class NodeLock(ConfigSection):
    """A decision whose strategy is given and not learned."""

    node: Annotated[str, AfterValidator(str.strip)]
    """Path of the decision, such as `x:b60`."""
    strategy: Annotated[
        tuple[tuple[str, _Shares], ...],
        Read("a mapping of actions", _read_strategy, _plain_strategy, ("object",)),
    ]
    """Probabilities by action, or by range and action; of ranges that overlap the first wins, and
    other hands stay free."""
    locks_alike: Annotated[bool, LATER] = False
    """Lock cards that differ by suits only alike."""


def lock_keys(path: str, codes: list[str], strategy: FloatArray) -> dict[str, Any]:
    """Returns the keys of a lock with ``[A, 1326]`` probabilities, NaN for hands that stay free.

    Hands that do the same are one range; cards that differ by suits only are locked alike.
    """
    hands_of: dict[tuple[float, ...], FloatArray] = {}
    for combo in np.flatnonzero(~np.isnan(strategy).any(axis=0)):
        key = tuple(strategy[:, combo].round(7).tolist())
        hands_of.setdefault(key, np.zeros(NUM_COMBOS))[combo] = 1.0
    rows = {str(Range(h)): dict(zip(codes, row, strict=True)) for row, h in hands_of.items()}
    return {"node": path, "strategy": rows, "locks_alike": True}


# Chips are far from the limits of float32, in which pots are played.
_Chips: TypeAlias = Annotated[float, Ge(0.001), Le(1_000_000_000)]
_Range: TypeAlias = Annotated[
    str, Read("a range such as 22+,AKs:0.5", _read_range, types=("string", "integer"))
]


def _read_line(given: Any) -> str:
    """Reads a line, as text or as a list of amounts."""
    parts = given if isinstance(given, list | tuple) else [given]
    return str(Line.parse(" ".join(map(str, parts))))


_LINE, _FORMS = "such as 0 12 38 or x:b12:r38", ("array", "string", "integer")
_Lines: TypeAlias = Annotated[
    tuple[Annotated[str, Read(f"a line {_LINE}", _read_line, types=_FORMS)], ...],
    AfterValidator(lambda lines: tuple(dict.fromkeys(lines))),
    Read(f"a list of lines {_LINE}", values.as_list, list, _FORMS),
]
_SIZE_KEYS = ("bet_sizes", "raise_sizes", "donk_sizes")


class ReportConfig(ConfigSection):
    """A spot without a board, for a report over many flops."""

    oop: _Range
    """Range of the player out of position: 22+,AKs:0.5."""
    ip: _Range
    """Range of the player in position."""
    pot: _Chips
    """Pot at the start, in chips. Bets are whole chips, hundredths if pot or stack has decimals."""
    stack: _Chips
    """Chips that the shorter player has left."""
    bet_sizes: values.SpotSizes = Sizes.parse(["33%", "75%"])
    """Sizes of a first bet: 33%,75%,100c,e,a. One list, or a mapping by street, by player, or
    by both; an empty list never bets."""
    raise_sizes: values.SpotRaiseSizes = Sizes.parse(["2.5x"], SizeRules(for_raises=True))
    """Sizes of a raise: 60%,2.5x,a. `%` of the pot after calling, `x` the bet."""
    donk_sizes: values.SpotSizes | None = None
    """Sizes of OOP's bets into the last aggressor; `null`: the bet sizes, an empty list: never."""
    max_raises_per_street: values.Raises | None = None
    """Maximum number of raises of a street, all-in raises included; `null`: no limit."""
    add_all_in_threshold: Annotated[NotNegative, AllowInfNan(True)] = 1.5
    """Pots after calling up to which all-in is added; `.inf`: always, 0: only as a size."""
    force_all_in_threshold: NotNegative = 0.15
    """A bet that leaves at most this many pots (after a call) behind is all-in instead."""
    merging_threshold: NotNegative = 0.1
    """Of two sizes that differ by at most this many pots, the larger stays; 0: equal ones only."""
    force_all_in_share: Annotated[values.Share, LATER] = 1.0
    """A bet with which its player has put in at least this share of the stack is all-in instead."""
    added_lines: Annotated[_Lines, LATER] = ()
    """Lines that the tree has besides those of the sizes: `0 12 38` (put in since the root, an
    amount for each action) or `x:b12:r38`."""
    removed_lines: Annotated[_Lines, LATER] = ()
    """Lines whose last action is taken out of the tree; in a path, `b` is every bet or raise."""
    rake_rate: values.UpToOne = 0.0
    """Fraction of every won pot that the house takes. A raked game is not zero-sum."""
    rake_cap: NotNegative | None = None
    """Most chips that the house takes; `null`: no cap."""
    cfr_variant: values.Variant = DCFR_SPOT
    """Weights of iterations: a name, or the exponents of discounted CFR."""
    target: Annotated[values.Target, END] = 0.005
    """Exploitability that ends the solve: 0.5% of the pot; `null` is off."""
    max_iterations: Annotated[values.Count, END] = 10_000
    """Maximum number of iterations."""
    max_seconds: values.Seconds = None
    """Seconds after which the solve ends; counted anew when it is resumed."""
    checkpoint_minutes: Annotated[NotNegative, NOTHING] = 5.0
    """Minutes between two saves of the solve; 0: only at its end."""
    keep_resume: Annotated[bool, NOTHING] = True
    """Keep what a finished solve can go on from; without it the files are much smaller."""
    precision: values.Precision = 32
    """Bits of numbers in tables: 16 takes half the memory; it costs a little accuracy."""
    rivers: Literal["auto", "exact", "compact"] = "auto"
    """Rivers of a flop: exact, compact or auto. Compact groups hands by strength, in less time and
    memory; `auto`: exact if a spot takes at most half of the free memory, and in reports."""
    river_buckets: values.RiverBuckets = 48
    """Buckets of strength in which hands are grouped on each river."""
    river_blockers: values.RiverBlockers = "auto"
    """Tell apart blockers of strong hands in half of the buckets; `auto`: with 8 pots or more."""
    turn_buckets: Annotated[values.TurnBuckets | None, LATER] = None
    """Buckets in which compact rivers group hands on each turn card, too; `null`: all hands."""
    merges_suits: bool = True
    """Solve cards that differ by suits only once. It changes no result."""
    locks: Annotated[tuple[NodeLock, ...], Strict(False)] = ()
    """Decisions whose strategy is given and not learned."""
    big_blind: Annotated[_Chips | None, NOTHING] = None
    """Chips of a big blind, for amounts in big blinds; it changes no result."""
    origin: Annotated[SpotOrigin | None, NOTHING] = None
    """Run and node that the spot was taken from; `solve-spot --from` sets it."""

    def _faults(self) -> Iterator[tuple[Place, str]]:
        if self.turn_buckets is not None and self.rivers == "exact":
            yield ("turn_buckets",), "needs rivers: compact"

    def ranges(self) -> tuple[Range, Range]:
        """Returns the ranges of OOP and IP, with hands that the board blocks."""
        return Range(self.oop), Range(self.ip)


class SpotConfig(ReportConfig):
    """Config of a spot: board, ranges, betting and the solve.

    >>> from runout import SpotConfig
    >>> SpotConfig(board="QsJh2h", oop="22+", ip="ATo+", pot=180, stack=910).tree().num_nodes > 100
    True
    """

    model_config = ConfigDict(defer_build=False)  # most commands read one

    board: Annotated[
        str, Read("a board such as QsJh2h", lambda text: format_cards(parse_board(text)))
    ]
    """Cards on the table, a flop, turn or river: QsJh2h."""

    def _faults(self) -> Iterator[tuple[Place, str]]:
        yield from super()._faults()
        live = live_combos(self.board_cards)
        oop, ip = held = [live[each.weights[live] > 0.0] for each in self.ranges()]
        blocked = [key for key, hands in zip(PLAYER_KEYS, held, strict=True) if not len(hands)]
        for key in blocked:
            yield (key,), f"no hand of the range avoids the board {self.board}"
        if not blocked and not any(disjoint_combos(hand, ip).any() for hand in oop[:, None]):
            yield ("ip",), "every hand of the range shares a card with every hand of oop"
        if self.rivers == "compact" and self.first_street != Street.FLOP:
            yield ("rivers",), f"compact needs a flop, the board is {self.board}"
        given = {key: getattr(self, key) for key in _SIZE_KEYS if getattr(self, key) is not None}
        for key, sizes in given.items():
            for street in STREET_KEYS[self.first_street :]:
                if sizes.at(street, "oop") is None:
                    yield (key,), f"{street} is missing, give every street from the board on"
            for place, row in sizes.rows:
                for position, size in enumerate(row):
                    if size.unit == "c" and size.number > self.stack:
                        text = f"'{format_bet_size(size)}' cannot be bet"
                        yield (key, *place, position), f"{text}, the stack is {self.stack:g}"

    @property
    def board_cards(self) -> tuple[int, ...]:
        """The cards on the table."""
        return parse_board(self.board)

    @property
    def first_street(self) -> Street:
        """The street of the board."""
        return Street(len(self.board_cards) - FLOP_SIZE)

    def betting_rules(self) -> BettingRules:
        """Returns the rules that the tree is built with."""
        thresholds = ("add_all_in_threshold", "force_all_in_threshold", "merging_threshold")
        lines = ("force_all_in_share", "added_lines", "removed_lines")
        names = (*_SIZE_KEYS, "max_raises_per_street", "first_street", *thresholds, *lines)
        return BettingRules.of(**{name: getattr(self, name) for name in names})

    def tree(self) -> PostflopTree:
        """Builds the betting tree; one that is too large raises `TreeError`."""
        rules = self.betting_rules()
        return PostflopTree.build(rules, Stakes.in_chips(self.pot, self.stack), self.first_street)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve ends; its values are in chips."""
        return StoppingRule(
            max_iterations=self.max_iterations,
            max_seconds=self.max_seconds,
            exploitability=None if self.target is None else self.target * self.pot,
        )

    def _spell_out(self, digest: dict[str, Any]) -> None:
        cards, added = self.board_cards, self.add_all_in_threshold
        rivers = [digest.pop(key) for key in ("rivers", "river_buckets", "river_blockers")]
        if self.rivers == "compact":
            digest["rivers"] = rivers
        for key in _SIZE_KEYS:
            del digest[key]
        oop, ip = (str(held.without_cards(cards)) for held in self.ranges())
        digest |= {
            "board": format_cards(sorted(cards)),
            "oop": oop,
            "ip": ip,
            "sizes": values.digest_menus(self.betting_rules(), _SIZE_KEYS, self.first_street),
            "locks": [lock.digest_mapping() for lock in self.locks],
            "rake_cap": None if self.rake_rate == 0.0 else self.rake_cap,
            "cfr_variant": values.digest_variant(self.cfr_variant),
            "add_all_in_threshold": added if math.isfinite(added) else ".inf",
        }
        for key in ("added_lines", "removed_lines"):
            if key in digest:
                digest[key] = sorted(digest[key])
