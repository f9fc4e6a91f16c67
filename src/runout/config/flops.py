"""The sections ``postflop_model`` and ``joint``: which trees, which flops, and how well."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from annotated_types import Ge, Le, Len
from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, WrapValidator

from runout.cards import flops as flop_lists
from runout.cards.deck import format_cards
from runout.cfr.schedules import VARIANTS, Schedule, StoppingRule
from runout.config import values
from runout.config.section import END, LATER, NOTHING, ConfigSection, Read, not_one_of, problem
from runout.config.values import Count, CountFrom0, NotNegative, Share
from runout.config.yaml_text import format_yaml
from runout.errors import ConfigError
from runout.trees.betting import BettingRules
from runout.trees.sizes import STREET_KEYS, Place, Sizes
from runout.trees.tree import PotType

POSTFLOP_SECTION = "postflop_model"

#: What a config writes for the ratios of the preflop tree's own flops.
AUTO = "auto"


_Sprs: TypeAlias = Annotated[
    Annotated[tuple[values.Positive, ...], Len(1), AfterValidator(values.different)] | None,
    Read(
        "a positive stack-to-pot ratio, a list of different ones, or auto",
        lambda sprs: None if sprs == AUTO else values.as_list(sprs),
        lambda sprs: AUTO if sprs is None else sprs,
        ("number", "array", "string"),
    ),
]
_Flop: TypeAlias = Annotated[
    str, Read("a flop such as AhKd7s", lambda text: flop_lists.GivenFlop.parse(text).name)
]
_Flops: TypeAlias = Annotated[
    tuple[_Flop, ...],
    AfterValidator(lambda flops: flop_lists.explicit_flops(flops).names),
    Read("a list of flops such as [AhKd7s]", types=("array",)),
]


def _read_subset(value: Any) -> Any:
    if isinstance(value, Mapping) and "size" in value and value.keys() <= {"size", "draw"}:
        return (value["size"], value["draw"]) if value.get("draw") else value["size"]
    if isinstance(value, list):
        raise ValueError
    return value


_FlopSubset: TypeAlias = Annotated[
    Literal[8, 13, 25, 50, 100, 200] | tuple[Literal[25, 50, 100, 200], Literal[1]] | None,
    Read(
        "one of 8, 13, 25, 50, 100, 200, or a mapping such as {size: 100, draw: 1}, or null",
        _read_subset,
        lambda given: dict(size=given[0], draw=given[1]) if isinstance(given, tuple) else given,
        ("integer", "object", "null"),
    ),
]

#: What a config without ``solve_type`` asks for.
DEFAULT_BACKEND = "mccfr"

#: Keys that say which flops are solved; at most one of them is given.
FLOP_SELECTIONS = ("max_flop_boards", "fixed_flops", "flop_subset")

#: Notes of keys of the bucketed backend: the scope of buckets with which a key counts.
_BOARD, _STREET = "board", "street"

_STREET_BUCKET_KEYS = tuple(f"num_hand_buckets_{street}" for street in STREET_KEYS)
_WEIGHT_DIGITS = 10


class FlopsConfig(ConfigSection):
    """How flops are solved, by any backend.

    Constructing one gives the class of its backend, chosen by ``solve_type``.

    >>> from runout import FlopsConfig
    >>> FlopsConfig(solve_type="exact", bet_sizes=["33%"], fixed_flops=["AhKd7s"]).sprs
    (3.5,)
    """

    # Without it the keys could be those of several backends; only the default one needs no name.
    model_config = ConfigDict(json_schema_extra={"required": ["solve_type"]})
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = values.PRESETS["postflop_model"]
    choices: ClassVar[tuple[str, ...]] = FLOP_SELECTIONS

    best_variant: ClassVar[str]  # what ``cfr_variant: null`` means, by measurement
    is_random: ClassVar[bool] = True  # whether its results depend on the seed

    solve_type: str = DEFAULT_BACKEND
    """Backend that solves the flops. Each has keys of its own, which are errors with another."""
    bet_sizes: values.BetSizes = Sizes.parse([0.5, 1.0])
    """Sizes of a first bet, fractions of the pot; all-in is always offered as well."""
    raise_sizes: values.RaiseSizes | None = None
    """Sizes of a raise, fractions of the pot after calling; `null`: the bet sizes."""
    max_raises_per_street: values.Raises = 1
    """Raises after the first bet of a street, all-in raises included."""
    postflop_sprs: Annotated[
        _Sprs, Field(validation_alias=AliasChoices("postflop_sprs", "postflop_spr"))
    ] = (3.5,)
    """Stack-to-pot ratios on entering the flop, each solved separately; the first is the primary
    one. `auto`, in a run config only: those of the preflop tree. Also written `postflop_spr`."""
    postflop_solve_iterations: Annotated[Count, END] = 500
    """Maximum number of iterations of a flop's solve."""
    cfr_exploitability_threshold: Annotated[Share | None, END] = 0.001
    """Exploitability that ends a flop's solve, as a fraction of the pot; `null` is off."""
    cfr_max_seconds_per_flop: values.Seconds = None
    """Seconds after which a flop's solve ends; results then depend on the machine."""
    cfr_variant: values.Variant | None = None
    """Weights of iterations: a name, or exponents; `null`: the best measured for the backend."""
    max_flop_boards: Annotated[int, Ge(1), Le(flop_lists.NUM_CANONICAL_FLOPS)] | None = None
    """Number of random flops to solve, drawn once with `seed`."""
    fixed_flops: _Flops | None = None
    """Flops to solve, in this order."""
    flop_subset: _FlopSubset = None
    """Size of a shipped weighted subset of all flops to solve. Draws 0 (by default) and 1 of a size
    have no flop in common."""
    keep_strategies: Annotated[bool, NOTHING] = True
    """Keep strategies, and buckets where there are some, with the values, in 16 bits."""
    seed: CountFrom0 = 0
    """Seed of everything that is random."""

    def __new__(cls, **keys: Any) -> Self:
        """Makes room for a config of the backend that the keys ask for."""
        kind = BACKENDS.get(str(keys.get("solve_type", DEFAULT_BACKEND)), cls)
        return super().__new__(kind if cls is FlopsConfig else cls)  # type: ignore[return-value]

    @classmethod
    def parse(cls, raw: Any, document: str = "config") -> Any:
        """Reads the keys below ``postflop_model``; see `ConfigSection.parse`."""
        return FlopsFile.parse({POSTFLOP_SECTION: raw}, document).postflop_model

    @staticmethod
    def choose(base: Mapping[str, Any], choice: Mapping[str, Any], label: str) -> "FlopsConfig":
        """Reads keys with other values of some; of another backend, only the keys that it has."""
        kind = BACKENDS.get(str(choice.get("solve_type")))
        own = {*choice, *(base if kind is None else kind.key_names())}
        keys = {key: value for key, value in {**base, **choice}.items() if key in own}
        try:
            config: FlopsConfig = FlopsConfig.parse(keys)
        except ConfigError as error:
            raise ConfigError(error.where, f"{error.problem} (with {label})") from error
        return config

    @classmethod
    def _about_unknown(cls, key: str) -> str:
        owners = [name for name, kind in BACKENDS.items() if key in kind.key_names()]
        if owners and key not in cls.key_names():
            return f"needs solve_type: {' or '.join(owners)}"
        return super()._about_unknown(key)

    def _faults(self) -> Iterator[tuple[Place, str]]:
        first, *others = [key for key in FLOP_SELECTIONS if getattr(self, key) is not None] or [""]
        allowed = f"give at most one of {', '.join(FLOP_SELECTIONS)}"
        for key in others[:1]:
            yield (key,), f"given together with {first}, {allowed}"

    @property
    def sprs(self) -> tuple[float, ...]:
        """The stack-to-pot ratios, the primary one first; `auto` has none before `with_sprs`."""
        if self.postflop_sprs is None:
            text = "'auto' needs the preflop tree of a run config, without one write [3.5]"
            raise ConfigError(f"{POSTFLOP_SECTION}.postflop_sprs", text)
        return self.postflop_sprs

    def with_sprs(self, sprs: Sequence[float]) -> Self:
        """Returns this config with other stack-to-pot ratios."""
        return self.model_validate(self.to_mapping() | {"postflop_sprs": list(sprs)})

    def with_preflop(self) -> Self:
        """Returns the model with the defaults of a joint game."""
        return self

    def betting_rules(self) -> BettingRules:
        """Returns the rules that trees are built with."""
        return BettingRules.of(self.bet_sizes, self.max_raises_per_street, self.raise_sizes)

    def flop_list(self) -> flop_lists.FlopList:
        """Returns the flops to solve with their weights; all 1,755 if none were selected."""
        if self.fixed_flops is not None:
            return flop_lists.explicit_flops(self.fixed_flops)
        if self.flop_subset is not None:
            subset = self.flop_subset
            return flop_lists.subset_flops(*(subset if isinstance(subset, tuple) else (subset,)))
        if self.max_flop_boards is not None:
            return flop_lists.random_flops(self.max_flop_boards, self.seed)
        return flop_lists.all_flops()

    def schedule(self) -> Schedule:
        """Returns how iterations are weighted."""
        return self.cfr_variant or VARIANTS[self.best_variant]

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve of a flop ends; its values are in flop pots."""
        return StoppingRule(
            max_iterations=self.postflop_solve_iterations,
            max_seconds=self.cfr_max_seconds_per_flop,
            exploitability=self.cfr_exploitability_threshold,
            strategy_delta=next((x for key, x in self if key.endswith("delta_threshold")), None),
        )

    def to_yaml(self) -> str:
        """Returns a config file with this section that reads back as the same config."""
        return format_yaml({POSTFLOP_SECTION: self.to_mapping()})

    def _spell_out(self, digest: dict[str, Any]) -> None:
        for key in ("bet_sizes", "raise_sizes", *FLOP_SELECTIONS):
            del digest[key]
        if not self.is_random:
            del digest["seed"]
        flops = self.flop_list()
        # Rounded, because the last bits of a sum may differ between machines.
        weights = [round(float(weight), _WEIGHT_DIGITS) for weight in flops.weights]
        digest["flops"] = [
            [*pair] for pair in zip(map(format_cards, flops.flops), weights, strict=True)
        ]
        digest["sizes"] = values.digest_menus(self.betting_rules())
        digest["cfr_variant"] = values.digest_variant(self.schedule())


class MccfrConfig(FlopsConfig):
    """Strategies of the 169 hands that do not look at turn and river, from sampled cards."""

    model_config = ConfigDict(json_schema_extra={})
    best_variant: ClassVar[str] = "linear"  # averages the noise of sampling out

    solve_type: Literal["mccfr"] = "mccfr"
    cfr_strategy_delta_threshold: values.StrategyDelta = None
    """Largest change of an action's probability in an iteration that ends a flop's solve."""
    mccfr_sampling: Literal["external", "public_chance"] = "public_chance"
    """Cards to sample: turn and river, with `external` also hands and the opponent's actions."""
    mccfr_sample_fraction: Annotated[
        Share,
        Field(validation_alias=AliasChoices("mccfr_sample_fraction", "mccfr_sample_pct")),
    ] = 0.01
    """Fraction of all (hand pair, turn, river) per iteration. Old name: `mccfr_sample_pct`."""
    value_extraction_samples: CountFrom0 = 0
    """Deals with which the values of a solved flop are estimated; 0 computes them exactly."""

    def _spell_out(self, digest: dict[str, Any]) -> None:
        super()._spell_out(digest)
        digest["mccfr_sample_pct"] = digest.pop("mccfr_sample_fraction")


class ExhaustiveConfig(FlopsConfig):
    """Strategies of the 169 hands that do not look at turn and river, with exact equities."""

    best_variant: ClassVar[str] = "dcfr+"
    is_random: ClassVar[bool] = False

    solve_type: Literal["exhaustive"] = "exhaustive"
    cfr_strategy_delta_threshold: values.StrategyDelta = None
    """Largest change of an action's probability in an iteration that ends a flop's solve."""
    cfr_updates: Literal["alternating", "simultaneous"] = "alternating"
    """Whether a player's update sees the other's update of the same iteration."""


_BucketCount: TypeAlias = Annotated[  # stored as a 16-bit number
    Annotated[int, Ge(1), Le(32_767)] | None, _STREET
]
_SHARED_BUCKETS = 200


class BucketedConfig(FlopsConfig):
    """Strategies of buckets of hands on real boards."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = values.PRESETS["bucketed"]
    best_variant: ClassVar[str] = "dcfr6"

    solve_type: Literal["bucketed"] = "bucketed"
    bucket_scope: Literal["board", "street"] | None = None
    """Boards that share buckets: `board`, none, and the flop tells all hands apart; `street`, all
    of a street, with sampled cards. `null`: street if a key of shared buckets is given."""
    turn_buckets: Annotated[values.TurnBuckets, _BOARD] = 96
    """With `board`: buckets of hands on each turn card."""
    river_buckets: Annotated[values.RiverBuckets, _BOARD] = 48
    """With `board`: buckets of hands on each river."""
    rebucket_rounds: Count = 1
    """Times that a flop is solved, from the second on with buckets of what hands earned before: on
    turn cards with `board`, on the flop with `street`."""
    rebucket_iterations: Annotated[Count, _BOARD] = 25
    """With `board`: iterations of each round but the last."""
    num_hand_buckets_flop: _BucketCount = None
    """With `street`: buckets of the 1,176 combos of a flop; capped, with a note, where fewer are
    different. `null`: 200."""
    num_hand_buckets_turn: _BucketCount = None
    """With `street`: buckets for all turn cards of a flop together; `null`: 200."""
    num_hand_buckets_river: _BucketCount = None
    """With `street`: buckets for all runouts of a flop together; `null`: 200."""
    bucket_source: Annotated[Literal["histogram", "percentile"] | None, _STREET, LATER] = None
    """With `street`: what buckets are made of: `histogram` (`null`) clusters the hands of a flop by
    their distributions of strength; `percentile` cuts the hands of all flops into equal parts by
    their equity."""
    bucket_directory: Annotated[values.GivenPath | None, _STREET, LATER] = None
    """Percentile buckets that `runout abstraction build` wrote, from the working directory on;
    `null`: built from a sample with the numbers of buckets above, and cached."""
    bucket_metric: Annotated[Literal["emd", "cramer"] | None, _STREET] = None
    """With `street`: distance of hands, `emd` (L1 of CDFs, `null`) or `cramer` (L2)."""
    rebucket_delta_threshold: Annotated[values.StrategyDelta, _STREET] = None
    """With `street`: change of the average strategies in an iteration that ends a round, actions
    added up and decisions weighted by reach. It falls with time and says nothing about the loss."""
    rebucket_warm_start: Annotated[bool, _STREET] = False
    """With `street`: begin a further round with the regrets of the round before."""

    @classmethod
    def _preset_of(cls, name: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Leaves it to a threshold when a solve with shared buckets ends."""
        preset, shared = super()._preset_of(name, given), ("bucket_scope", *cls.keys_with(_STREET))
        if any(given.get(key, _BOARD) not in (_BOARD, None, False) for key in shared):
            preset |= {key: FlopsConfig.presets[name].get(key, own) for key, own in preset.items()}
        return preset

    def _faults(self) -> Iterator[tuple[Place, str]]:
        yield from super()._faults()
        if self.bucket_scope == "board":
            yield from (((key,), "needs bucket_scope: street") for key in self._keys_of_street)
        if self.bucket_directory is not None and self.bucket_source != "percentile":
            yield ("bucket_directory",), "needs bucket_source: percentile"

    @property
    def _keys_of_street(self) -> list[str]:
        return [key for key in self.keys_with(_STREET) if getattr(self, key)]

    @property
    def shares_buckets(self) -> bool:
        """Whether all boards of a street share buckets."""
        return (self.bucket_scope or (_STREET if self._keys_of_street else _BOARD)) == _STREET

    @property
    def num_hand_buckets(self) -> tuple[int, int, int]:
        """Shared buckets on flop, turn and river."""
        flop, turn, river = (getattr(self, key) or _SHARED_BUCKETS for key in _STREET_BUCKET_KEYS)
        return flop, turn, river

    def schedule(self) -> Schedule:
        """Returns how iterations are weighted; evenly growing ones average sampling's noise out."""
        shared = VARIANTS["linear"] if self.shares_buckets else super().schedule()
        return self.cfr_variant or shared

    def _spell_out(self, digest: dict[str, Any]) -> None:
        super()._spell_out(digest)
        del digest["bucket_scope"]
        if self.bucket_source != "percentile":
            digest.pop("bucket_source", None)
        for key in self.keys_with(_BOARD if self.shares_buckets else _STREET):
            digest.pop(key, None)
        if self.shares_buckets:
            counts = zip(_STREET_BUCKET_KEYS, self.num_hand_buckets, strict=True)
            digest |= {**dict(counts), "bucket_metric": self.bucket_metric or "emd"}
        if self.rebucket_rounds == 1:  # without a further round there is nothing before it
            for key in ("rebucket_warm_start", "rebucket_iterations"):
                digest.pop(key, None)


class ExactConfig(FlopsConfig):
    """Strategies that tell all combos apart on all boards."""

    best_variant: ClassVar[str] = "dcfr-spot"

    solve_type: Literal["exact"] = "exact"
    exact_precision: values.Precision = 32
    """Bits of a number in the tables: 16 takes half the memory."""
    keep_strategies: Annotated[bool, NOTHING] = False


class CompactConfig(FlopsConfig):
    """Strategies that tell all combos apart on flop and turn, or flop alone, and group the rest."""

    best_variant: ClassVar[str] = "dcfr6"

    solve_type: Literal["compact"] = "compact"
    river_buckets: values.RiverBuckets = 48
    """Buckets of strength in which hands are grouped on each river."""
    river_blockers: values.RiverBlockers = "auto"
    """Tell apart blockers of strong hands in half of the buckets; `auto`: with 8 pots or more."""
    turn_buckets: Annotated[values.TurnBuckets | None, LATER] = None
    """Buckets of strength in which hands are grouped on each turn card; `null`: all hands."""
    compact_precision: values.Precision | None = None
    """Bits of a number in the tables; `null`: 32, and 16 in joint games, which takes half of the
    memory and as many iterations."""
    keep_strategies: Annotated[bool, NOTHING] = False

    def with_preflop(self) -> Self:
        """Returns the model with the defaults of a joint game."""
        return self.model_copy(update={"compact_precision": self.compact_precision or 16})

    def _spell_out(self, digest: dict[str, Any]) -> None:
        super()._spell_out(digest)
        digest["compact_precision"] = self.compact_precision or 32


AnyBackend: TypeAlias = (
    MccfrConfig | ExhaustiveConfig | BucketedConfig | ExactConfig | CompactConfig
)

#: The config class of each backend; `runout.flops.settings` makes the backend that it describes.
BACKENDS: dict[str, type[FlopsConfig]] = {
    kind.model_fields["solve_type"].default: kind for kind in get_args(AnyBackend)
}


def _read_model(data: Any, read: Callable[[Any], Any]) -> Any:
    """Reads keys as those of the backend that they name."""
    if not isinstance(data, Mapping):
        return read(data)
    name, names = data.get("solve_type", DEFAULT_BACKEND), tuple(BACKENDS)
    if name not in names:
        raise problem(not_one_of(name, names), "solve_type")
    return BACKENDS[name].model_validate(data)


#: How flops are solved, by any backend; `solve_type` chooses.
PostflopModel: TypeAlias = Annotated[
    AnyBackend, Field(discriminator="solve_type"), WrapValidator(_read_model)
]


class FlopsFile(ConfigSection):
    """A config file of flops that are solved by themselves."""

    postflop_model: PostflopModel
    """How flops are solved."""


#: Backends whose flops can be played inside a preflop solve: those that tell combos apart.
JOINT_BACKENDS = ("compact", "exact")


class PotSizesConfig(ConfigSection):
    """Sizes after the flop in pots of one type; `null` means those of `postflop_model`."""

    bet_sizes: values.BetSizes | None = None
    """Sizes of a first bet, in the forms of `postflop_model`."""
    raise_sizes: values.RaiseSizes | None = None
    """Sizes of a raise."""
    max_raises_per_street: values.Raises | None = None
    """Raises after the first bet of a street."""


class JointConfig(ConfigSection):
    """How a joint game is solved, besides the keys of the run and of its postflop model."""

    max_seconds: values.Seconds = None
    """Seconds after which the solve ends, counted anew when it is resumed."""
    flops_per_iteration: Count | None = None
    """Flops that an iteration visits, drawn by weight with the model's `seed`; `null`: all."""
    turns_per_flop: Annotated[int, Ge(4)] | None = None
    """Turn cards of each flop, drawn with weights and the model's `seed`; `null`: all."""
    rivers_per_turn: Annotated[int, Ge(4)] | None = None
    """River ranks and flush cards after each turn, drawn with weights; `null`: all."""
    checkpoint_minutes: Annotated[NotNegative, NOTHING] = 10.0
    """Minutes between two saves of all tables, for `--resume`; 0: only when interrupted."""
    keep_rivers: Annotated[bool, END] = True
    """Keep the strategies of rivers, and not only of flops and turns; `judge` needs them."""
    limped: PotSizesConfig | None = None
    """Other sizes in pots without a raise before the flop."""
    raised: PotSizesConfig | None = None
    """Other sizes in pots with one raise before the flop."""
    reraised: PotSizesConfig | None = None
    """Other sizes in pots with more raises before the flop."""

    def betting_rules(self, model: FlopsConfig) -> dict[PotType, BettingRules]:
        """Returns the betting after the flop by the type of the pot."""
        return {pot: self.model_of(pot, model).betting_rules() for pot in PotType}

    def model_of(self, pot: PotType, model: FlopsConfig) -> FlopsConfig:
        """Returns the postflop model of a type of pot."""
        sizes: PotSizesConfig = getattr(self, pot) or PotSizesConfig()
        return model.model_copy(update={key: value for key, value in sizes if value is not None})

    def game_with(self, model: FlopsConfig) -> dict[str, Any]:
        """Returns what decides an iteration together with a postflop model."""
        mapping: dict[str, Any] = {
            pot: {
                "sizes": values.digest_menus(rules),
                "max_raises_per_street": rules.max_raises_per_street,
            }
            for pot, rules in self.betting_rules(model).items()
        }
        if self.flops_per_iteration is not None:
            mapping |= {"flops_per_iteration": self.flops_per_iteration, "seed": model.seed}
        if (subset := self.runout_subset(model)) != flop_lists.ALL_RUNOUTS:
            mapping["runouts"] = [subset.turns, subset.rivers, subset.seed]
        return mapping

    def runout_subset(self, model: FlopsConfig) -> flop_lists.RunoutSubset:
        """Returns the runouts of the game."""
        turns, rivers = self.turns_per_flop, self.rivers_per_turn
        seed = 0 if turns is None and rivers is None else model.seed
        return flop_lists.RunoutSubset(turns, rivers, seed)
