"""The rules of betting: one engine for the four streets, whatever the unit.

Amounts are in the unit of the `Stakes`: pots (the pot at the root is 1), chips, or big blinds. A
bet and a raise follow one formula, because a bet is a raise of an opponent who has put in nothing:
it adds to the opponent's amount, and its size is measured against the pot after calling. Before
the flop the big blind counts as a bet that was made. Antes are dead money, no part of any amount.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import Any, NamedTuple

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.paths import NO_LINES, Lines
from runout.trees.sizes import (
    BLIND_KEYS,
    RAISES_BEFORE_FLOP,
    STREET_KEYS,
    BetSize,
    SizeRules,
    Sizes,
    SizesByDepth,
    SizesInput,
    format_bet_size,
    geometric_fraction,
)

#: Amounts that differ by less than this fraction of the pot are one amount, whatever the rules.
SAME_AMOUNT_FRACTION = 0.001

#: Amounts in big blinds closer than this are one amount whatever the pot: their texts must differ.
SAME_AMOUNT_BB = 0.001

#: What bets are multiples of where pots and stacks are no whole numbers of chips.
SMALL_CHIP = 0.01
_CHIP_DECIMALS = 2

_NUM_FLOP_CARDS = 3


class Street(IntEnum):
    """The streets that have a board, in order."""

    FLOP = 0
    TURN = 1
    RIVER = 2

    @property
    def num_board_cards(self) -> int:
        """How many cards are on the board."""
        return _NUM_FLOP_CARDS + self

    @property
    def label(self) -> str:
        """The street in lower case, as used in keys and file names."""
        return self.name.lower()


#: Checks of numbers, and what they allow.
_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "amount": (lambda number: 0.0 < number < math.inf, "a positive amount"),
    "amount or 0": (lambda number: 0.0 <= number < math.inf, "0 or a positive amount"),
    "threshold": (lambda number: number >= 0.0, "0 (off) or a positive fraction of the pot"),
    "share": (lambda number: 0.0 < number <= 1.0, "a share above 0 and up to 1"),
    "limit": (
        lambda limit: limit is None or (type(limit) is int and limit >= 0),
        "a whole number from 0 up",
    ),
}


def _require(check: str, **numbers: float | None) -> None:
    is_allowed, allowed = _CHECKS[check]
    for name, number in numbers.items():
        if not is_allowed(number):
            shown = f"{number:g}" if isinstance(number, float) else repr(number)
            raise TreeError(name, f"{shown} is not {allowed}")


#: The street before those of `Street`.
PREFLOP = -1

#: The players before the flop: the small blind has the button and acts first.
SB, BB = 0, 1
BLIND_NAMES = ("SB", "BB")


@dataclass(frozen=True, slots=True)
class Stakes:
    """The money in front of two players, and the unit in which it is counted.

    Attributes:
        pot: what is in the middle at the root, half of it from each player.
        stack: the effective stack at the root, the most that either player can put in.
        chip: amounts of sized bets are whole multiples of this; 0 for no rounding, and then the
            tree is not in chips and sizes in chips have no meaning.
        minimum_bet: the least amount of a first bet.
        ante: what each player puts in of the stack before the betting, as dead money.
        big_blind: the big blind in the unit of the stakes; 0 if it is not known, and then sizes
            in big blinds have no meaning.
    """

    pot: float
    stack: float
    chip: float = 0.0
    minimum_bet: float = 0.0
    ante: float = 0.0
    big_blind: float = 0.0

    def __post_init__(self) -> None:
        _require("amount or 0" if self.is_in_big_blinds else "amount", pot=self.pot)
        _require("amount", stack=self.stack)
        rest = {name: getattr(self, name) for name in ("chip", "minimum_bet", "ante", "big_blind")}
        _require("amount or 0", **rest)

    @classmethod
    def in_pots(cls, spr: float) -> "Stakes":
        """Counts in pots: the pot is 1 and the stack is the stack-to-pot ratio."""
        return cls(pot=1.0, stack=float(spr))

    @classmethod
    def in_chips(cls, pot_chips: float, stack_chips: float) -> "Stakes":
        """Counts in chips: bets are whole chips, at least one.

        If an amount has decimals, as in big blinds, bets are in hundredths.
        """
        pot, stack = float(pot_chips), float(stack_chips)
        chip = 1.0 if pot.is_integer() and stack.is_integer() else SMALL_CHIP
        return cls(pot, stack, chip, minimum_bet=chip)

    @property
    def is_in_chips(self) -> bool:
        """Whether amounts are rounded to chips."""
        return self.chip > 0.0

    @property
    def is_in_big_blinds(self) -> bool:
        """Whether the unit is the big blind."""
        return self.big_blind == 1.0 and not self.is_in_chips

    @property
    def spr(self) -> float:
        """Effective stack over pot at the root."""
        return self.stack / self.pot

    @property
    def dead_money(self) -> float:
        """What is in the middle before the betting, antes included."""
        return self.pot + 2.0 * self.ante

    @property
    def betting_stack(self) -> float:
        """The most that either player can put in on top of the ante."""
        return self.stack - self.ante

    def rounded(self, amount: float) -> float:
        """Returns the amount in whole chips, halves up; unchanged if nothing is rounded."""
        if self.chip == 0.0:
            return amount
        return round(math.floor(amount / self.chip + 0.5) * self.chip, _CHIP_DECIMALS)


@dataclass(frozen=True, slots=True)
class SizeMenu:
    """The sizes that one player may use on one street.

    Attributes:
        bets: sizes of a first bet; without any the player never bets first, not even all-in.
        raises: sizes of a raise; without any only all-in is left, where the rules add it.
        donks: sizes of a bet into the player who bet or raised last on the street before; None
            for the same as ``bets``, empty for never.
        reraises: sizes of later raises by depth, those of the second raise first; the last entry
            serves all deeper ones. Without any they are those of ``raises``.
    """

    bets: tuple[BetSize, ...]
    raises: tuple[BetSize, ...]
    donks: tuple[BetSize, ...] | None = None
    reraises: SizesByDepth = ()

    def sizes_at(self, state: "BettingState") -> tuple[BetSize, ...]:
        """Returns the sizes of a decision."""
        if state.num_bets > 0:
            depth = min(state.num_bets - 1, len(self.reraises))
            return self.raises if depth == 0 else self.reraises[depth - 1]
        return self.donks if state.may_donk and self.donks is not None else self.bets


@dataclass(frozen=True, slots=True)
class BettingRules:
    """Which bets and raises a tree offers, beyond what the game itself allows.

    Attributes:
        menus: ``[street][player]`` the sizes on the menu, flop first.
        max_raises_per_street: raises after the first bet of a street, all-in raises included;
            None for no limit.
        add_all_in_threshold: all-in is offered as well where it adds at most this many pots after
            calling to the opponent's amount. Infinity: always; 0: only where the menu has it.
        force_all_in_threshold: a bet that would leave at most this many pots behind, measured by
            the pot after it is called, is all-in instead. 0: only a bet that leaves nothing.
        merging_threshold: of two amounts whose difference is at most this fraction of the pot
            with the smaller one in it, the larger stays. 0: only equal amounts.
        allow_limp: whether the first player before the flop may just call the big blind.
        force_all_in_share: a bet with which its player has put in at least this share of the stack
            since the root is all-in instead. 1: only a bet of everything.
        lines: actions that are there, or are not, whatever the sizes say.
    """

    menus: tuple[tuple[SizeMenu, SizeMenu], ...]
    max_raises_per_street: int | None
    add_all_in_threshold: float = math.inf
    force_all_in_threshold: float = 0.0
    merging_threshold: float = 0.0
    allow_limp: bool = True
    force_all_in_share: float = 1.0
    lines: Lines = NO_LINES

    def __post_init__(self) -> None:
        if len(self.menus) != len(Street):
            raise TreeError("bet sizes", f"{len(self.menus)} streets given, {len(Street)} needed")
        _require("limit", max_raises_per_street=self.max_raises_per_street)
        names = ("add_all_in_threshold", "force_all_in_threshold", "merging_threshold")
        _require("threshold", **{name: getattr(self, name) for name in names})
        _require("share", force_all_in_share=self.force_all_in_share)

    def check_units(self, stakes: Stakes) -> None:
        """Raises `TreeError` naming the first size without a meaning in the unit of the stakes."""
        refused = {} if stakes.is_in_chips else {"c": "is in chips, but the pot is not"}
        if not stakes.big_blind:
            refused["bb"] = "is in big blinds, but the big blind is not known here"
        for menu in chain(*self.menus):
            for size in chain(menu.bets, menu.raises, menu.donks or (), *menu.reraises):
                if size.unit in refused:
                    text = f"{format_bet_size(size)!r} {refused[size.unit]}"
                    raise TreeError("bet sizes", text)

    @classmethod
    def of(
        cls,
        bet_sizes: Sizes | SizesInput,
        max_raises_per_street: int | None,
        raise_sizes: Sizes | SizesInput | None = None,
        donk_sizes: Sizes | SizesInput | None = None,
        first_street: int = 0,
        added_lines: Iterable[str] = (),
        removed_lines: Iterable[str] = (),
        **thresholds: Any,
    ) -> "BettingRules":
        """Reads sizes, for all or by street and player; streets before the first are like it.

        Without sizes of raises they are those of bets. `runout.trees.paths` says what a line is.

        Raises:
            TreeError: naming the size, limit or threshold at fault.
        """

        def read(name: str, sizes: Any, *, allow_empty: bool = True) -> Any:
            rules = SizeRules(for_raises=name == "raise_sizes", allow_empty=allow_empty)
            is_read = sizes is None or isinstance(sizes, Sizes)
            return sizes if is_read else Sizes.parse(sizes, rules, name)

        bets = read("bet_sizes", bet_sizes, allow_empty=raise_sizes is not None)
        raises, donks = read("raise_sizes", raise_sizes) or bets, read("donk_sizes", donk_sizes)

        def menu(street: Street, player: str) -> SizeMenu:
            keys = (STREET_KEYS[max(street, first_street)], player)
            donk = None if donks is None else donks.at(*keys) or ()
            return SizeMenu(bets.at(*keys) or (), raises.at(*keys) or (), donk)

        menus = tuple((menu(street, "oop"), menu(street, "ip")) for street in Street)
        lines = Lines.parse(added_lines, removed_lines)
        return cls(menus, max_raises_per_street, **thresholds, lines=lines)


class BettingState(NamedTuple):
    """Everything that the actions of one decision depend on, in the unit of the stakes.

    Attributes:
        street: the street, `PREFLOP` to `Street.RIVER`.
        player: whose turn it is, 0 or 1.
        invested: what each player has put in since the root, antes not counted.
        street_base: what each player had put in when the street began.
        last_increment: by how much the last bet or raise on this street went beyond the amount
            before it; 0 if there is none, and the big blind before the first raise of a hand.
        num_bets: bets and raises made on this street (a blind counts as a bet).
        may_donk: whether the player acts first after calling on the street before.
    """

    street: int
    player: int
    invested: tuple[float, float]
    street_base: float
    last_increment: float = 0.0
    num_bets: int = 0
    may_donk: bool = False

    @property
    def amount(self) -> float:
        """What the acting player has put in on this street."""
        return self.invested[self.player] - self.street_base

    @property
    def opponent_amount(self) -> float:
        """What the opponent has put in on this street."""
        return self.invested[1 - self.player] - self.street_base

    def after_bet(self, action: Action, stakes: Stakes) -> "BettingState":
        """Returns the opponent's decision after a bet, a raise or an all-in."""
        # An all-in is the stack itself, so that no rounding error leaves money behind.
        is_all_in = action.kind == ActionKind.ALL_IN
        total = stakes.betting_stack if is_all_in else self.street_base + action.amount
        mine, theirs = total, self.invested[1 - self.player]
        return self._replace(
            player=1 - self.player,
            invested=(mine, theirs) if self.player == 0 else (theirs, mine),
            last_increment=action.amount - self.opponent_amount,
            num_bets=self.num_bets + 1,
            may_donk=False,
        )


def legal_actions(rules: BettingRules, stakes: Stakes, state: BettingState) -> list[Action]:
    """Returns the actions of the player to act: passive ones first, then by rising amount.

    A bet is at least the minimum bet and a raise adds at least the last bet or raise, before the
    flop at least the big blind; a smaller size is lifted to that, and nobody puts in more than the
    effective stack.
    """
    amount, opponent_amount = state.amount, state.opponent_amount
    street_stack = stakes.betting_stack - state.street_base
    may_raise = street_stack > opponent_amount
    if opponent_amount > amount:
        actions = [Action(ActionKind.FOLD, amount)]
        is_limp = state.street == PREFLOP and state.num_bets == 1 and may_raise
        if rules.allow_limp or not is_limp:
            actions.append(Action(ActionKind.CALL, opponent_amount))
    else:
        actions = [Action(ActionKind.CHECK, amount)]
    limit = rules.max_raises_per_street
    if not may_raise or (state.num_bets > 0 and limit is not None and state.num_bets > limit):
        return actions
    sized_kind = ActionKind.BET if state.num_bets == 0 else ActionKind.RAISE
    for target, size in _targets(rules, stakes, state, street_stack):
        kind = ActionKind.ALL_IN if target == street_stack else sized_kind
        actions.append(Action(kind, target, size))
    return actions


def _targets(
    rules: BettingRules, stakes: Stakes, state: BettingState, street_stack: float
) -> list[tuple[float, BetSize | None]]:
    """Returns the amounts to which the player may bet or raise, rising, no two alike.

    Each comes with the first size that asks for it, None if it is another amount than asked for.
    """
    sizes = rules.menus[max(state.street, Street.FLOP)][state.player].sizes_at(state)
    if not sizes and state.num_bets == 0:
        return []
    opponent_amount = state.opponent_amount
    pot_after_call = stakes.dead_money + 2.0 * max(state.invested)
    least = opponent_amount + max(state.last_increment, stakes.minimum_bet)
    force = max(rules.force_all_in_threshold, SAME_AMOUNT_FRACTION)
    targets: dict[float, BetSize | None] = {}
    missing = street_stack - opponent_amount
    for size in sizes:
        if size.unit == "a" and missing > size.max_fraction * pot_after_call:
            continue
        wanted = stakes.rounded(_wanted_amount(size, stakes, state, street_stack, pot_after_call))
        target = min(max(wanted, least), street_stack)
        pot_if_called = pot_after_call + 2.0 * (target - opponent_amount)
        if (
            street_stack - target <= force * pot_if_called
            or state.street_base + target >= rules.force_all_in_share * stakes.betting_stack
        ):
            target = street_stack
        targets.setdefault(target, size if target == wanted else None)
    if missing <= rules.add_all_in_threshold * pot_after_call:
        targets.setdefault(street_stack, None)
    merge = max(rules.merging_threshold, SAME_AMOUNT_FRACTION)
    least_apart = SAME_AMOUNT_BB if stakes.is_in_big_blinds else 0.0
    distinct: list[float] = []
    for target in sorted(targets, reverse=True):
        pot_with_target = pot_after_call + target - opponent_amount
        if not distinct or distinct[-1] - target > max(merge * pot_with_target, least_apart):
            distinct.append(target)
    return [(target, targets[target]) for target in reversed(distinct)]


def _wanted_amount(
    size: BetSize, stakes: Stakes, state: BettingState, street_stack: float, pot_after_call: float
) -> float:
    """Returns the amount on this street that a size asks for, before the limits of the game."""
    opponent_amount, number = state.opponent_amount, size.number
    match size.unit:
        case "%":
            return opponent_amount + number * pot_after_call
        case "x":
            if state.street == PREFLOP:
                return number * opponent_amount
            # The same but for the last bit, which solved trees have.
            return opponent_amount + (number - 1.0) * opponent_amount
        case "c":
            return opponent_amount + number
        case "bb":
            return number * stakes.big_blind
        case "e":
            streets_left = len(Street) - state.street - max(state.num_bets - 1, 0)
            stack_to_pot = (street_stack - opponent_amount) / pot_after_call
            fraction = geometric_fraction(stack_to_pot, max(int(number) or streets_left, 1))
            return opponent_amount + min(fraction, size.max_fraction) * pot_after_call
        case _:
            return street_stack


@dataclass(frozen=True, slots=True)
class PreflopRules:
    """Blinds, antes, stacks, and which raises a tree offers; amounts in big blinds.

    Attributes:
        stacks_bb: (small blind, big blind) before anything is posted.
        raise_sizes: the sizes on the menu by raise depth, for both players or by `BLIND_KEYS`.
            Depth 0 is the first raise of the hand, 1 the re-raise (3-bet), and so on; the last
            entry serves all deeper raises, and no entry at all means no sized raises.
        small_blind_bb: from 0 to less than the big blind, which is 1 unless a straddle plays its
            part.
        ante_bb: what each player posts before the blinds.
        raise_cap: raises in the hand, all-ins included; None for no limit.
        allow_limp: whether the small blind may just call a big blind who is not all-in.
        always_offer_all_in: whether all-in is offered wherever a raise is legal.
        force_all_in_threshold: as in `BettingRules`.
    """

    stacks_bb: tuple[float, float]
    raise_sizes: Sizes
    small_blind_bb: float = 0.5
    big_blind_bb: float = 1.0
    ante_bb: float = 0.0
    raise_cap: int | None = None
    allow_limp: bool = True
    always_offer_all_in: bool = True
    force_all_in_threshold: float = 0.0

    def __post_init__(self) -> None:
        small, big = self.small_blind_bb, self.big_blind_bb
        if not 0.0 <= small < big:
            problem = f"{small:g} is not 0 or more and less than the big blind {big:g}"
            raise TreeError("small_blind_bb", problem)

    @classmethod
    def parse(
        cls, stacks_bb: float | tuple[float, float], raise_sizes: Any, **limits: Any
    ) -> "PreflopRules":
        """Reads one stack for both players or two, and sizes as `Sizes.parse` does.

        Raises:
            TreeError: naming the size, amount or limit at fault.
        """
        stacks = (stacks_bb, stacks_bb) if isinstance(stacks_bb, int | float) else stacks_bb
        return cls(stacks, Sizes.parse(raise_sizes, RAISES_BEFORE_FLOP, "raise_sizes"), **limits)

    def sizes_of(self, player: int) -> SizesByDepth:
        """Returns the sizes of a player by raise depth."""
        return self.raise_sizes.at(BLIND_KEYS[player]) or ()

    @property
    def effective_stack_bb(self) -> float:
        """The most that either player can lose; what a deeper one has beyond it comes back."""
        return min(self.stacks_bb)

    @property
    def stakes(self) -> Stakes:
        """The stakes of the hand; of a stack that is smaller than the ante, all is posted."""
        stack = self.effective_stack_bb
        return Stakes(pot=0.0, stack=stack, ante=min(self.ante_bb, stack), big_blind=1.0)

    @property
    def betting(self) -> BettingRules:
        """The sizes and limits, in the words of all streets."""
        sb, bb = (
            SizeMenu((), (by_depth or ((),))[0], None, by_depth[1:])
            for by_depth in map(self.sizes_of, (SB, BB))
        )
        return BettingRules(
            menus=((sb, bb),) * len(Street),
            max_raises_per_street=self.raise_cap,
            add_all_in_threshold=math.inf if self.always_offer_all_in else 0.0,
            force_all_in_threshold=self.force_all_in_threshold,
            allow_limp=self.allow_limp,
        )

    def first_decision(self) -> BettingState:
        """Returns the small blind's decision after the blinds, or what is left, are posted."""
        stakes = self.stakes

        def post(blind_bb: float) -> float:
            pot_if_called = stakes.dead_money + 2.0 * blind_bb
            is_all_in = stakes.betting_stack - blind_bb <= SAME_AMOUNT_FRACTION * pot_if_called
            return stakes.betting_stack if is_all_in else blind_bb

        posted = post(self.small_blind_bb), post(self.big_blind_bb)
        return BettingState(PREFLOP, SB, posted, 0.0, self.big_blind_bb, num_bets=1)
