"""The section ``postflop_model``: which trees are solved, on which flops, how and how well.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from runout.cards.card import format_cards
from runout.cards.flops import (
    NUM_CANONICAL_FLOPS,
    FlopList,
    all_flops,
    explicit_flops,
    random_flops,
    subset_flops,
)
from runout.cfr.discounting import DiscountSchedule
from runout.cfr.stopping import StoppingRule
from runout.config.postflop_readers import (
    AutoSprs,
    plain_sprs,
    read_bet_sizes,
    read_flops,
    read_raise_sizes,
    read_sprs,
)
from runout.config.presets import PRESETS
from runout.config.section import About, ConfigSection, problem_at, take_preset
from runout.config.size_choice import (
    PLAYER_KEYS,
    STREET_KEYS,
    SizeChoice,
    plain_sizes,
    sizes_at,
)
from runout.config.variant import (
    ALLOWED_VARIANTS,
    digest_variant,
    plain_variant,
    read_optional_variant,
    schedule_of,
)
from runout.config.yaml_text import format_yaml
from runout.trees.bet_sizing import format_bet_size
from runout.trees.betting import BettingRules, SizeMenu

SECTION = "postflop_model"

#: Keys that say which flops are solved; at most one of them is given.
FLOP_SELECTIONS = ("max_flop_boards", "fixed_flops", "flop_subset")

_WEIGHT_DIGITS = 10
_BUCKETED = "not available yet, it belongs to solve_type bucketed"

_Share = Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_FlopCount = Annotated[int, Field(ge=1, le=NUM_CANONICAL_FLOPS)]


class PostflopModelConfig(ConfigSection):
    """How flops are solved.

    Constructed in Python it takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `ConfigSection.parse` raises `ConfigError` with the path in the file.
    """

    aliases: ClassVar[dict[str, str]] = {"postflop_spr": "postflop_sprs"}
    extra_keys = ("preset",)
    later_keys: ClassVar[dict[str, str]] = {
        "rebucket_rounds": _BUCKETED,
        "rebucket_delta_threshold": f"{_BUCKETED}; see cfr_strategy_delta_threshold",
        "num_hand_buckets_flop": _BUCKETED,
        "num_hand_buckets_turn": _BUCKETED,
        "num_hand_buckets_river": _BUCKETED,
    }

    solve_type: Annotated[
        Literal["mccfr", "exhaustive"],
        About(
            "The backend: `mccfr` samples concrete cards, `exhaustive` plays all 169 hands against "
            "each other with exact equities in every iteration.",
            "one of mccfr, exhaustive",
            choices=("mccfr", "exhaustive"),
            later=("bucketed", "exact"),
        ),
    ] = "mccfr"
    bet_sizes: Annotated[
        SizeChoice,
        PlainValidator(read_bet_sizes),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a first bet; all-in is always offered as well. A list for everybody, or a "
            "mapping (see below).",
            "a list of positive numbers or of texts such as '33%'",
            unit="fraction of the pot",
        ),
    ] = (0.5, 1.0)
    raise_sizes: Annotated[
        SizeChoice | None,
        PlainValidator(read_raise_sizes),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a raise, in the same forms; `null` means the bet sizes.",
            "a list of positive numbers or of texts such as '33%' and '2.5x', or null",
            unit="fraction of the pot after calling",
        ),
    ] = None
    max_raises_per_street: Annotated[
        int,
        Field(ge=0),
        About(
            "Raises after the first bet of a street, all-in raises included.",
            "a whole number from 0 up",
            unit="raises",
        ),
    ] = 1
    postflop_sprs: Annotated[
        tuple[float, ...],
        PlainValidator(read_sprs),
        PlainSerializer(plain_sprs),
        About(
            "Stack-to-pot ratios on entering the flop, each solved by itself; the first is the "
            "primary one. A single number is a list of one. `auto`, in a run config only: those "
            "of the flops in the preflop tree. Also written `postflop_spr`.",
            "a positive number, a list of different ones, or auto",
            unit="flop pots",
        ),
    ] = (3.5,)
    postflop_solve_iterations: Annotated[
        int,
        Field(ge=1),
        About(
            "A flop's solve ends after so many iterations at the latest.",
            "a whole number from 1 up",
            unit="iterations",
        ),
    ] = 500
    cfr_exploitability_threshold: Annotated[
        _Share | None,
        About(
            "A flop's solve ends when its exploitability is at most this: 0.001 is 0.1 % of the "
            "pot; `null` is off.",
            "a number above 0 and up to 1, or null",
            unit="fraction of the flop pot",
        ),
    ] = 0.001
    cfr_strategy_delta_threshold: Annotated[
        _Share | None,
        About(
            "A flop's solve ends when no probability of an action changes by more than this from "
            "one iteration to the next; `null` is off.",
            "a number above 0 and up to 1, or null",
            unit="probability",
        ),
    ] = None
    cfr_max_seconds_per_flop: Annotated[
        _Seconds | None,
        About(
            "A flop's solve ends after this time; results then depend on the machine. `null` is "
            "off.",
            "a positive number, or null",
            unit="seconds",
        ),
    ] = None
    cfr_variant: Annotated[
        str | DiscountSchedule | None,
        PlainValidator(read_optional_variant),
        PlainSerializer(plain_variant),
        About(
            "How iterations are weighted: a name, or the three exponents of discounted CFR; `null` "
            "is `linear` for `mccfr`, which averages its noise out, and `dcfr+` for the others.",
            f"{ALLOWED_VARIANTS}, or null",
        ),
    ] = None
    cfr_updates: Annotated[
        Literal["alternating", "simultaneous"],
        About(
            "Whether a player's update sees the other's update of the same iteration.",
            "one of alternating, simultaneous",
            choices=("alternating", "simultaneous"),
        ),
    ] = "alternating"
    max_flop_boards: Annotated[
        _FlopCount | None,
        About(
            "Solve so many random flops, drawn once with `seed`.",
            f"a whole number from 1 to {NUM_CANONICAL_FLOPS}, or null",
            unit="flops",
        ),
    ] = None
    fixed_flops: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(read_flops),
        About(
            "Solve these flops, in this order.",
            "a list of flops such as AhKd7s, no two alike up to suits, or null",
        ),
    ] = None
    flop_subset: Annotated[
        Literal[25, 50, 100, 200] | None,
        About(
            "Solve a shipped weighted subset of this size, chosen to stand for all flops.",
            "one of 25, 50, 100, 200, or null",
            unit="flops",
        ),
    ] = None
    mccfr_sampling: Annotated[
        Literal["external", "public_chance"],
        About(
            "What `mccfr` samples: `external` also the hands and the opponent's actions, "
            "`public_chance` the turn and the river.",
            "one of external, public_chance",
            choices=("external", "public_chance"),
        ),
    ] = "public_chance"
    mccfr_sample_pct: Annotated[
        _Share,
        About(
            "How much of all (hand pair, turn, river) one iteration of `mccfr` samples. Despite "
            "its name a fraction: 0.01 is one percent.",
            "a number above 0 and up to 1",
            unit="fraction",
        ),
    ] = 0.01
    value_extraction_samples: Annotated[
        int,
        Field(ge=0),
        About(
            "Deals with which `mccfr` estimates the values of a solved flop; 0 computes them "
            "exactly.",
            "a whole number from 0 up",
            unit="deals",
        ),
    ] = 0
    seed: Annotated[
        int,
        Field(ge=0),
        About("Seed of everything that is random.", "a whole number from 0 up"),
    ] = 0

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Replaces the key ``preset`` by what the preset sets and nothing else was given for."""
        preset = take_preset(given, PRESETS)
        if any(key in given for key in FLOP_SELECTIONS):
            # The user has chosen flops, be it all of them by null; the preset must not add others.
            preset = {key: preset[key] for key in preset if key not in FLOP_SELECTIONS}
        return preset | given

    @model_validator(mode="after")
    def _select_flops_once(self) -> Self:
        given = [key for key in FLOP_SELECTIONS if getattr(self, key) is not None]
        if len(given) > 1:
            allowed = f"give at most one of {', '.join(FLOP_SELECTIONS)}"
            raise problem_at(f".{given[1]}", f"given together with {given[0]}, {allowed}")
        return self

    @model_validator(mode="after")
    def _sample_in_turns(self) -> Self:
        if self.solve_type == "mccfr" and self.cfr_updates != "alternating":
            raise problem_at(".cfr_updates", "mccfr takes turns, use alternating")
        return self

    @classmethod
    def fast(cls) -> Self:
        """25 flops to 0.5 % of the pot: a first look."""
        return cls.model_validate({"preset": "fast"})

    @classmethod
    def medium(cls) -> Self:
        """50 flops to 0.2 % of the pot."""
        return cls.model_validate({"preset": "medium"})

    @classmethod
    def standard(cls) -> Self:
        """100 flops to 0.1 % of the pot."""
        return cls.model_validate({"preset": "standard"})

    @classmethod
    def accurate(cls) -> Self:
        """200 flops to 0.1 % of the pot, with three sizes and two raises."""
        return cls.model_validate({"preset": "accurate"})

    @property
    def primary_spr(self) -> float:
        """The stack-to-pot ratio to use where only one is needed: the first."""
        return self.postflop_sprs[0]

    @property
    def is_auto_sprs(self) -> bool:
        """Whether the ratios are those of a preflop tree; `with_sprs` sets them."""
        return isinstance(self.postflop_sprs, AutoSprs)

    def with_sprs(self, sprs: Sequence[float]) -> Self:
        """Returns this config with other stack-to-pot ratios."""
        return self.model_validate(self.to_mapping() | {"postflop_sprs": list(sprs)})

    def betting_rules(self) -> BettingRules:
        """Returns the rules that trees are built with."""
        return BettingRules(
            menus=tuple((self._menu(s, "oop"), self._menu(s, "ip")) for s in STREET_KEYS),
            max_raises_per_street=self.max_raises_per_street,
        )

    def _menu(self, street: str, player: str) -> SizeMenu:
        raises = self.bet_sizes if self.raise_sizes is None else self.raise_sizes
        return SizeMenu(
            bets=sizes_at(self.bet_sizes, street, player, for_raises=False),
            raises=sizes_at(raises, street, player, for_raises=True),
        )

    def flop_list(self) -> FlopList:
        """Returns the flops to solve with their weights; all 1,755 if none were selected."""
        if self.fixed_flops is not None:
            return explicit_flops(self.fixed_flops)
        if self.flop_subset is not None:
            return subset_flops(self.flop_subset)
        if self.max_flop_boards is not None:
            return random_flops(self.max_flop_boards, self.seed)
        return all_flops()

    @property
    def _variant(self) -> str | DiscountSchedule:
        if self.cfr_variant is not None:
            return self.cfr_variant
        return "linear" if self.solve_type == "mccfr" else "dcfr+"

    def schedule(self) -> DiscountSchedule:
        """Returns how iterations are weighted."""
        return schedule_of(self._variant)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve of a flop ends; its values are in flop pots."""
        return StoppingRule(
            max_iterations=self.postflop_solve_iterations,
            max_seconds=self.cfr_max_seconds_per_flop,
            exploitability=self.cfr_exploitability_threshold,
            strategy_delta=self.cfr_strategy_delta_threshold,
        )

    def to_yaml(self) -> str:
        """Returns a config file with this section that reads back as the same config."""
        return format_yaml({SECTION: self.to_mapping()})

    def digest_mapping(self) -> dict[str, Any]:
        """Returns everything that decides the results, for `runout.storage.manifest.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops, and keys that the
        backend does not read are left out.
        """
        flops = self.flop_list()
        mapping = {
            "solve_type": self.solve_type,
            "sizes": self._digest_sizes(),
            "max_raises_per_street": self.max_raises_per_street,
            "postflop_sprs": plain_sprs(self.postflop_sprs),
            "postflop_solve_iterations": self.postflop_solve_iterations,
            "cfr_exploitability_threshold": self.cfr_exploitability_threshold,
            "cfr_strategy_delta_threshold": self.cfr_strategy_delta_threshold,
            "cfr_max_seconds_per_flop": self.cfr_max_seconds_per_flop,
            "cfr_variant": digest_variant(self._variant),
            "cfr_updates": self.cfr_updates,
            # Rounded, because the last bits of a sum may differ between machines.
            "flops": [
                [format_cards(flop), round(float(weight), _WEIGHT_DIGITS)]
                for flop, weight in zip(flops.flops, flops.weights, strict=True)
            ],
        }
        if self.solve_type == "mccfr":
            for key in ("mccfr_sampling", "mccfr_sample_pct", "value_extraction_samples", "seed"):
                mapping[key] = getattr(self, key)
        return mapping

    def _digest_sizes(self) -> dict[str, dict[str, list[str]]]:
        sizes = {}
        for street in STREET_KEYS:
            for player in PLAYER_KEYS:
                menu = self._menu(street, player)
                # A menu is a set: neither order nor repetition changes a tree.
                sizes[f"{street}.{player}"] = {
                    "bets": sorted({format_bet_size(size) for size in menu.bets}),
                    "raises": sorted({format_bet_size(size) for size in menu.raises}),
                }
        return sizes
