"""The section ``preflop``: blinds, stacks, and which raises the preflop tree offers."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from runout.config.section import About, ConfigSection, problem_at, take_preset
from runout.config.values import (
    MOST_RAISES,
    SizesByPosition,
    digest_position_sizes,
    plain_position_sizes,
    plain_stacks,
    read_position_sizes,
    read_stacks,
)
from runout.errors import TreeError
from runout.trees.betting import PreflopRules
from runout.trees.tree import PreflopTree

# Presets of the sections, as data.


#: Of the postflop model, from a look in minutes to a run over night: what each sets; a backend's
#: settings add keys of its own, and everything else keeps its default.
PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "fast": {
            "flop_subset": 25,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 200,
            "cfr_exploitability_threshold": 0.005,
        },
        "medium": {
            "flop_subset": 50,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 300,
            "cfr_exploitability_threshold": 0.002,
        },
        "standard": {
            "flop_subset": 100,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 500,
            "cfr_exploitability_threshold": 0.001,
        },
        "accurate": {
            "flop_subset": 200,
            "bet_sizes": (0.33, 0.75, 1.5),
            "max_raises_per_street": 2,
            "postflop_solve_iterations": 1000,
            "cfr_exploitability_threshold": 0.001,
        },
    }
)

#: Of the preflop game: what each sets; everything else keeps its default.
PREFLOP_PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
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
)


# The section ``preflop``: blinds, stacks, and which raises the preflop tree offers.


PREFLOP_SECTION = "preflop"

_Amount = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
_PositiveAmount = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0, le=MOST_RAISES)]
_LARGEST_ANTE_BB = 10


class PreflopConfig(ConfigSection):
    """The preflop game.

    Constructed in Python it takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `ConfigSection.parse` raises `ConfigError` with the path in the file.
    """

    extra_keys = ("preset",)

    stacks_bb: Annotated[
        tuple[float, float],
        PlainValidator(read_stacks),
        PlainSerializer(plain_stacks),
        About(
            "Stacks before anything is posted: one for both players, or `[sb, bb]`. The smaller "
            "one is played for.",
            "a positive number or a list of two",
            unit="big blinds",
        ),
    ] = (25.0, 25.0)
    small_blind_bb: Annotated[
        _Amount,
        About(
            "The small blind, posted by the button.",
            "a number from 0 to less than the big blind",
            unit="big blinds",
        ),
    ] = 0.5
    big_blind_bb: Annotated[
        _PositiveAmount,
        About(
            "The big blind: 1, unless a straddle plays its part.",
            "a positive number",
            unit="big blinds",
        ),
    ] = 1.0
    ante_bb: Annotated[
        Annotated[float, Field(ge=0.0, le=_LARGEST_ANTE_BB)],
        About(
            "What each player posts before the blinds, as dead money.",
            f"a number from 0 to {_LARGEST_ANTE_BB}",
            unit="big blinds",
        ),
    ] = 0.0
    raise_sizes: Annotated[
        SizesByPosition,
        PlainValidator(read_position_sizes),
        PlainSerializer(plain_position_sizes),
        About(
            "Sizes of a raise by raise depth: first those of the first raise, then of the "
            "re-raise, and so on; the last ones serve all deeper raises. For both players, or a "
            "mapping of `sb` and `bb` (see below).",
            "a list by raise depth of lists of sizes such as 2.5bb, 1.0p, 3x and allin",
        ),
    ] = read_position_sizes([["2.5bb"], ["3x"], ["allin"]])
    raise_cap: Annotated[
        _Count | None,
        About(
            "Raises in the hand at most, all-ins included; `null` for no limit.",
            f"a whole number from 0 to {MOST_RAISES}, or null",
            unit="raises",
        ),
    ] = 4
    allow_limp: Annotated[
        bool,
        About("Whether the small blind may just call the big blind.", "true or false"),
    ] = True
    always_offer_all_in: Annotated[
        bool,
        About(
            "Whether all-in is offered wherever a raise is legal, among the sizes or not.",
            "true or false",
        ),
    ] = True
    force_all_in_threshold: Annotated[
        _Amount,
        About(
            "A raise that would leave at most this behind is all-in instead; 0: only one that "
            "leaves nothing.",
            "a number from 0 up",
            unit="pots after the raise is called",
        ),
    ] = 0.0

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Replaces the key ``preset`` by what the preset sets and nothing else was given for."""
        return take_preset(given, PREFLOP_PRESETS) | given

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        try:
            self.rules()
        except TreeError as error:
            raise problem_at(f".{error.where}", error.problem) from error
        try:
            tree = self.tree
        except TreeError as error:
            raise problem_at("", error.problem) from error
        if tree.num_nodes == 1:
            stack = tree.rules.effective_stack_bb
            if self.ante_bb >= stack:
                problem = f"{self.ante_bb:g} is no less than the stack of {stack:g}"
                raise problem_at(".ante_bb", f"{problem}, nobody has anything left to play with")
            problem = f"{stack:g} is gone when blinds and antes are posted, nobody decides anything"
            raise problem_at(".stacks_bb", problem)
        return self

    def rules(self) -> PreflopRules:
        """Returns the rules that the tree is built with."""
        return PreflopRules(
            stacks_bb=self.stacks_bb,
            raise_sizes=self.raise_sizes,
            small_blind_bb=self.small_blind_bb,
            big_blind_bb=self.big_blind_bb,
            ante_bb=self.ante_bb,
            raise_cap=self.raise_cap,
            allow_limp=self.allow_limp,
            always_offer_all_in=self.always_offer_all_in,
            force_all_in_threshold=self.force_all_in_threshold,
        )

    @cached_property
    def tree(self) -> PreflopTree:
        """The tree of the game."""
        return PreflopTree.build(self.rules())

    def digest_mapping(self) -> dict[str, Any]:
        """Returns everything that decides the results; the same for configs that mean the same."""
        return {
            "effective_stack_bb": self.rules().effective_stack_bb,
            "small_blind_bb": self.small_blind_bb,
            "big_blind_bb": self.big_blind_bb,
            "ante_bb": self.ante_bb,
            "raise_sizes": digest_position_sizes(self.raise_sizes),
            "raise_cap": self.raise_cap,
            "allow_limp": self.allow_limp,
            "always_offer_all_in": self.always_offer_all_in,
            "force_all_in_threshold": self.force_all_in_threshold,
        }
