"""The rules of betting: which actions a player has, before and after the flop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.sizes import (
    AllInSize,
    BetSize,
    BigBlindAmount,
    ChipAmount,
    GeometricSize,
    LastBetMultiple,
    PotFraction,
    PreflopSize,
    SizesByDepth,
    SizesByDepthInput,
    geometric_fraction,
    parse_bet_sizes,
    parse_sizes_by_depth,
)

# --------------------------------------------------------------------------------------------------
# The rules of one decision: which actions a player has, whatever the street and the unit.
#
# Amounts are in the unit of the `Stakes`: pots (the pot at the root is 1), chips, or big blinds. A
# bet and a raise follow one formula, because a bet is a raise of an opponent who has put in
# nothing: it adds to the opponent's amount, and its size is measured against the pot after calling.


#: Amounts that differ by less than this fraction of the pot are one amount, whatever the rules.
SAME_AMOUNT_FRACTION = 0.001

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


@dataclass(frozen=True, slots=True)
class Stakes:
    """The money in front of two players, and the unit in which it is counted.

    Attributes:
        pot: what is in the middle at the root, half of it from each player.
        stack: the effective stack at the root, the most that either player can put in.
        chip: amounts of sized bets are whole multiples of this; 0 for no rounding, and then the
            tree is not in chips and sizes in chips have no meaning.
        minimum_bet: the least amount of a first bet.
    """

    pot: float
    stack: float
    chip: float = 0.0
    minimum_bet: float = 0.0

    def __post_init__(self) -> None:
        for name in ("pot", "stack"):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise TreeError(name, f"{value:g} is not a positive amount")
        for name in ("chip", "minimum_bet"):
            value = getattr(self, name)
            if not (value >= 0.0 and math.isfinite(value)):
                raise TreeError(name, f"{value:g} is not 0 or a positive amount")

    @classmethod
    def in_pots(cls, spr: float) -> "Stakes":
        """Counts in pots: the pot is 1 and the stack is the stack-to-pot ratio.

        Raises:
            TreeError: if ``spr`` is not a positive number.
        """
        if not (spr > 0.0 and math.isfinite(spr)):
            raise TreeError("spr", f"{spr:g} is not a positive stack-to-pot ratio")
        return cls(pot=1.0, stack=float(spr))

    @classmethod
    def in_chips(cls, pot_chips: float, stack_chips: float) -> "Stakes":
        """Counts in chips: bets are whole chips, at least one.

        Whoever has a pot of 5.5 counts in big blinds, where whole ones would be too coarse: if an
        amount has decimals, bets are in hundredths.

        Raises:
            TreeError: if either is not a positive amount.
        """
        pot, stack = float(pot_chips), float(stack_chips)
        chip = 1.0 if pot.is_integer() and stack.is_integer() else SMALL_CHIP
        return cls(pot, stack, chip, minimum_bet=chip)

    @property
    def is_in_chips(self) -> bool:
        """Whether amounts are rounded to chips."""
        return self.chip > 0.0

    @property
    def spr(self) -> float:
        """Effective stack over pot at the root."""
        return self.stack / self.pot

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
    """

    bets: tuple[BetSize, ...]
    raises: tuple[BetSize, ...]
    donks: tuple[BetSize, ...] | None = None

    @classmethod
    def parse(
        cls,
        bet_sizes: str | Sequence[BetSize | float | str],
        raise_sizes: str | Sequence[BetSize | float | str] | None = None,
        donk_sizes: str | Sequence[BetSize | float | str] | None = None,
        where: str = "",
    ) -> "SizeMenu":
        """Reads lists of sizes in the language of `runout.trees.sizes`.

        Args:
            bet_sizes: sizes of a first bet.
            raise_sizes: sizes of a raise; None for the same as ``bet_sizes``.
            donk_sizes: sizes of a bet into the last aggressor; None for the same as ``bet_sizes``.
            where: what errors put before the name of the list, as ``flop.oop.``.

        Raises:
            TreeError: naming the first size that cannot be read.
        """
        bets = parse_bet_sizes(bet_sizes, f"{where}bet_sizes", allow_empty=raise_sizes is not None)
        raises, donks = bets, None
        if raise_sizes is not None:
            raises = parse_bet_sizes(
                raise_sizes, f"{where}raise_sizes", for_raises=True, allow_empty=True
            )
        if donk_sizes is not None:
            donks = parse_bet_sizes(donk_sizes, f"{where}donk_sizes", allow_empty=True)
        return cls(bets, raises, donks)

    @property
    def all_sizes(self) -> tuple[BetSize, ...]:
        """Every size on the menu."""
        return self.bets + self.raises + (self.donks or ())


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
    """

    menus: tuple[tuple[SizeMenu, SizeMenu], ...]
    max_raises_per_street: int | None
    add_all_in_threshold: float = math.inf
    force_all_in_threshold: float = 0.0
    merging_threshold: float = 0.0

    def __post_init__(self) -> None:
        if len(self.menus) != len(Street):
            raise TreeError("bet sizes", f"{len(self.menus)} streets given, {len(Street)} needed")
        limit = self.max_raises_per_street
        if limit is not None and (type(limit) is not int or limit < 0):
            raise TreeError("max_raises_per_street", f"{limit!r} is not a whole number from 0 up")
        for name in ("add_all_in_threshold", "force_all_in_threshold", "merging_threshold"):
            value = getattr(self, name)
            if not value >= 0.0:
                raise TreeError(name, f"{value:g} is not 0 (off) or a positive fraction of the pot")

    @classmethod
    def uniform(
        cls,
        bet_sizes: str | Sequence[BetSize | float | str],
        max_raises_per_street: int | None,
        raise_sizes: str | Sequence[BetSize | float | str] | None = None,
        donk_sizes: str | Sequence[BetSize | float | str] | None = None,
        *,
        add_all_in_threshold: float = math.inf,
        force_all_in_threshold: float = 0.0,
        merging_threshold: float = 0.0,
    ) -> "BettingRules":
        """Gives both players the same sizes on every street; see `SizeMenu.parse`.

        Raises:
            TreeError: naming the size, limit or threshold at fault.
        """
        menu = SizeMenu.parse(bet_sizes, raise_sizes, donk_sizes)
        return cls(
            menus=((menu, menu),) * len(Street),
            max_raises_per_street=max_raises_per_street,
            add_all_in_threshold=add_all_in_threshold,
            force_all_in_threshold=force_all_in_threshold,
            merging_threshold=merging_threshold,
        )


class BettingState(NamedTuple):
    """Everything that the actions of one decision depend on, in the unit of the stakes.

    Attributes:
        street: the street, `Street.FLOP` to `Street.RIVER`.
        player: whose turn it is, 0 or 1.
        invested: what each player has put in since the root.
        street_base: what each player had put in when the street began.
        last_increment: by how much the last bet or raise on this street went beyond the amount
            before it; 0 if there is none.
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
        total = stakes.stack if is_all_in else self.street_base + action.amount
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

    A bet is at least the minimum bet and a raise adds at least the last bet or raise; a smaller
    size is lifted to that, and nobody puts in more than the effective stack.
    """
    amount, opponent_amount = state.amount, state.opponent_amount
    if opponent_amount > amount:
        actions = [Action(ActionKind.FOLD, amount), Action(ActionKind.CALL, opponent_amount)]
    else:
        actions = [Action(ActionKind.CHECK, amount)]
    limit = rules.max_raises_per_street
    if state.num_bets > 0 and limit is not None and state.num_bets > limit:
        return actions
    street_stack = stakes.stack - state.street_base
    if street_stack <= opponent_amount:
        return actions
    sized_kind = ActionKind.BET if state.num_bets == 0 else ActionKind.RAISE
    for target in _targets(rules, stakes, state, street_stack):
        kind = ActionKind.ALL_IN if target == street_stack else sized_kind
        actions.append(Action(kind, target))
    return actions


def _targets(
    rules: BettingRules, stakes: Stakes, state: BettingState, street_stack: float
) -> list[float]:
    """Returns the amounts to which the player may bet or raise, rising, no two alike."""
    opponent_amount = state.opponent_amount
    pot_after_call = stakes.pot + 2.0 * max(state.invested)
    least = opponent_amount + max(state.last_increment, stakes.minimum_bet)
    force = max(rules.force_all_in_threshold, SAME_AMOUNT_FRACTION)
    merge = max(rules.merging_threshold, SAME_AMOUNT_FRACTION)
    sizes = _menu_sizes(rules, state)
    if not sizes and state.num_bets == 0:
        return []
    targets = set()
    for size in sizes:
        added = _added_by(size, state, street_stack, pot_after_call)
        target = min(max(stakes.rounded(opponent_amount + added), least), street_stack)
        pot_if_called = pot_after_call + 2.0 * (target - opponent_amount)
        is_all_in = street_stack - target <= force * pot_if_called
        targets.add(street_stack if is_all_in else target)
    if street_stack - opponent_amount <= rules.add_all_in_threshold * pot_after_call:
        targets.add(street_stack)
    distinct: list[float] = []
    for target in sorted(targets, reverse=True):
        pot_with_target = pot_after_call + target - opponent_amount
        if not distinct or distinct[-1] - target > merge * pot_with_target:
            distinct.append(target)
    return distinct[::-1]


def _menu_sizes(rules: BettingRules, state: BettingState) -> tuple[BetSize, ...]:
    menu = rules.menus[state.street][state.player]
    if state.num_bets > 0:
        return menu.raises
    if state.may_donk and menu.donks is not None:
        return menu.donks
    return menu.bets


def _added_by(
    size: BetSize, state: BettingState, street_stack: float, pot_after_call: float
) -> float:
    """Returns what a size adds to the opponent's amount, before the limits of the game."""
    opponent_amount = state.opponent_amount
    match size:
        case PotFraction(fraction):
            return fraction * pot_after_call
        case LastBetMultiple(factor):
            return (factor - 1.0) * opponent_amount
        case ChipAmount(chips):
            return chips
        case GeometricSize(num_streets, max_fraction):
            if num_streets is None:
                num_streets = len(Street) - state.street - max(state.num_bets - 1, 0)
            stack_to_pot = (street_stack - opponent_amount) / pot_after_call
            fraction = geometric_fraction(stack_to_pot, max(num_streets, 1))
            return min(fraction, max_fraction or math.inf) * pot_after_call
        case AllInSize():
            return street_stack - opponent_amount


# --------------------------------------------------------------------------------------------------
# The rules of a heads-up hand before the flop: blinds, antes, and who may do what.
#
# All amounts are in big blinds. What a player has put in *on this street* is the blind and the bets
# on top of it: a raise "to 2.5" leaves 2.5 there. Antes are dead money and count apart, so the most
# that anybody can have on this street is the smaller stack without its ante.


#: The players before the flop: the small blind has the button and acts first.
SB, BB = 0, 1
BLIND_NAMES = ("SB", "BB")

#: Amounts closer than this are one amount whatever the pot, so that their texts always differ.
SAME_AMOUNT_BB = 0.001


@dataclass(frozen=True, slots=True)
class PreflopRules:
    """Blinds, antes, stacks, and which raises a tree offers; amounts in big blinds.

    Attributes:
        stacks_bb: (small blind, big blind) before anything is posted.
        raise_sizes: ``[player][depth]`` the sizes on the menu. Depth 0 is the first raise of the
            hand, 1 the re-raise (3-bet), and so on; the last entry serves all deeper raises, and
            no entry at all means no sized raises.
        small_blind_bb: from 0 to less than the big blind.
        big_blind_bb: 1, unless a straddle plays the big blind's part.
        ante_bb: what each player posts before the blinds.
        raise_cap: raises in the hand, all-ins included; None for no limit.
        allow_limp: whether the small blind may just call the big blind. Calling a big blind who
            is all-in is no limp and always allowed.
        always_offer_all_in: whether all-in is offered wherever a raise is legal, on the menu or
            not.
        force_all_in_threshold: a raise that would leave at most this many pots behind, measured
            by the pot after it is called, is all-in instead. 0: only a raise that leaves nothing.
    """

    stacks_bb: tuple[float, float]
    raise_sizes: tuple[SizesByDepth, SizesByDepth]
    small_blind_bb: float = 0.5
    big_blind_bb: float = 1.0
    ante_bb: float = 0.0
    raise_cap: int | None = None
    allow_limp: bool = True
    always_offer_all_in: bool = True
    force_all_in_threshold: float = 0.0

    def __post_init__(self) -> None:
        if len(self.stacks_bb) != 2:
            raise TreeError("stacks_bb", f"{len(self.stacks_bb)} stacks given, 2 needed")
        for player, stack in enumerate(self.stacks_bb):
            if not 0.0 < stack < math.inf:
                raise TreeError(f"stacks_bb[{player}]", f"{stack:g} is not a positive amount")
        big = self.big_blind_bb
        if not 0.0 < big < math.inf:
            raise TreeError("big_blind_bb", f"{big:g} is not a positive amount")
        if not 0.0 <= self.small_blind_bb < big:
            problem = (
                f"{self.small_blind_bb:g} is not 0 or more and less than the big blind {big:g}"
            )
            raise TreeError("small_blind_bb", problem)
        if not 0.0 <= self.ante_bb < math.inf:
            raise TreeError("ante_bb", f"{self.ante_bb:g} is not 0 or a positive amount")
        if len(self.raise_sizes) != 2:
            raise TreeError("raise_sizes", f"{len(self.raise_sizes)} players given, 2 needed")
        cap = self.raise_cap
        if cap is not None and (type(cap) is not int or cap < 0):
            raise TreeError("raise_cap", f"{cap!r} is not a whole number from 0 up")
        threshold = self.force_all_in_threshold
        if not threshold >= 0.0:
            problem = f"{threshold:g} is not 0 (off) or a positive fraction of the pot"
            raise TreeError("force_all_in_threshold", problem)

    @classmethod
    def parse(
        cls,
        stacks_bb: float | tuple[float, float],
        raise_sizes: SizesByDepthInput | Mapping[str, SizesByDepthInput],
        *,
        small_blind_bb: float = 0.5,
        big_blind_bb: float = 1.0,
        ante_bb: float = 0.0,
        raise_cap: int | None = None,
        allow_limp: bool = True,
        always_offer_all_in: bool = True,
        force_all_in_threshold: float = 0.0,
    ) -> "PreflopRules":
        """Reads sizes in the language of `runout.trees.sizes`.

        Args:
            stacks_bb: one stack for both, or (small blind, big blind).
            raise_sizes: by depth, for both players; or ``{"sb": ..., "bb": ...}``.

        Raises:
            TreeError: naming the size, amount or limit at fault.
        """
        stacks = (stacks_bb, stacks_bb) if isinstance(stacks_bb, int | float) else stacks_bb
        return cls(
            stacks_bb=stacks,
            raise_sizes=_parse_by_player(raise_sizes),
            small_blind_bb=small_blind_bb,
            big_blind_bb=big_blind_bb,
            ante_bb=ante_bb,
            raise_cap=raise_cap,
            allow_limp=allow_limp,
            always_offer_all_in=always_offer_all_in,
            force_all_in_threshold=force_all_in_threshold,
        )

    @property
    def effective_stack_bb(self) -> float:
        """The most that either player can lose; what a deeper one has beyond it comes back."""
        return min(self.stacks_bb)

    @property
    def posted_ante_bb(self) -> float:
        """What each player posts before the blinds: the ante, or a stack that is smaller."""
        return min(self.ante_bb, self.effective_stack_bb)

    @property
    def betting_stack_bb(self) -> float:
        """The most that either player can put in on top of the ante."""
        return self.effective_stack_bb - self.posted_ante_bb

    @property
    def posted_blinds_bb(self) -> tuple[float, float]:
        """What the two players post after the antes: the blinds, or a stack that is smaller."""
        return self._post(self.small_blind_bb), self._post(self.big_blind_bb)

    def _post(self, blind_bb: float) -> float:
        return self.betting_stack_bb if self.is_all_in(blind_bb) else blind_bb

    def is_all_in(self, amount_bb: float, threshold: float = SAME_AMOUNT_FRACTION) -> bool:
        """Returns whether an amount leaves nothing worth counting behind when it is called.

        Args:
            amount_bb: what the player has then put in on this street.
            threshold: what may be left, as a fraction of the pot then.
        """
        pot_if_called = 2.0 * (self.posted_ante_bb + amount_bb)
        return self.betting_stack_bb - amount_bb <= threshold * pot_if_called

    def sizes_at(self, player: int, depth: int) -> tuple[PreflopSize, ...]:
        """Returns the sizes of a player's raise after ``depth`` raises."""
        by_depth = self.raise_sizes[player]
        return by_depth[min(depth, len(by_depth) - 1)] if by_depth else ()


def _parse_by_player(
    values: SizesByDepthInput | Mapping[str, SizesByDepthInput],
) -> tuple[SizesByDepth, SizesByDepth]:
    if not isinstance(values, Mapping):
        both = parse_sizes_by_depth(values, "raise_sizes")
        return both, both
    if set(values) != {"sb", "bb"}:
        names = ", ".join(map(str, values)) or "nobody"
        raise TreeError("raise_sizes", f"sizes for {names}, give them for sb and bb")
    return (
        parse_sizes_by_depth(values["sb"], "raise_sizes.sb"),
        parse_sizes_by_depth(values["bb"], "raise_sizes.bb"),
    )


class PreflopState(NamedTuple):
    """Everything that the actions of one decision depend on, in big blinds.

    Attributes:
        player: whose turn it is, `SB` or `BB`.
        amounts_bb: what each player has put in on this street, antes not counted.
        last_increment_bb: by how much the last raise went beyond the amount before it; the big
            blind before the first raise.
        num_raises: raises so far, all-ins included.
    """

    player: int
    amounts_bb: tuple[float, float]
    last_increment_bb: float
    num_raises: int = 0

    @classmethod
    def after_blinds(cls, rules: PreflopRules) -> "PreflopState":
        """Returns the first decision, the small blind's."""
        return cls(SB, rules.posted_blinds_bb, rules.big_blind_bb)

    @property
    def amount_bb(self) -> float:
        """What the acting player has put in on this street."""
        return self.amounts_bb[self.player]

    @property
    def opponent_amount_bb(self) -> float:
        """What the opponent has put in on this street."""
        return self.amounts_bb[1 - self.player]

    def after_raise(self, amount_bb: float) -> "PreflopState":
        """Returns the opponent's decision after a raise or an all-in."""
        mine, theirs = amount_bb, self.opponent_amount_bb
        return PreflopState(
            player=1 - self.player,
            amounts_bb=(mine, theirs) if self.player == SB else (theirs, mine),
            last_increment_bb=mine - theirs,
            num_raises=self.num_raises + 1,
        )


def legal_preflop_actions(rules: PreflopRules, state: PreflopState) -> list[Action]:
    """Returns the actions of the player to act: passive ones first, then by rising amount.

    A raise adds at least the last raise, and the first one at least the big blind; a smaller size
    is lifted to that, and nobody puts in more than the effective stack.
    """
    amount, opponent_amount = state.amount_bb, state.opponent_amount_bb
    stack = rules.betting_stack_bb
    if opponent_amount > amount:
        actions = [Action(ActionKind.FOLD, amount)]
        if rules.allow_limp or state.num_raises > 0 or opponent_amount == stack:
            actions.append(Action(ActionKind.CALL, opponent_amount))
    else:
        actions = [Action(ActionKind.CHECK, amount)]
    is_capped = rules.raise_cap is not None and state.num_raises >= rules.raise_cap
    if is_capped or opponent_amount == stack:
        return actions
    for target in _raise_targets(rules, state):
        kind = ActionKind.ALL_IN if target == stack else ActionKind.RAISE
        actions.append(Action(kind, target))
    return actions


def _raise_targets(rules: PreflopRules, state: PreflopState) -> list[float]:
    """Returns the amounts to which the player may raise, rising, no two alike."""
    stack, opponent_amount = rules.betting_stack_bb, state.opponent_amount_bb
    # The opponent has put in at least as much, so calling makes it twice that.
    pot_after_call = 2.0 * (rules.posted_ante_bb + opponent_amount)
    least = opponent_amount + state.last_increment_bb
    force = max(rules.force_all_in_threshold, SAME_AMOUNT_FRACTION)
    targets = set()
    for size in rules.sizes_at(state.player, state.num_raises):
        wanted = _raised_to(size, opponent_amount, pot_after_call, stack)
        target = min(max(wanted, least), stack)
        targets.add(stack if rules.is_all_in(target, force) else target)
    if rules.always_offer_all_in:
        targets.add(stack)
    distinct: list[float] = []
    for target in sorted(targets, reverse=True):
        pot_with_target = pot_after_call + target - opponent_amount
        apart = max(SAME_AMOUNT_FRACTION * pot_with_target, SAME_AMOUNT_BB)
        if not distinct or distinct[-1] - target > apart:
            distinct.append(target)
    return distinct[::-1]


def _raised_to(
    size: PreflopSize, opponent_amount: float, pot_after_call: float, stack: float
) -> float:
    """Returns the amount that a size raises to, before the limits of the game."""
    match size:
        case BigBlindAmount(amount_bb):
            return amount_bb
        case PotFraction(fraction):
            return opponent_amount + fraction * pot_after_call
        case LastBetMultiple(factor):
            return factor * opponent_amount
        case AllInSize():
            return stack


def push_fold_rules(
    stacks_bb: float | tuple[float, float], *, ante_bb: float = 0.0
) -> PreflopRules:
    """Returns the push/fold game: the small blind moves all-in or folds, the big blind answers."""
    return PreflopRules.parse(stacks_bb, ["allin"], ante_bb=ante_bb, allow_limp=False)


def limp_fold_rules(
    stacks_bb: float | tuple[float, float], *, ante_bb: float = 0.0
) -> PreflopRules:
    """Returns the limp/fold game: the small blind limps or folds, never raises first.

    The big blind checks or moves all-in, which the small blind may call.
    """
    sizes = {"sb": [], "bb": ["allin"]}
    return PreflopRules.parse(
        stacks_bb, sizes, ante_bb=ante_bb, raise_cap=1, always_offer_all_in=False
    )


def standard_rules_25bb() -> PreflopRules:
    """Returns 25 big blinds each: limp or minimum raise, re-raise to three times, then all-in."""
    sizes = {"sb": ["2bb", "3x", "allin"], "bb": ["3bb", "3x", "allin"]}
    return PreflopRules.parse(25.0, sizes, raise_cap=4)


def standard_rules_100bb() -> PreflopRules:
    """Returns 100 big blinds each: limp or open to 2.5, 3-bet to 9, 4-bet to 21.6, then all-in."""
    sizes = {"sb": ["2.5bb", "3x", "2.4x", "allin"], "bb": ["3.5bb", "3.6x", "2.4x", "allin"]}
    return PreflopRules.parse(100.0, sizes, raise_cap=5)
