"""The section ``postflop_model``: which trees are solved, on which flops, how and how well.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import ModelWrapValidatorHandler, model_validator

from runout.cards.flops import FlopList, all_flops, explicit_flops, random_flops, subset_flops
from runout.cfr.discounting import DiscountSchedule
from runout.cfr.stopping import StoppingRule
from runout.config.backends import BACKENDS, DEFAULT_BACKEND, load_config_class
from runout.config.postflop_digest import digest_postflop
from runout.config.postflop_keys import FlopKeys
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


class PostflopModelConfig(FlopKeys):
    """How flops are solved, by whichever backend.

    Constructing or reading one gives the class of its backend, chosen by ``solve_type``. In Python
    it takes the same keys and forms as in YAML and raises pydantic's `ValidationError`;
    `ConfigSection.parse` raises `ConfigError` with the path in the file.

    Attributes:
        best_variant: what ``cfr_variant: null`` means, by measurement.
        is_random: whether the backend's results depend on the seed.
        presets: what presets set besides the keys of all backends.
        label_key: the key whose value may stand after the backend's name in ``lab exploit``.
        label_values: its values that are compared there.
    """

    aliases: ClassVar[dict[str, str]] = {"postflop_spr": "postflop_sprs"}
    extra_keys = ("preset",)

    best_variant: ClassVar[str]
    is_random: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    label_key: ClassVar[str | None] = None
    label_values: ClassVar[tuple[int, ...]] = ()

    def __new__(cls, **keys: Any) -> Self:
        """Makes room for a config of the backend that the keys ask for."""
        chosen: type[Self] = cls.kind_of(keys)
        return super().__new__(chosen)

    @classmethod
    def kind_of(cls, raw: Mapping[str, Any]) -> type[Any]:
        """Returns the class of the backend that keys ask for; this one if there is none."""
        solve_type = raw.get("solve_type", DEFAULT_BACKEND)
        is_known = isinstance(solve_type, str) and solve_type in BACKENDS
        is_chosen = cls is not PostflopModelConfig
        return cls if is_chosen or not is_known else load_config_class(solve_type)

    @model_validator(mode="wrap")
    @classmethod
    def _read_as_the_backend(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if cls is not PostflopModelConfig or not isinstance(data, Mapping):
            return handler(data)
        kind = cls.kind_of(data)
        if kind is cls:
            problem = cls.about("solve_type").problem_with(data["solve_type"])
            raise problem_at(".solve_type", problem)
        config: Self = kind.model_validate(data)
        return config

    @classmethod
    def all_keys(cls) -> list[str]:
        """Returns every key that some backend reads, and other names of keys."""
        kinds = map(load_config_class, BACKENDS)
        keys = dict.fromkeys(key for kind in kinds for key in kind.model_fields)
        return [*keys, *cls.aliases, *cls.extra_keys]

    @classmethod
    def own_keys(cls) -> list[str]:
        """Returns the keys that not every backend has."""
        return [key for key in cls.model_fields if key not in FlopKeys.model_fields]

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        backends = [name for name in BACKENDS if key in load_config_class(name).model_fields]
        if backends:
            return f"needs solve_type: {' or '.join(backends)}"
        return super()._problem_with_key(key)

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Replaces the key ``preset`` by what the preset sets and nothing else was given for."""
        preset = take_preset(given, PRESETS, cls.presets)
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
        return schedule_of(self.best_variant if self.cfr_variant is None else self.cfr_variant)

    @property
    def delta_limit(self) -> float | None:
        """How little strategies may change in an iteration to end a solve; None is no limit."""
        return None

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve of a flop ends; its values are in flop pots."""
        return StoppingRule(
            max_iterations=self.postflop_solve_iterations,
            max_seconds=self.cfr_max_seconds_per_flop,
            exploitability=self.cfr_exploitability_threshold,
            strategy_delta=self.delta_limit,
        )

    def make_backend(self) -> Any:
        """Returns the backend with these settings, a `runout.postflop.backend.PostflopBackend`."""
        raise NotImplementedError

    def to_yaml(self) -> str:
        """Returns a config file with this section that reads back as the same config."""
        return format_yaml({SECTION: self.to_mapping()})

    def digest_mapping(self) -> dict[str, Any]:
        """Returns everything that decides the results, for `runout.storage.manifest.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops.
        """
        mapping = digest_postflop(self, self.betting_rules(), self.schedule(), self.flop_list())
        return mapping | self.digest_own_keys()

    def digest_own_keys(self) -> dict[str, Any]:
        """Returns what decides the results besides the keys of all backends."""
        keys = [*self.own_keys(), *(["seed"] if self.is_random else [])]
        return {key: getattr(self, key) for key in keys}
