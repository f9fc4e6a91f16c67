"""The section ``postflop_model``: which trees are solved, on which flops, how and how well.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from pydantic import model_validator

from runout.cards.flops import FlopList, all_flops, explicit_flops, random_flops, subset_flops
from runout.cfr.discounting import DiscountSchedule
from runout.cfr.stopping import StoppingRule
from runout.config.backend_keys import BackendKeys
from runout.config.postflop_digest import digest_postflop
from runout.config.postflop_readers import AutoSprs
from runout.config.presets import PRESETS
from runout.config.section import problem_at, take_preset
from runout.config.size_choice import STREET_KEYS, sizes_at
from runout.config.variant import schedule_of
from runout.config.yaml_text import format_yaml
from runout.trees.betting import BettingRules, SizeMenu

SECTION = "postflop_model"

#: Keys that say which flops are solved; at most one of them is given.
FLOP_SELECTIONS = ("max_flop_boards", "fixed_flops", "flop_subset")

#: What ``cfr_variant: null`` means: measured, see the pages of the backends.
_BEST_VARIANT = {
    "mccfr": "linear",
    "exhaustive": "dcfr+",
    "bucketed": "linear",
    "exact": "dcfr4",
}
#: Where to look instead of ``cfr_strategy_delta_threshold``.
_OTHER_LIMIT = {
    "bucketed": "rebucket_delta_threshold",
    "exact": "cfr_exploitability_threshold",
}


class PostflopModelConfig(BackendKeys):
    """How flops are solved.

    Constructed in Python it takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `ConfigSection.parse` raises `ConfigError` with the path in the file.
    """

    aliases: ClassVar[dict[str, str]] = {"postflop_spr": "postflop_sprs"}
    extra_keys = ("preset",)

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
    def _ask_only_what_the_backend_can(self) -> Self:
        backend = self.solve_type
        if backend != "exhaustive" and self.cfr_updates != "alternating":
            raise problem_at(".cfr_updates", f"{backend} takes turns, use alternating")
        if backend in _OTHER_LIMIT and self.cfr_strategy_delta_threshold is not None:
            problem = f"{backend} does not look at it, use {_OTHER_LIMIT[backend]}"
            raise problem_at(".cfr_strategy_delta_threshold", problem)
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

    def schedule(self) -> DiscountSchedule:
        """Returns how iterations are weighted."""
        given = self.cfr_variant
        return schedule_of(_BEST_VARIANT[self.solve_type] if given is None else given)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve of a flop ends; its values are in flop pots."""
        is_bucketed = self.solve_type == "bucketed"
        return StoppingRule(
            max_iterations=self.postflop_solve_iterations,
            max_seconds=self.cfr_max_seconds_per_flop,
            exploitability=self.cfr_exploitability_threshold,
            strategy_delta=self.rebucket_delta_threshold
            if is_bucketed
            else self.cfr_strategy_delta_threshold,
        )

    @property
    def num_hand_buckets(self) -> tuple[int, int, int]:
        """Buckets on flop, turn and river."""
        return (
            self.num_hand_buckets_flop,
            self.num_hand_buckets_turn,
            self.num_hand_buckets_river,
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
        return digest_postflop(self, self.betting_rules(), self.schedule(), self.flop_list())
