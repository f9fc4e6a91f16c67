"""The section ``preflop``: blinds, stacks, and which raises the preflop tree offers."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar

from runout.config.section import ConfigSection, Key, inside, number
from runout.config.values import (
    POSITIVE,
    RAISES,
    RAISES_BY_DEPTH,
    STACKS,
    SizesByPosition,
)
from runout.errors import ConfigError, TreeError
from runout.trees.betting import PreflopRules
from runout.trees.tree import PreflopTree

PREFLOP_SECTION = "preflop"

#: What each preset sets; everything else keeps its default.
PREFLOP_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "hu_25bb": {
        "stacks_bb": 25,
        "raise_sizes": {"sb": ["2bb", "3x", "allin"], "bb": ["3bb", "3x", "allin"]},
        "raise_cap": 4,
    },
    "hu_100bb": {
        "stacks_bb": 100,
        "raise_sizes": {
            "sb": ["2.5bb", "3x", "2.4x", "allin"],
            "bb": ["3.5bb", "3.6x", "2.4x", "allin"],
        },
        "raise_cap": 5,
    },
    "pushfold": {
        "stacks_bb": 10,
        "raise_sizes": ["allin"],
        "raise_cap": None,
        "allow_limp": False,
    },
    "limpfold": {
        "stacks_bb": 10,
        "raise_sizes": {"sb": [], "bb": ["allin"]},
        "raise_cap": 1,
        "always_offer_all_in": False,
    },
}

_LARGEST_ANTE_BB = 10
_SMALL_BLIND = number("a number from 0 to less than the big blind", lambda x: x >= 0.0)
_ANTE = number(f"a number from 0 to {_LARGEST_ANTE_BB}", lambda x: 0.0 <= x <= _LARGEST_ANTE_BB)
_FROM_0 = number("a number from 0 up", lambda x: x >= 0.0)


class PreflopConfig(ConfigSection):
    """The preflop game."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PREFLOP_PRESETS

    stacks_bb: Annotated[
        tuple[float, float], STACKS, Key("game", "big blinds", "effective_stack_bb")
    ] = (25.0, 25.0)
    """Stacks before anything is posted: one for both players, or `[sb, bb]`. The smaller one is
    played for."""
    small_blind_bb: Annotated[float, _SMALL_BLIND, Key("game", "big blinds")] = 0.5
    """The small blind, posted by the button."""
    big_blind_bb: Annotated[float, POSITIVE, Key("game", "big blinds")] = 1.0
    """The big blind: 1, unless a straddle plays its part."""
    ante_bb: Annotated[float, _ANTE, Key("game", "big blinds")] = 0.0
    """What each player posts before the blinds, as dead money."""
    raise_sizes: Annotated[SizesByPosition, RAISES_BY_DEPTH, Key("game", means="raise_sizes")] = (
        SizesByPosition.parse([["2.5bb"], ["3x"], ["allin"]])
    )
    """Sizes of a raise by raise depth: first those of the first raise, then of the re-raise, and so
    on; the last ones serve all deeper raises. For both players, or a mapping of `sb` and `bb` (see
    below)."""
    raise_cap: Annotated[int | None, RAISES.or_null(), Key("game", "raises")] = 4
    """Raises in the hand at most, all-ins included; `null` for no limit."""
    allow_limp: Annotated[bool, Key("game")] = True
    """Whether the small blind may just call the big blind."""
    always_offer_all_in: Annotated[bool, Key("game")] = True
    """Whether all-in is offered wherever a raise is legal, among the sizes or not."""
    force_all_in_threshold: Annotated[
        float, _FROM_0, Key("game", "pots after the raise is called")
    ] = 0.0
    """A raise that would leave at most this behind is all-in instead; 0: only one that leaves
    nothing."""

    def check(self) -> None:
        """Refuses a game that cannot be built, or in which nobody decides anything."""
        with inside("."):
            self.rules()
        try:
            tree = self.tree
        except TreeError as error:
            raise ConfigError("", error.problem) from error
        if tree.num_nodes == 1:
            stack = tree.rules.effective_stack_bb
            if self.ante_bb >= stack:
                problem = f"{self.ante_bb:g} is no less than the stack of {stack:g}"
                raise ConfigError(".ante_bb", f"{problem}, nobody has anything left to play with")
            problem = f"{stack:g} is gone when blinds and antes are posted, nobody decides anything"
            raise ConfigError(".stacks_bb", problem)

    def rules(self) -> PreflopRules:
        """Returns the rules that the tree is built with."""
        return PreflopRules(**self.values())

    @cached_property
    def tree(self) -> PreflopTree:
        """The tree of the game."""
        return PreflopTree.build(self.rules())

    def meanings(self) -> dict[str, Any]:
        """Returns stacks and sizes as digests have them."""
        return {
            "effective_stack_bb": self.rules().effective_stack_bb,
            "raise_sizes": self.raise_sizes.digest(),
        }
