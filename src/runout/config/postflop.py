"""The sections ``postflop_model`` and ``joint``: which trees, which flops, and how well."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PlainSerializer,
    PlainValidator,
    model_validator,
)

from runout.cards.deck import format_cards
from runout.cards.flops import (
    NUM_CANONICAL_FLOPS,
    FlopList,
    all_flops,
    explicit_flops,
    random_flops,
    subset_flops,
)
from runout.cfr.schedules import DiscountSchedule, StoppingRule
from runout.config.preflop import PRESETS
from runout.config.section import About, ConfigSection, format_yaml, problem_at, take_preset
from runout.config.values import (
    ALLOWED_VARIANTS,
    MOST_RAISES,
    PLAYER_KEYS,
    STREET_KEYS,
    AutoSprs,
    SizeChoice,
    digest_variant,
    plain_sizes,
    plain_sprs,
    plain_variant,
    read_bet_sizes,
    read_flops,
    read_optional_variant,
    read_raise_sizes,
    read_sprs,
    schedule_of,
    sizes_at,
)
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import format_bet_size

# The ways to solve a flop, by name: the one place where a backend is added.
#
# A backend is a package. Its config class is found here by name and loaded when a config asks for
# it, so that this package imports nothing from above and a config is read without a solver.


#: The config class of each backend; ARCHITECTURE.md says what else its package has.
BACKENDS: dict[str, str] = {
    "mccfr": "runout.flops.settings.MccfrConfig",
    "exhaustive": "runout.flops.settings.ExhaustiveConfig",
    "bucketed": "runout.flops.settings.BucketedConfig",
    "exact": "runout.flops.settings.ExactConfig",
    "compact": "runout.flops.settings.CompactConfig",
}

#: What a config without ``solve_type`` asks for.
DEFAULT_BACKEND = "mccfr"


def load_config_class(solve_type: str) -> type[Any]:
    """Returns the config class of a backend.

    Raises:
        KeyError: if there is no such backend.
    """
    module, _, name = BACKENDS[solve_type].rpartition(".")
    config_class: type[Any] = getattr(import_module(module), name)
    return config_class


# Keys about tables of games with real cards: how precise they are, and how rivers are kept.


_MULTIPLE, _MOST = 16, 240
_ALLOWED = f"a multiple of {_MULTIPLE} from {_MULTIPLE} to {_MOST}"


def _check_buckets(number: int) -> int:
    if not 0 < number <= _MOST or number % _MULTIPLE:
        raise ValueError(f"{number} is not {_ALLOWED}")
    return number


#: What it is called depends on the section.
TablePrecision = Annotated[
    Literal[32, 16],
    About(
        "Bits of a number in the tables: 16 halves the memory and costs a little accuracy.",
        "one of 32, 16",
        unit="bits",
    ),
]

Rivers = Annotated[
    Literal["exact", "compact"],
    About(
        "How the rivers of a flop are solved: `exact` tells all combos apart, `compact` groups "
        "them by strength and takes a fraction of the time and memory.",
        "one of exact, compact",
        choices=("exact", "compact"),
    ),
]

MergesSuits = Annotated[
    bool,
    About(
        "Whether cards that differ by suits only are solved once. It changes no result.",
        "true or false",
    ),
]

KeepResume = Annotated[
    bool,
    About(
        "Whether a finished solve keeps what it could go on from; without it, what is saved is a "
        "fraction of the size, and can be looked at but not continued.",
        "true or false",
    ),
]

RiverBuckets = Annotated[
    int,
    AfterValidator(_check_buckets),
    About(
        "Into how many buckets of strength hands are grouped on each river.",
        _ALLOWED,
        unit="buckets",
    ),
]

RiverBlockers = Annotated[
    Literal["auto", "on", "off"],
    About(
        "Whether half of the buckets tell apart how many strong hands a hand blocks; `auto` is "
        "on from a stack of 8 pots up.",
        "one of auto, on, off",
        choices=("auto", "on", "off"),
    ),
]


# The keys of ``postflop_model`` that every backend reads: trees, flops, and when a solve ends.
#
# A key of one backend stands in the settings of its package; what several of them share is below.


Share = Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_FlopCount = Annotated[int, Field(ge=1, le=NUM_CANONICAL_FLOPS)]

SOLVE_TYPE = About(
    "The backend. Each has keys of its own, which are errors with another one.",
    f"one of {', '.join(BACKENDS)}",
    choices=tuple(BACKENDS),
)

#: A key of the backends whose strategies can settle.
StrategyDeltaThreshold = Annotated[
    Share | None,
    About(
        "A flop's solve ends when no probability of an action changes by more than this from "
        "one iteration to the next; `null` is off.",
        "a number above 0 and up to 1, or null",
        unit="probability",
    ),
]


class FlopKeys(ConfigSection):
    """What is solved and how well, whichever the backend."""

    solve_type: Annotated[str, SOLVE_TYPE] = DEFAULT_BACKEND
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
        Field(ge=0, le=MOST_RAISES),
        About(
            "Raises after the first bet of a street, all-in raises included.",
            f"a whole number from 0 to {MOST_RAISES}",
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
        Share | None,
        About(
            "A flop's solve ends when its exploitability is at most this: 0.001 is 0.1 % of the "
            "pot; `null` is off. What is measured, in which game, depends on the backend.",
            "a number above 0 and up to 1, or null",
            unit="fraction of the flop pot",
        ),
    ] = 0.001
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
            "is what was measured to be best for the backend.",
            f"{ALLOWED_VARIANTS}, or null",
        ),
    ] = None
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
        Literal[8, 13, 25, 50, 100, 200] | None,
        About(
            "Solve a shipped weighted subset of this size, chosen to stand for all flops.",
            "one of 8, 13, 25, 50, 100, 200, or null",
            unit="flops",
        ),
    ] = None
    keep_strategies: Annotated[
        bool,
        About(
            "Whether strategies, and buckets where there are some, are kept with the values, in 16 "
            "bits; how much disk that takes is told before.",
            "true or false",
        ),
    ] = True
    seed: Annotated[
        int,
        Field(ge=0),
        About("Seed of everything that is random.", "a whole number from 0 up"),
    ] = 0


# What decides the values of a config's flops, and nothing else: the basis of its digest.


_WEIGHT_DIGITS = 10


def digest_postflop(
    config: FlopKeys, rules: BettingRules, variant: DiscountSchedule, flops: FlopList
) -> dict[str, Any]:
    """Returns what decides the results with every backend, as strict JSON.

    Args:
        config: the keys as given.
        rules: the betting that they mean.
        variant: how iterations are weighted.
        flops: the flops that they mean, with weights.
    """
    return {
        "solve_type": config.solve_type,
        "sizes": digest_sizes(rules),
        "max_raises_per_street": config.max_raises_per_street,
        "postflop_sprs": plain_sprs(config.postflop_sprs),
        "postflop_solve_iterations": config.postflop_solve_iterations,
        "cfr_exploitability_threshold": config.cfr_exploitability_threshold,
        "cfr_max_seconds_per_flop": config.cfr_max_seconds_per_flop,
        "cfr_variant": digest_variant(variant),
        # Rounded, because the last bits of a sum may differ between machines.
        "flops": [
            [format_cards(flop), round(float(weight), _WEIGHT_DIGITS)]
            for flop, weight in zip(flops.flops, flops.weights, strict=True)
        ],
    }


def digest_sizes(rules: BettingRules) -> dict[str, dict[str, list[str]]]:
    """Returns the sizes of every street and player; order and repetition change no tree."""
    return {
        f"{street}.{player}": {
            "bets": sorted({format_bet_size(size) for size in menu.bets}),
            "raises": sorted({format_bet_size(size) for size in menu.raises}),
        }
        for street, menus in zip(STREET_KEYS, rules.menus, strict=True)
        for player, menu in zip(PLAYER_KEYS, menus, strict=True)
    }


# The section ``postflop_model``: which trees are solved, on which flops, how and how well.


POSTFLOP_SECTION = "postflop_model"

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
        """Returns the backend with these settings, a `runout.flops.backend.PostflopBackend`."""
        raise NotImplementedError

    def to_yaml(self) -> str:
        """Returns a config file with this section that reads back as the same config."""
        return format_yaml({POSTFLOP_SECTION: self.to_mapping()})

    def digest_mapping(self) -> dict[str, Any]:
        """Returns everything that decides the results, for `runout.storage.bundle.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops.
        """
        mapping = digest_postflop(self, self.betting_rules(), self.schedule(), self.flop_list())
        return mapping | self.digest_own_keys()

    def digest_own_keys(self) -> dict[str, Any]:
        """Returns what decides the results besides the keys of all backends."""
        keys = [*self.own_keys(), *(["seed"] if self.is_random else [])]
        return {key: getattr(self, key) for key in keys}


# The section ``joint``: how preflop and flops are solved together as one game.


JOINT_SECTION = "joint"

#: Backends whose flops can be played inside a preflop solve: those that tell combos apart.
JOINT_BACKENDS = ("compact", "exact")

#: Keys of `JointConfig` for the types of a pot.
POT_KEYS = ("limped", "raised", "reraised")

_Minutes = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
_SIZES = "a list of positive numbers or of texts such as '33%', or null"
_SECTION_OF_SIZES = "a mapping of bet_sizes, raise_sizes and max_raises_per_street, or null"


def _read_optional_bets(value: Any) -> SizeChoice | None:
    return None if value is None else read_bet_sizes(value)


class PotSizesConfig(ConfigSection):
    """Sizes after the flop in pots of one type; what is not given is that of all pots."""

    bet_sizes: Annotated[
        SizeChoice | None,
        PlainValidator(_read_optional_bets),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a first bet, in the forms of `postflop_model`; `null` means those there.",
            _SIZES,
            unit="fraction of the pot",
        ),
    ] = None
    raise_sizes: Annotated[
        SizeChoice | None,
        PlainValidator(read_raise_sizes),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a raise; `null` means those of `postflop_model`.",
            _SIZES,
            unit="fraction of the pot after calling",
        ),
    ] = None
    max_raises_per_street: Annotated[
        Annotated[int, Field(ge=0, le=MOST_RAISES)] | None,
        About(
            "Raises after the first bet of a street; `null` means as in `postflop_model`.",
            f"a whole number from 0 to {MOST_RAISES}, or null",
            unit="raises",
        ),
    ] = None

    def betting_rules(self, model: PostflopModelConfig) -> BettingRules:
        """Returns the rules of these pots, with what is missing from the model."""
        given = {key: getattr(self, key) for key in type(self).model_fields}
        update = {key: value for key, value in given.items() if value is not None}
        return model.model_copy(update=update).betting_rules()


class JointConfig(ConfigSection):
    """How a joint game is solved, besides the keys of the run and of its postflop model."""

    max_seconds: Annotated[
        _Seconds | None,
        About(
            "The solve ends after this time, counted anew when it is resumed; results then depend "
            "on the machine. `null` is off.",
            "a positive number, or null",
            unit="seconds",
        ),
    ] = None
    flops_per_iteration: Annotated[
        Annotated[int, Field(ge=1)] | None,
        About(
            "Flops that an iteration visits, drawn by weight with the seed of `postflop_model`; "
            "`null`: all of them.",
            "a whole number from 1 up to the number of flops, or null",
            unit="flops",
        ),
    ] = None
    checkpoint_minutes: Annotated[
        _Minutes,
        About(
            "All tables are saved this often while the solve goes on, for `--resume`; 0: only when "
            "it is interrupted.",
            "0 or a positive number",
            unit="minutes",
        ),
    ] = 10.0
    keep_rivers: Annotated[
        bool,
        About(
            "Whether the result keeps the strategies of rivers, and not only of flops and turns. "
            "`lab exploit` needs them.",
            "true or false",
        ),
    ] = True
    limped: Annotated[
        PotSizesConfig | None,
        About("Other sizes in pots that nobody raised before the flop.", _SECTION_OF_SIZES),
    ] = None
    raised: Annotated[
        PotSizesConfig | None,
        About("Other sizes in pots that were raised once.", _SECTION_OF_SIZES),
    ] = None
    reraised: Annotated[
        PotSizesConfig | None,
        About("Other sizes in pots that were raised more than once.", _SECTION_OF_SIZES),
    ] = None

    def betting_rules(self, model: PostflopModelConfig) -> dict[str, BettingRules]:
        """Returns the betting after the flop by the type of the pot, the keys of `POT_KEYS`."""
        sizes = {key: getattr(self, key) or PotSizesConfig() for key in POT_KEYS}
        return {key: of_pot.betting_rules(model) for key, of_pot in sizes.items()}

    def digest_mapping(self, model: PostflopModelConfig) -> dict[str, Any]:
        """Returns everything that decides what an iteration does, and not when they end."""
        mapping: dict[str, Any] = {
            key: {
                "sizes": digest_sizes(rules),
                "max_raises_per_street": rules.max_raises_per_street,
            }
            for key, rules in self.betting_rules(model).items()
        }
        if self.flops_per_iteration is not None:
            mapping["flops_per_iteration"] = self.flops_per_iteration
            mapping["seed"] = model.seed
        return mapping
