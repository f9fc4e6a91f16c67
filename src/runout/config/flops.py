"""The sections ``postflop_model`` and ``joint``: which trees, which flops, and how well."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self

from pydantic import ModelWrapValidatorHandler, model_validator

from runout.cards.deck import format_cards, parse_cards
from runout.cards.flops import (
    NUM_CANONICAL_FLOPS,
    FlopList,
    all_flops,
    canonical_flop,
    explicit_flops,
    random_flops,
    subset_flops,
)
from runout.cfr.schedules import DiscountSchedule, StoppingRule
from runout.config.section import (
    NOT_NEGATIVE,
    RAISES,
    SHARE,
    VARIANT,
    ConfigSection,
    Form,
    Key,
    PartError,
    Seconds,
    SizeChoice,
    StrategyDelta,
    as_number,
    cards_form,
    digest_menus,
    digest_variant,
    inside,
    make_menus,
    read_list,
    schedule_of,
    sizes_form,
    whole,
)
from runout.config.yaml_text import format_yaml, show_value
from runout.errors import ConfigError, quote
from runout.trees.betting import BettingRules

# Keys about tables of games with real cards, which spots have as well.


RIVER_BUCKETS = Form(
    "a multiple of 16 from 16 to 240",
    lambda value: value if type(value) is int and value in range(16, 241, 16) else None,
)
RiverBlockers = Literal["auto", "on", "off"]
Precision = Literal[32, 16]


# The keys that take more than one form.


#: What a config writes for the ratios of the preflop tree's own flops.
AUTO = "auto"


class AutoSprs(tuple[float, ...]):
    """Stack-to-pot ratios that wait for a preflop tree.

    Whoever looks for a ratio in it gets an error. An empty tuple would let the flops be passed
    over in silence.
    """

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise ConfigError("postflop_sprs", "auto has no ratios yet, with_sprs sets them")

    __iter__ = __getitem__ = __len__ = _refuse

    def __repr__(self) -> str:
        return "AutoSprs()"


def _read_spr(value: Any) -> float | None:
    if value == AUTO:
        raise PartError("", f"{AUTO!r} stands alone, write postflop_sprs: {AUTO}")
    ratio = as_number(value)
    return ratio if ratio is not None and ratio > 0.0 else None


def _read_sprs(value: Any) -> tuple[float, ...]:
    if isinstance(value, AutoSprs) or value == AUTO:
        return AutoSprs()
    read = Form("a positive stack-to-pot ratio", _read_spr).parse
    ratios = read_list(value, read, least="stack-to-pot ratio such as [3.5]")
    for position, ratio in enumerate(ratios):
        if ratio in ratios[:position]:
            problem = "comes twice, each stack-to-pot ratio may come once"
            raise PartError(f"[{position}]", f"{show_value(value[position])} {problem}")
    return ratios


def _parse_flop(text: str) -> tuple[int, ...]:
    canonical_flop(cards := parse_cards(text))  # refuses what is no flop
    return cards


_FLOP = cards_form("flop", "AhKd7s", _parse_flop, "a flop such as AhKd7s")


def _read_flops(value: Any) -> tuple[str, ...]:
    """Reads a list of flops, no two alike up to suits, in their order."""
    allowed, least = "a list of flops, write [AhKd7s]", "flop such as AhKd7s"
    first_by_flop: dict[tuple[int, ...], str] = {}
    for position, flop in enumerate(read_list(value, _FLOP.parse, allowed, least=least)):
        first = first_by_flop.setdefault(canonical_flop(parse_cards(flop)), flop)
        if len(first_by_flop) <= position:
            problem = f"{quote(value[position])} is {first!r} up to suits, each flop may come once"
            raise PartError(f"[{position}]", problem)
    return tuple(first_by_flop.values())


_SPRS = Form(
    "a positive number, a list of different ones, or auto",
    _read_sprs,
    lambda sprs: AUTO if isinstance(sprs, AutoSprs) else list(sprs),
)
_FLOPS = Form(
    "a list of flops such as AhKd7s, no two alike up to suits", _read_flops, list
).or_null()


# The section ``postflop_model``: the keys that every backend reads.


#: What a config without ``solve_type`` asks for.
DEFAULT_BACKEND = "mccfr"

_SIZES = "a list of positive numbers or of texts such as '33%'"
_BETS = sizes_form(_SIZES, for_raises=False)
_RAISES = sizes_form(f"{_SIZES} and '2.5x'", for_raises=True).or_null()
_POT, _CALLED_POT = "fraction of the pot", "fraction of the pot after calling"


POSTFLOP_SECTION = "postflop_model"

#: Keys that say which flops are solved; at most one of them is given.
FLOP_SELECTIONS = ("max_flop_boards", "fixed_flops", "flop_subset")

_PRESET_KEYS = (
    "flop_subset",
    "bet_sizes",
    "max_raises_per_street",
    "postflop_solve_iterations",
    "cfr_exploitability_threshold",
)
#: What each preset sets, from a look in minutes to a run over night; everything else keeps its
#: default.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    name: dict(zip(_PRESET_KEYS, values, strict=True))
    for name, *values in (
        ("fast", 25, (0.5, 1.0), 1, 200, 0.005),
        ("medium", 50, (0.5, 1.0), 1, 300, 0.002),
        ("standard", 100, (0.5, 1.0), 1, 500, 0.001),
        ("accurate", 200, (0.33, 0.75, 1.5), 2, 1000, 0.001),
    )
}

_WEIGHT_DIGITS = 10


class FlopsConfig(ConfigSection):
    """How flops are solved, by whichever backend.

    Constructing or reading one gives the class of its backend, chosen by ``solve_type``.

    Attributes:
        best_variant: what ``cfr_variant: null`` means, by measurement.
        is_random: whether the backend's results depend on the seed.
        label_key: the key whose value may stand after the backend's name in ``lab exploit``.
        label_values: its values that are compared there.
        delta_key: the key that says how little strategies may change in an iteration to end a
            solve, if there is one.
    """

    aliases: ClassVar[Mapping[str, str]] = {"postflop_spr": "postflop_sprs"}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    usual_place: ClassVar[str] = POSTFLOP_SECTION

    best_variant: ClassVar[str]
    is_random: ClassVar[bool] = True
    label_key: ClassVar[str | None] = None
    label_values: ClassVar[tuple[int, ...]] = ()
    delta_key: ClassVar[str] = ""

    solve_type: Annotated[str, Key("game")] = DEFAULT_BACKEND
    """The backend. Each has keys of its own, which are errors with another one."""
    bet_sizes: Annotated[SizeChoice, _BETS, Key("alone", _POT, "sizes")] = (0.5, 1.0)
    """Sizes of a first bet; all-in is always offered as well. A list for everybody, or a mapping
    (see below)."""
    raise_sizes: Annotated[SizeChoice | None, _RAISES, Key("alone", _CALLED_POT, "sizes")] = None
    """Sizes of a raise, in the same forms; `null` means the bet sizes."""
    max_raises_per_street: Annotated[int, RAISES, Key("alone", "raises")] = 1
    """Raises after the first bet of a street, all-in raises included."""
    postflop_sprs: Annotated[tuple[float, ...], _SPRS, Key("alone", "flop pots")] = (3.5,)
    """Stack-to-pot ratios on entering the flop, each solved by itself; the first is the primary
    one. A single number is a list of one. `auto`, in a run config only: those of the flops in the
    preflop tree. Also written `postflop_spr`."""
    postflop_solve_iterations: Annotated[int, whole(1), Key("end", "iterations")] = 500
    """A flop's solve ends after so many iterations at the latest."""
    cfr_exploitability_threshold: Annotated[
        float | None, SHARE.or_null(), Key("end", "fraction of the flop pot")
    ] = 0.001
    """A flop's solve ends when its exploitability is at most this: 0.001 is 0.1 % of the pot;
    `null` is off. What is measured, in which game, depends on the backend."""
    cfr_max_seconds_per_flop: Seconds = None
    """A flop's solve ends after this time; results then depend on the machine. `null` is off."""
    cfr_variant: Annotated[
        str | DiscountSchedule | None, VARIANT.or_null(), Key("alone", means="cfr_variant")
    ] = None
    """How iterations are weighted: a name, or the three exponents of discounted CFR; `null` is what
    was measured to be best for the backend."""
    max_flop_boards: Annotated[
        int | None, whole(1, NUM_CANONICAL_FLOPS).or_null(), Key("game", "flops", "flops")
    ] = None
    """Solve so many random flops, drawn once with `seed`."""
    fixed_flops: Annotated[tuple[str, ...] | None, _FLOPS, Key("game", means="flops")] = None
    """Solve these flops, in this order."""
    flop_subset: Annotated[
        Literal[8, 13, 25, 50, 100, 200] | None, Key("game", "flops", "flops")
    ] = None
    """Solve a shipped weighted subset of this size, chosen to stand for all flops."""
    keep_strategies: Annotated[bool, Key("nothing")] = True
    """Whether strategies, and buckets where there are some, are kept with the values, in 16 bits;
    how much disk that takes is told before."""
    seed: Annotated[int, whole(0), Key("alone", means="seed")] = 0
    """Seed of everything that is random."""

    def __new__(cls, **keys: Any) -> Self:
        """Makes room for a config of the backend that the keys ask for."""
        chosen: type[Self] = cls.kind_of(keys)
        return super().__new__(chosen)

    @classmethod
    def kind_of(cls, raw: Mapping[str, Any]) -> type[Any]:
        """Returns the class of the backend that keys ask for; this one if there is none."""
        solve_type = raw.get("solve_type", DEFAULT_BACKEND)
        is_known = isinstance(solve_type, str) and solve_type in BACKENDS
        return BACKENDS[solve_type] if cls is FlopsConfig and is_known else cls

    @model_validator(mode="wrap")
    @classmethod
    def _read_as_the_backend(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        kind: type[Self] = cls.kind_of(data) if isinstance(data, Mapping) else cls
        return handler(data) if kind is cls else kind.model_validate(data)

    @classmethod
    def form(cls, name: str) -> Form:
        """Returns what a key may hold."""
        if name == "solve_type":
            return Form(f"one of {', '.join(BACKENDS)}", choices=tuple(BACKENDS))
        return super().form(name)

    @classmethod
    def all_keys(cls) -> list[str]:
        """Returns every key that some backend reads, and other names of keys."""
        return list(dict.fromkeys(key for kind in BACKENDS.values() for key in kind.known_keys()))

    @classmethod
    def own_keys(cls) -> list[str]:
        """Returns the keys that not every backend has."""
        return [key for key in cls.model_fields if key not in FlopsConfig.model_fields]

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        backends = [name for name, kind in BACKENDS.items() if key in kind.model_fields]
        if backends:
            return f"needs solve_type: {' or '.join(backends)}"
        return super()._problem_with_key(key)

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Replaces the key ``preset`` by what the preset sets and nothing else was given for."""
        if cls is FlopsConfig:  # and not the class of a backend
            with inside(".solve_type"):
                raise cls.form("solve_type").refusal(given["solve_type"])
        if any(key in given for key in FLOP_SELECTIONS):
            # The user has chosen flops, be it all of them by null; the preset must not add others.
            given = dict.fromkeys(FLOP_SELECTIONS) | given
        return super().complete(given)

    def check(self) -> None:
        """Refuses more than one choice of flops."""
        given = [key for key in FLOP_SELECTIONS if getattr(self, key) is not None]
        if len(given) > 1:
            allowed = f"give at most one of {', '.join(FLOP_SELECTIONS)}"
            raise PartError(f".{given[1]}", f"given together with {given[0]}, {allowed}")

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
        raises = self.bet_sizes if self.raise_sizes is None else self.raise_sizes
        return BettingRules(make_menus(self.bet_sizes, raises), self.max_raises_per_street)

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

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve of a flop ends; its values are in flop pots."""
        return StoppingRule(
            max_iterations=self.postflop_solve_iterations,
            max_seconds=self.cfr_max_seconds_per_flop,
            exploitability=self.cfr_exploitability_threshold,
            strategy_delta=getattr(self, self.delta_key, None),
        )

    def to_yaml(self) -> str:
        """Returns a config file with this section that reads back as the same config."""
        return format_yaml({POSTFLOP_SECTION: self.to_mapping()})

    def meanings(self) -> dict[str, Any]:
        """Returns sizes, variant, flops and seed as digests have them."""
        flops = self.flop_list()
        # Rounded, because the last bits of a sum may differ between machines.
        weights = [round(float(weight), _WEIGHT_DIGITS) for weight in flops.weights]
        return {
            "sizes": digest_menus(self.betting_rules()),
            "cfr_variant": digest_variant(self.schedule()),
            "flops": [
                [format_cards(flop), weight]
                for flop, weight in zip(flops.flops, weights, strict=True)
            ],
        } | ({"seed": self.seed} if self.is_random else {})


# The backends: what each reads besides.


class _HandConfig(FlopsConfig):
    """The keys of both backends between the 169 hands."""

    delta_key: ClassVar[str] = "cfr_strategy_delta_threshold"

    cfr_strategy_delta_threshold: StrategyDelta = None
    """A flop's solve ends when no probability of an action changes by more than this from one
    iteration to the next; `null` is off."""


class MccfrConfig(_HandConfig):
    """Strategies of the 169 hands that do not look at turn and river, from sampled cards."""

    best_variant: ClassVar[str] = "linear"  # averages the noise of sampling out

    solve_type: Annotated[Literal["mccfr"], Key("game")] = "mccfr"
    mccfr_sampling: Annotated[Literal["external", "public_chance"], Key("game")] = "public_chance"
    """What is sampled: by `external` also the hands and the opponent's actions, by `public_chance`
    the turn and the river."""
    mccfr_sample_pct: Annotated[float, SHARE, Key("game", "fraction")] = 0.01
    """How much of all (hand pair, turn, river) one iteration samples. Despite its name a fraction:
    0.01 is one percent."""
    value_extraction_samples: Annotated[int, whole(0), Key("game", "deals")] = 0
    """Deals with which the values of a solved flop are estimated; 0 computes them exactly."""


class ExhaustiveConfig(_HandConfig):
    """Strategies of the 169 hands that do not look at turn and river, with exact equities."""

    best_variant: ClassVar[str] = "dcfr+"
    is_random: ClassVar[bool] = False

    solve_type: Annotated[Literal["exhaustive"], Key("game")] = "exhaustive"
    cfr_updates: Annotated[Literal["alternating", "simultaneous"], Key("game")] = "alternating"
    """Whether a player's update sees the other's update of the same iteration."""


_BUCKET_COUNT = whole(1, 32_767)  # a bucket is stored as a 16-bit number
_BUCKET_KEYS = tuple(f"num_hand_buckets_{street}" for street in ("flop", "turn", "river"))


class BucketedConfig(FlopsConfig):
    """Strategies of buckets of hands on real boards."""

    best_variant: ClassVar[str] = "linear"  # averages the noise of sampled boards out
    label_key: ClassVar[str | None] = "rebucket_rounds"
    label_values: ClassVar[tuple[int, ...]] = (1, 2)
    delta_key: ClassVar[str] = "rebucket_delta_threshold"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {**PRESETS[name], **dict(zip(_BUCKET_KEYS, numbers, strict=True))}
        for name, numbers in (
            ("fast", (50, 100, 100)),
            ("medium", (100, 200, 200)),
            ("standard", (200, 200, 200)),
            ("accurate", (200, 500, 500)),
        )
    }

    solve_type: Annotated[Literal["bucketed"], Key("game")] = "bucketed"
    num_hand_buckets_flop: Annotated[int, _BUCKET_COUNT, Key("game", "buckets")] = 200
    """Into how many buckets the 1,176 combos of a flop are sorted; capped, with a note, where fewer
    are different."""
    num_hand_buckets_turn: Annotated[int, _BUCKET_COUNT, Key("game", "buckets")] = 200
    """The same on the turn, for all turn cards of a flop together."""
    num_hand_buckets_river: Annotated[int, _BUCKET_COUNT, Key("game", "buckets")] = 200
    """The same on the river, for all runouts of a flop together."""
    bucket_metric: Annotated[Literal["emd", "cramer"], Key("game")] = "emd"
    """How far hands are apart: `emd` is the earth mover's distance, L1 of CDFs; `cramer` is L2 of
    CDFs."""
    rebucket_rounds: Annotated[int, whole(1), Key("game", "rounds")] = 1
    """How often a flop is solved: 1 with buckets of strength only, each further time with flop
    buckets of what hands earned in the time before."""
    rebucket_delta_threshold: StrategyDelta = 0.001
    """A round ends when its average strategies move by less than this in an iteration, actions
    added up and decisions weighted by how often they are reached; `null` is off. The upper bound
    that `cfr_exploitability_threshold` looks at falls slowly, so this ends most rounds."""
    rebucket_warm_start: Annotated[bool, Key("game", means="rebucket_warm_start")] = False
    """Whether a further round begins with the regrets of the round before."""

    @property
    def num_hand_buckets(self) -> tuple[int, int, int]:
        """Buckets on flop, turn and river."""
        return (
            self.num_hand_buckets_flop,
            self.num_hand_buckets_turn,
            self.num_hand_buckets_river,
        )

    def meanings(self) -> dict[str, Any]:
        """Returns what digests have; without a further round nothing is started warm."""
        warm_start = {"rebucket_warm_start": self.rebucket_warm_start}
        return super().meanings() | (warm_start if self.rebucket_rounds > 1 else {})


class ExactConfig(FlopsConfig):
    """Strategies that tell all combos apart on all boards."""

    best_variant: ClassVar[str] = "dcfr-spot"

    solve_type: Annotated[Literal["exact"], Key("game")] = "exact"
    exact_precision: Annotated[Precision, Key("game", "bits")] = 32
    """Bits of a number in the tables: 16 takes half the memory."""
    keep_strategies: Annotated[bool, Key("nothing")] = False


class CompactConfig(FlopsConfig):
    """Strategies that tell all combos apart on flop and turn, and group them on rivers."""

    best_variant: ClassVar[str] = "dcfr6"

    solve_type: Annotated[Literal["compact"], Key("game")] = "compact"
    river_buckets: Annotated[int, RIVER_BUCKETS, Key("game", "buckets")] = 48
    """Into how many buckets of strength hands are grouped on each river."""
    river_blockers: Annotated[RiverBlockers, Key("game")] = "auto"
    """Whether half of the buckets tell apart how many strong hands a hand blocks; `auto` is on from
    a stack of 8 pots up."""
    compact_precision: Annotated[Precision, Key("game", "bits")] = 32
    """Bits of a number in the tables: 16 halves the memory and costs a little accuracy."""
    keep_strategies: Annotated[bool, Key("nothing")] = False


#: The config class of each backend; `runout.flops.settings` makes the backend that it describes.
BACKENDS: dict[str, type[FlopsConfig]] = {
    "mccfr": MccfrConfig,
    "exhaustive": ExhaustiveConfig,
    "bucketed": BucketedConfig,
    "exact": ExactConfig,
    "compact": CompactConfig,
}


# The section ``joint``: how preflop and flops are solved together as one game.


JOINT_SECTION = "joint"

#: Backends whose flops can be played inside a preflop solve: those that tell combos apart.
JOINT_BACKENDS = ("compact", "exact")

#: Keys of `JointConfig` for the types of a pot.
POT_KEYS = ("limped", "raised", "reraised")


class PotSizesConfig(ConfigSection):
    """Sizes after the flop in pots of one type; what is not given is that of all pots."""

    bet_sizes: Annotated[SizeChoice | None, _BETS.or_null(), Key("game", _POT)] = None
    """Sizes of a first bet, in the forms of `postflop_model`; `null` means those there."""
    raise_sizes: Annotated[SizeChoice | None, _RAISES, Key("game", _CALLED_POT)] = None
    """Sizes of a raise; `null` means those of `postflop_model`."""
    max_raises_per_street: Annotated[int | None, RAISES.or_null(), Key("game", "raises")] = None
    """Raises after the first bet of a street; `null` means as in `postflop_model`."""


_POT_SIZES = Form("a mapping of bet_sizes, raise_sizes and max_raises_per_street").or_null()


class JointConfig(ConfigSection):
    """How a joint game is solved, besides the keys of the run and of its postflop model."""

    max_seconds: Seconds = None
    """The solve ends after this time, counted anew when it is resumed; results then depend on the
    machine. `null` is off."""
    flops_per_iteration: Annotated[
        int | None,
        Form("a whole number from 1 up to the number of flops", whole(1).read).or_null(),
        Key("game", "flops"),
    ] = None
    """Flops that an iteration visits, drawn by weight with the seed of `postflop_model`; `null`:
    all of them."""
    checkpoint_minutes: Annotated[float, NOT_NEGATIVE, Key("nothing", "minutes")] = 10.0
    """All tables are saved this often while the solve goes on, for `--resume`; 0: only when it is
    interrupted."""
    keep_rivers: Annotated[bool, Key("end")] = True
    """Whether the result keeps the strategies of rivers, and not only of flops and turns.
    `lab judge` needs them."""
    limped: Annotated[PotSizesConfig | None, _POT_SIZES, Key("game")] = None
    """Other sizes in pots that nobody raised before the flop."""
    raised: Annotated[PotSizesConfig | None, _POT_SIZES, Key("game")] = None
    """Other sizes in pots that were raised once."""
    reraised: Annotated[PotSizesConfig | None, _POT_SIZES, Key("game")] = None
    """Other sizes in pots that were raised more than once."""

    def betting_rules(self, model: FlopsConfig) -> dict[str, BettingRules]:
        """Returns the betting after the flop by the type of the pot, the keys of `POT_KEYS`."""
        return {key: self.model_of(key, model).betting_rules() for key in POT_KEYS}

    def model_of(self, pot: str, model: FlopsConfig) -> FlopsConfig:
        """Returns the postflop model of a type of pot, one of `POT_KEYS`."""
        sizes: PotSizesConfig = getattr(self, pot) or PotSizesConfig()
        given = {key: value for key, value in sizes.values().items() if value is not None}
        return model.model_copy(update=given)

    def game_with(self, model: FlopsConfig) -> dict[str, Any]:
        """Returns what decides an iteration together with a postflop model."""
        mapping: dict[str, Any] = {
            key: {
                "sizes": digest_menus(rules),
                "max_raises_per_street": rules.max_raises_per_street,
            }
            for key, rules in self.betting_rules(model).items()
        }
        if self.flops_per_iteration is not None:
            mapping["flops_per_iteration"] = self.flops_per_iteration
            mapping["seed"] = model.seed
        return mapping
