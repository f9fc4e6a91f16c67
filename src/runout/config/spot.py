"""One spot: a board, two ranges, the money and the betting, and how well it is to be solved."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from runout.cards.deck import FLOP_SIZE, disjoint_combos, format_cards, live_combos, parse_board
from runout.cards.ranges import RANDOM, Range
from runout.cfr.schedules import DiscountSchedule, StoppingRule
from runout.config.flops import RIVER_BUCKETS, Precision, RiverBlockers
from runout.config.section import (
    NOT_NEGATIVE,
    PLAYER_KEYS,
    RAISES,
    STREET_KEYS,
    UP_TO_ONE,
    VARIANT,
    ConfigSection,
    Form,
    Key,
    PartError,
    Seconds,
    SizeChoice,
    SizesByStreet,
    all_sizes,
    as_number,
    cards_form,
    digest_menus,
    digest_variant,
    inside,
    make_menus,
    number,
    read_list,
    read_parts,
    refusal,
    schedule_of,
    sizes_form,
    whole,
)
from runout.config.yaml_text import join_path
from runout.errors import RangeError, quote, shorten
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.sizes import format_percent, parse_bet_size
from runout.trees.tree import PostflopTree

_NUMBER = number("a number", lambda _: True)


class SpotOrigin(ConfigSection):
    """The node of a run that a spot was taken from, and what the run counted with there."""

    run: Annotated[str, Form("a path such as runs/hu_25bb"), Key("nothing")]
    """The directory of the run."""
    node: Annotated[str, Form("a path such as r2:c"), Key("nothing")]
    """The actions before the flop."""
    oop_ev: Annotated[float, _NUMBER, Key("nothing", "chips")]
    """What OOP gets of the pot there, the mean over flops."""
    ip_ev: Annotated[float, _NUMBER, Key("nothing", "chips")]
    """What IP gets of the pot there, the mean over flops."""

    def describe(self) -> str:
        """Returns where the spot comes from and what was counted with, in one line."""
        return (
            f"from {self.run}, node {self.node}, where OOP gets {self.oop_ev:.1f} and IP "
            f"{self.ip_ev:.1f} chips on average over flops"
        )


# The keys that take more than one form.


#: Probabilities of a lock may miss a sum of 1 by this much.
SUM_TOLERANCE = 1e-5

_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)
_LOCK_FORM = "write {node: x, strategy: {x: 40%, b60: 60%}}"


@dataclass(frozen=True)
class NodeLock:
    """A decision whose strategy is given and not learned.

    Attributes:
        node: path of the decision.
        strategy: pairs of a range and what it does, as pairs of an action's code and its
            probability; of ranges that overlap the first wins, and other hands stay free.
        locks_alike: whether cards that differ by suits only are locked alike.
    """

    node: str
    strategy: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    locks_alike: bool = False

    def by_range(self) -> dict[str, dict[str, float]]:
        """Returns the probabilities by range and action."""
        return {hands: dict(probabilities) for hands, probabilities in self.strategy}

    def plain(self) -> dict[str, Any]:
        """Returns the lock as YAML has it."""
        strategy: Mapping[str, Any] = self.by_range()
        if list(strategy) == [RANDOM]:
            strategy = strategy[RANDOM]
        alike = {"locks_alike": True} if self.locks_alike else {}
        return {"node": self.node, "strategy": strategy, **alike}


def _read_range(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a pair of digits such as 77 is a number in YAML and means the hand
    if not isinstance(value, str):
        return None
    try:
        hand_range = Range(value)
    except RangeError as error:
        raise PartError("", str(error)) from error
    if hand_range.is_empty:
        raise PartError("", "every weight is 0, no hand is left")
    return " ".join(value.split())


def _read_target(value: Any) -> float:
    """Reads a percentage of the pot such as ``0.5%``; returns a fraction."""
    # Options are text, so that numbers without a unit come as text as well.
    has_no_unit = isinstance(value, str) and _percentage(f"{value}%") is not None
    plain = as_number(float(value) if has_no_unit else value)
    share = _percentage(value) if plain is None else plain
    given = shorten(str(value).strip())
    if share == 0.0:
        never = "is never reached, give a percentage such as 0.1%, or null for none"
        raise PartError("", f"{given} {never}")
    if plain is not None:
        raise PartError("", f"{given} has no unit, write {plain:g}% of the pot")
    if share is None:
        raise refusal(value, "a percentage of the pot such as 0.5%")
    if not 0.0 < share <= 1.0:
        raise PartError("", f"{given} is not above 0% and up to 100%")
    return share


def _percentage(value: Any) -> float | None:
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def _read_lock(value: Any) -> NodeLock:
    if isinstance(value, NodeLock):
        return value
    if not isinstance(value, Mapping):
        raise refusal(value, f"a lock, {_LOCK_FORM}")
    lock = read_parts(value, lambda part: part, ("node", "strategy", "locks_alike"), _LOCK_FORM, 2)
    node, locks_alike = lock["node"], lock.get("locks_alike", False)
    with inside(".node"):
        if not isinstance(node, str):
            raise refusal(node, "a path such as x:b60")
    with inside(".locks_alike"):
        if not isinstance(locks_alike, bool):
            raise refusal(locks_alike, "true or false")
    with inside(".strategy"):
        return NodeLock(node.strip(), _read_strategy(lock["strategy"]), locks_alike)


def _read_strategy(value: Any) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Reads probabilities by action, for all hands, or by range and action."""
    if not isinstance(value, Mapping) or not any(isinstance(v, Mapping) for v in value.values()):
        return ((RANDOM, _read_probabilities(value or None)),)
    for key in value:
        try:
            Range(str(key))
        except RangeError as error:
            path = f".{join_path('', str(key))}"
            raise PartError(path, f"{quote(str(key))} is not a range ({error})") from error
    by_range = read_parts(value, _read_probabilities)
    return tuple((str(key), probabilities) for key, probabilities in by_range.items())


def _read_probabilities(value: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, Mapping):
        raise refusal(value, "a mapping of actions, write {x: 40%, b60: 60%}")
    probabilities = read_parts(value, _PROBABILITY.parse)
    total = sum(probabilities.values())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise PartError("", f"the probabilities sum to {total:g}, not to 1")
    return tuple((str(code).strip(), share) for code, share in probabilities.items())


def _read_probability(value: Any) -> float | None:
    share = _percentage(value) if isinstance(value, str) else as_number(value)
    return share if share is not None and 0.0 <= share <= 1.0 else None


_PROBABILITY = Form("a probability such as 0.4 or 40%", _read_probability)
_BOARD = cards_form("board", "QsJh2h", parse_board, "3 to 5 cards such as QsJh2h")
_RANGE = Form("a range such as 22+,AKs:0.5", _read_range)
_TARGET = Form("a percentage above 0% and up to 100%", _read_target, format_percent).or_null()
_LOCKS = Form(
    "a list of mappings with node and strategy",
    lambda locks: read_list(locks, _read_lock, f"a list of locks, {_LOCK_FORM}"),
    lambda locks: [lock.plain() for lock in locks],
)


# One spot: a board, two ranges, the money and the betting, and how well it is to be solved.


_SIZE_KEYS = ("bet_sizes", "raise_sizes", "donk_sizes")
_SIZES = "a list or text of sizes such as 33%, 2.5x, 100c, e, 2e, 3e200% and a, or a mapping"
_BETS = sizes_form(_SIZES, for_raises=False, of_spot=True)
_RAISES = sizes_form(_SIZES, for_raises=True, of_spot=True)
_BET_UNIT = "`%` of the pot, `c` chips"
_RAISE_UNIT = "`%` of the pot after calling, `x` the bet, `c` chips"

# Far from the limits of float32, in which pots are played.
_CHIPS = number("a positive number from 0.001 to 1,000,000,000", lambda x: 1e-3 <= x <= 1e9)
_ADDED_ALL_IN = number("0, a positive number, or .inf", lambda x: x >= 0.0, takes_infinity=True)


class SpotConfig(ConfigSection):
    """Everything that the solve of a spot is told."""

    board: Annotated[str, _BOARD, Key("game", means="board")]
    """The cards on the table: flop, turn or river."""
    oop: Annotated[str, _RANGE, Key("game", means="oop")]
    """The range of the player who acts first."""
    ip: Annotated[str, _RANGE, Key("game", means="ip")]
    """The range of the player in position."""
    pot: Annotated[float, _CHIPS, Key("game", "chips")]
    """What is in the middle. Bets are whole chips; hundredths if the pot or the stack has decimals,
    as in big blinds."""
    stack: Annotated[float, _CHIPS, Key("game", "chips")]
    """What the shorter player has left."""
    bet_sizes: Annotated[SizeChoice, _BETS, Key("game", _BET_UNIT, "sizes")] = ("33%", "75%")
    """Sizes of a first bet: for everybody, or a mapping by street, by player, or by both (see
    below). An empty list never bets."""
    raise_sizes: Annotated[SizeChoice, _RAISES, Key("game", _RAISE_UNIT, "sizes")] = ("2.5x",)
    """Sizes of a raise, in the same forms."""
    donk_sizes: Annotated[
        SizeChoice | None, _BETS.or_null(), Key("game", "as `bet_sizes`", "sizes")
    ] = None
    """Sizes with which OOP bets into the player whose bet it called on the street before; `null`
    means the bet sizes, an empty list never."""
    max_raises_per_street: Annotated[int | None, RAISES.or_null(), Key("game", "raises")] = None
    """Raises after the first bet of a street, all-in raises included; `null` is no limit."""
    add_all_in_threshold: Annotated[
        float, _ADDED_ALL_IN, Key("game", "pots after calling", "add_all_in_threshold")
    ] = 1.5
    """All-in is offered as well where it is at most this many pots; `.inf` is always, 0 only where
    a size says so."""
    force_all_in_threshold: Annotated[float, NOT_NEGATIVE, Key("game", "pots after the call")] = (
        0.15
    )
    """A bet that would leave at most this much behind, measured by the pot after a call, is all-in
    instead."""
    merging_threshold: Annotated[
        float, NOT_NEGATIVE, Key("game", "pots with the smaller size in")
    ] = 0.1
    """Of two sizes that differ by at most this, the larger stays; 0 merges equal ones only."""
    rake_rate: Annotated[float, UP_TO_ONE, Key("game", "fraction of the pot")] = 0.0
    """What the house takes of every pot that is won. A raked game is not zero-sum."""
    rake_cap: Annotated[
        float | None,
        Form("0, a positive number", NOT_NEGATIVE.read).or_null(),
        Key("game", "chips", "rake_cap"),
    ] = None
    """The most that the house takes; `null` is no cap."""
    cfr_variant: Annotated[str | DiscountSchedule, VARIANT, Key("game", means="cfr_variant")] = (
        "dcfr-spot"
    )
    """How iterations are weighted: a name, or the three exponents of discounted CFR."""
    target: Annotated[float | None, _TARGET, Key("end", "`%` of the pot")] = 0.005
    """The solve ends when its exploitability is at most this; `null` is off."""
    max_iterations: Annotated[int, whole(1), Key("end", "iterations")] = 10_000
    """The solve ends after so many iterations at the latest."""
    max_seconds: Seconds = None
    """The solve ends after this time, counted anew when it is resumed; `null` is off."""
    checkpoint_minutes: Annotated[float, NOT_NEGATIVE, Key("nothing", "minutes")] = 5.0
    """The solve is saved this often while it goes on, so that a power cut costs minutes; 0 saves it
    at its end only."""
    keep_resume: Annotated[bool, Key("nothing")] = True
    """Whether a finished solve keeps what it could go on from; without it, what is saved is a
    fraction of the size, and can be looked at but not continued."""
    precision: Annotated[Precision, Key("game", "bits")] = 32
    """Bits of a number in the tables: 16 halves the memory and costs a little accuracy."""
    rivers: Annotated[Literal["exact", "compact"], Key("game", means="rivers")] = "exact"
    """How the rivers of a flop are solved: `exact` tells all combos apart, `compact` groups them by
    strength and takes a fraction of the time and memory."""
    river_buckets: Annotated[int, RIVER_BUCKETS, Key("game", "buckets", "rivers")] = 48
    """Into how many buckets of strength hands are grouped on each river."""
    river_blockers: Annotated[RiverBlockers, Key("game", means="rivers")] = "auto"
    """Whether half of the buckets tell apart how many strong hands a hand blocks; `auto` is on from
    a stack of 8 pots up."""
    merges_suits: Annotated[bool, Key("game")] = True
    """Whether cards that differ by suits only are solved once. It changes no result."""
    locks: Annotated[tuple[NodeLock, ...], _LOCKS, Key("game")] = ()
    """Decisions whose strategy is given and not learned: a list of `node` (a path) and `strategy`
    (see below)."""
    origin: Annotated[SpotOrigin | None, Form("a mapping").or_null(), Key("nothing")] = None
    """Where the spot was taken from; `solve-spot --from` sets it."""

    def check(self) -> None:
        """Refuses ranges that cannot meet, and sizes that cannot be bet."""
        live = live_combos(self.board_cards)
        held = []
        for key, hand_range in zip(PLAYER_KEYS, self.ranges(), strict=True):
            held.append(live[hand_range.weights[live] > 0.0])
            if not len(held[-1]):
                problem = f"no hand of the range avoids the board {self.board}"
                raise PartError(f".{key}", problem)
        if not disjoint_combos(*held).any():
            raise PartError(".ip", "every hand of the range shares a card with every hand of oop")
        if self.rivers == "compact" and self.first_street != Street.FLOP:
            raise PartError(".rivers", f"compact needs a flop, the board is {self.board}")
        for key in _SIZE_KEYS:
            choice = getattr(self, key)
            if isinstance(choice, SizesByStreet) and None in choice[self.first_street :]:
                street = STREET_KEYS[choice.index(None, self.first_street)]
                problem = f"{street} is missing, give every street from the board on"
                raise PartError(f".{key}", problem)
            for path, text in all_sizes(self.form(key).plain(choice)):
                size = parse_bet_size(text, for_raises=True)
                if size.unit == "c" and size.number > self.stack:
                    problem = f"{text!r} cannot be bet, the stack is {self.stack:g}"
                    raise PartError(f".{key}{path}", problem)

    @property
    def board_cards(self) -> tuple[int, ...]:
        """The cards on the table."""
        return parse_board(self.board)

    @property
    def first_street(self) -> Street:
        """The street of the board."""
        return Street(len(self.board_cards) - FLOP_SIZE)

    def ranges(self) -> tuple[Range, Range]:
        """Returns the ranges of OOP and IP, with hands that the board blocks."""
        return Range(self.oop), Range(self.ip)

    def betting_rules(self) -> BettingRules:
        """Returns the rules that the tree is built with."""
        sizes = (self.bet_sizes, self.raise_sizes, self.donk_sizes)
        return BettingRules(
            menus=make_menus(*sizes, self.first_street),
            max_raises_per_street=self.max_raises_per_street,
            add_all_in_threshold=self.add_all_in_threshold,
            force_all_in_threshold=self.force_all_in_threshold,
            merging_threshold=self.merging_threshold,
        )

    def tree(self) -> PostflopTree:
        """Builds the betting tree.

        Raises:
            TreeError: if it is too large.
        """
        rules = self.betting_rules()
        return PostflopTree.build(rules, Stakes.in_chips(self.pot, self.stack), self.first_street)

    def schedule(self) -> DiscountSchedule:
        """Returns how iterations are weighted."""
        return schedule_of(self.cfr_variant)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve ends; its values are in chips."""
        return StoppingRule(
            max_iterations=self.max_iterations,
            max_seconds=self.max_seconds,
            exploitability=None if self.target is None else self.target * self.pot,
        )

    def meanings(self) -> dict[str, Any]:
        """Returns cards, sizes and what is off as digests have them."""
        cards, added = self.board_cards, self.add_all_in_threshold
        oop, ip = (str(held.without_cards(cards)) for held in self.ranges())
        rivers = [self.rivers, self.river_buckets, self.river_blockers]
        return {
            "board": format_cards(sorted(cards)),
            "oop": oop,
            "ip": ip,
            "sizes": digest_menus(self.betting_rules(), _SIZE_KEYS, self.first_street),
            "rake_cap": None if self.rake_rate == 0.0 else self.rake_cap,
            "cfr_variant": digest_variant(self.schedule()),
            "add_all_in_threshold": added if math.isfinite(added) else ".inf",
        } | ({"rivers": rivers} if self.rivers == "compact" else {})
