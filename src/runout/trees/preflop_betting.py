"""The rules of a heads-up hand before the flop: blinds, antes, and who may do what.

All amounts are in big blinds. What a player has put in *on this street* is the blind and the bets
on top of it: a raise "to 2.5" leaves 2.5 there. Antes are dead money and count apart, so the most
that anybody can have on this street is the smaller stack without its ante.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.bet_sizing import AllInSize, LastBetMultiple, PotFraction
from runout.trees.betting import SAME_AMOUNT_FRACTION
from runout.trees.preflop_sizing import (
    BigBlindAmount,
    PreflopSize,
    SizesByDepth,
    SizesByDepthInput,
    parse_sizes_by_depth,
)

#: The players before the flop: the small blind has the button and acts first.
SB, BB = 0, 1
PLAYER_NAMES = ("SB", "BB")

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
        """Reads sizes in the language of `runout.trees.preflop_sizing`.

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
    for target in _targets(rules, state):
        kind = ActionKind.ALL_IN if target == stack else ActionKind.RAISE
        actions.append(Action(kind, target))
    return actions


def _targets(rules: PreflopRules, state: PreflopState) -> list[float]:
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
