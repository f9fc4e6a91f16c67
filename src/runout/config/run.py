"""A whole run: the preflop game, what flops are worth in it, and how well it is solved.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from runout.cfr.schedules import DCFR_JOINT, DCFR_PLUS, DiscountSchedule, StoppingRule
from runout.config.flops import (
    JOINT_BACKENDS,
    JOINT_SECTION,
    POSTFLOP_SECTION,
    FlopsConfig,
    JointConfig,
)
from runout.config.section import (
    POSITIVE,
    RAISES,
    SHARE,
    UP_TO_ONE,
    VARIANT,
    ConfigSection,
    Decides,
    Form,
    Key,
    PartError,
    as_number,
    digest_variant,
    inside,
    menu_as_set,
    number,
    read_list,
    read_parts,
    refusal,
    schedule_of,
    whole,
)
from runout.config.yaml_text import show_value
from runout.errors import TreeError
from runout.trees.betting import PreflopRules
from runout.trees.sizes import (
    BEFORE_FLOP,
    DEPTH_SEPARATOR,
    SIZE_SEPARATOR,
    BetSize,
    SizesByDepth,
    format_bet_size,
    parse_bet_size,
)
from runout.trees.tree import PreflopTree

# The section ``preflop``: blinds, stacks, and which raises the preflop tree offers.


POSITION_KEYS = ("sb", "bb")

_MAX_STACK_BB = 100_000  # more than any table has, and far from the limits of float32


class SizesByPosition(NamedTuple):
    """The raise sizes of both players, by raise depth; the last depth serves all deeper ones."""

    sb: SizesByDepth
    bb: SizesByDepth

    @classmethod
    def parse(cls, value: Any) -> "SizesByPosition":
        """Reads sizes by depth, for both players or as a mapping of ``sb`` and ``bb``."""
        if isinstance(value, SizesByPosition):
            return value
        if not isinstance(value, Mapping):
            both = _read_depths(value)
            return cls(both, both)
        return cls(**read_parts(value, _read_depths, POSITION_KEYS, "give sb and bb"))

    def plain(self) -> Any:
        """Returns the sizes as YAML has them: one list if both players have the same."""
        sb, bb = (
            [[format_bet_size(size, BEFORE_FLOP) for size in depth] for depth in depths]
            for depths in self
        )
        return sb if sb == bb else {"sb": sb, "bb": bb}

    def digest(self) -> dict[str, list[list[str]]]:
        """Returns the sizes such that two choices with the same trees have the same."""
        digests = []
        for depths in self:
            # The last menu serves all deeper raises; without any there are no raises.
            menus = [menu_as_set(depth, BEFORE_FLOP) for depth in depths] or [[]]
            while len(menus) > 1 and menus[-1] == menus[-2]:
                menus.pop()
            digests.append(menus)
        return dict(zip(POSITION_KEYS, digests, strict=True))


def _read_depths(value: Any) -> SizesByDepth:
    def read_depth(depth: Any) -> tuple[BetSize, ...]:
        return read_list(depth, _read_raise_size, separator=SIZE_SEPARATOR)

    allowed = "a list by raise depth, write [[2.5bb], [3x], [allin]] or {sb: ..., bb: ...}"
    return read_list(value, read_depth, allowed, separator=DEPTH_SEPARATOR)


def _read_raise_size(value: Any) -> BetSize:
    if as_number(value) is not None:
        raise PartError("", f"{show_value(value)} has no unit, write {value}bb for big blinds")
    if not isinstance(value, str | BetSize):
        raise refusal(value, "a raise size such as 2.5bb")
    size = parse_bet_size(value, "", for_raises=True, style=BEFORE_FLOP)
    if size.unit == "c":
        problem = f"{format_bet_size(size)!r} is in chips, but the game is in big blinds"
        raise PartError("", f"{problem}: write 3bb")
    return size


def _read_stack(value: Any) -> float | None:
    stack = as_number(value)
    if stack is not None and stack > _MAX_STACK_BB:
        raise PartError("", f"{show_value(value)} is more than {_MAX_STACK_BB:,} big blinds")
    return stack if stack is not None and stack > 0.0 else None


def _read_stacks(value: Any) -> tuple[float, float]:
    if isinstance(value, list | tuple) and len(value) != 2:
        count = f"{len(value)} stack{'' if len(value) == 1 else 's'}"
        raise PartError("", f"{count} given, write one number or [sb, bb]")
    stacks = read_list(value, Form("a positive number of big blinds", _read_stack).parse)
    return stacks[0], stacks[-1]


_STACKS = Form(
    "a positive number or a list of two",
    _read_stacks,
    lambda stacks: stacks[0] if stacks[0] == stacks[1] else list(stacks),
)
_RAISES_BY_DEPTH = Form(
    "a list by raise depth of lists of sizes such as 2.5bb, 1.0p, 3x and allin",
    SizesByPosition.parse,
    SizesByPosition.plain,
)


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
        tuple[float, float], _STACKS, Key("game", "big blinds", "effective_stack_bb")
    ] = (25.0, 25.0)
    """Stacks before anything is posted: one for both players, or `[sb, bb]`. The smaller one is
    played for."""
    small_blind_bb: Annotated[float, _SMALL_BLIND, Key("game", "big blinds")] = 0.5
    """The small blind, posted by the button."""
    big_blind_bb: Annotated[float, POSITIVE, Key("game", "big blinds")] = 1.0
    """The big blind: 1, unless a straddle plays its part."""
    ante_bb: Annotated[float, _ANTE, Key("game", "big blinds")] = 0.0
    """What each player posts before the blinds, as dead money."""
    raise_sizes: Annotated[SizesByPosition, _RAISES_BY_DEPTH, Key("game", means="raise_sizes")] = (
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
            raise PartError("", error.problem) from error
        if tree.num_nodes == 1:
            stack = tree.rules.effective_stack_bb
            if self.ante_bb >= stack:
                problem = f"{self.ante_bb:g} is no less than the stack of {stack:g}"
                raise PartError(".ante_bb", f"{problem}, nobody has anything left to play with")
            problem = f"{stack:g} is gone when blinds and antes are posted, nobody decides anything"
            raise PartError(".stacks_bb", problem)

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


# The whole run.


#: Iterations between two measurements of exploitability; one costs about as much as an iteration.
CHECK_EVERY = 25

MBB_PER_BB = 1000.0


def _read_path(value: Any) -> Path | None:
    is_path = isinstance(value, Path) or (isinstance(value, str) and value.strip())
    return Path(value) if is_path else None


_PATH = Form("a path such as runs/spr", _read_path, str, takes_null=True)


class RunConfig(ConfigSection):
    """Everything that a run is told."""

    preflop: Annotated[PreflopConfig, Key("game", means="preflop")]
    """The preflop game: a section with the keys below."""
    method: Annotated[Literal["two_phase", "joint"], Key("game", means="method")] = "two_phase"
    """`two_phase` solves flops first and preflop on top of what hands win there. `joint` solves
    both as one game: every iteration plays every flop with the ranges that arrive."""
    iterations: Annotated[int, whole(1), Key("end", "iterations")] = 10_000
    """The preflop solve, or the joint one, ends after so many iterations at the latest."""
    preflop_exploitability_threshold_mbb: Annotated[
        float | None, POSITIVE.or_null(), Key("end", "thousandths of a big blind per hand")
    ] = 0.5
    """It ends when its exploitability is at most this; `null` is off."""
    cfr_variant: Annotated[
        str | DiscountSchedule | None, VARIANT.or_null(), Key("game", means="cfr_variant")
    ] = None
    """How iterations of the preflop solve, or of the joint one, are weighted: a name, or the three
    exponents of discounted CFR; `null` is what was measured to be best for the method: `dcfr+`, and
    `{alpha: 2.5, beta: 0, gamma: 6}` for `joint`."""
    print_every: Annotated[int, whole(0), Key("nothing", "iterations")] = 0
    """The terminal shows strategies so often; 0: only at the end."""
    checkpoint_every: Annotated[int, whole(1), Key("nothing", "flops")] = 1
    """Finished flops are saved so often, for `--resume`; 1: each at once. The short preflop solve
    has no checkpoints, it begins anew."""
    ranges_rounds: Annotated[int, whole(0), Key("game", "rounds", "ranges_rounds")] = 0
    """How often, at most, flops are solved again with the ranges that arrive there, and preflop
    after them; 0: flops are solved with all hands."""
    ranges_damping: Annotated[float, SHARE, Key("game", "fraction", "ranges_damping")] = 0.5
    """The share of the new ranges in the first round, the rest being all hands; later rounds take
    less, from 0.5 on 1/2, 1/3, 1/4 and so on."""
    ranges_tolerance: Annotated[
        float, UP_TO_ONE, Key("game", "probability", "ranges_tolerance")
    ] = 0.01
    """Rounds end when the preflop strategy moves less than this: the mean absolute change of an
    action's probability, hands weighted by reach. 0: all rounds are played."""
    flop_values: Annotated[Literal["solved", "raw_equity"], Key("game", means="flop_values")] = (
        "solved"
    )
    """What a flop is worth: `solved` plays it, `raw_equity` checks it down, as if nobody ever bet
    after the flop."""
    postflop_model: Annotated[FlopsConfig | None, Key("game", means="postflop_model")] = None
    """How flops are solved: a section with the keys below."""
    postflop_model_path: Annotated[Path | None, _PATH, Key("game", means="postflop_model_path")] = (
        None
    )
    """Instead: a directory of solved values, or a YAML file with the section `postflop_model`;
    relative to the config file."""
    joint: Annotated[JointConfig | None, Key("game", means="joint")] = None
    """More about `method: joint`: a section with the keys below."""

    def check(self) -> None:
        """Refuses keys that do not go together, and what the method cannot solve."""
        if self.postflop_model is not None and self.postflop_model_path is not None:
            problem = "given together with postflop_model, give only one of them"
            raise PartError(".postflop_model_path", problem)
        if self.needs_flop_values:
            if self.postflop_model is None and self.postflop_model_path is None:
                problem = "has no postflop_model and no postflop_model_path, give one of them"
                raise PartError("", f"{problem}, or write flop_values: raw_equity")
        elif self.ranges_rounds > 0:
            why = "flop_values is raw_equity" if self._has_flops() else "the tree has no flops"
            problem = f"{self.ranges_rounds} asked for, but {why}: write 0"
            raise PartError(".ranges_rounds", problem)
        if self.method == "joint":
            self._check_joint()
        elif self.joint is not None:
            raise PartError(".joint", "given, but method is two_phase: write method: joint")

    def _check_joint(self) -> None:
        for key, off in (("flop_values", "solved"), ("ranges_rounds", 0)):
            if getattr(self, key) != off:
                problem = f"{getattr(self, key)} is for method: two_phase, joint needs {off}"
                raise PartError(f".{key}", problem)
        model = self.postflop_model
        if model is None or not self._has_flops():  # its file is read later, or not needed
            return
        if model.solve_type not in JOINT_BACKENDS:
            problem = f"{model.solve_type} cannot be played with preflop"
            allowed = f"use {' or '.join(JOINT_BACKENDS)}"
            raise PartError(".postflop_model.solve_type", f"{problem}, {allowed}")
        if model.cfr_variant is not None:
            problem = "write it outside of postflop_model, a joint game has one for all streets"
            raise PartError(".postflop_model.cfr_variant", problem)
        count, flops = self.joint_settings.flops_per_iteration, len(model.flop_list())
        if count is not None and count > flops:
            raise PartError(".joint.flops_per_iteration", f"{count}, but there are {flops} flops")

    @property
    def joint_settings(self) -> JointConfig:
        """The section ``joint``, with its defaults if it was not given."""
        return self.joint or JointConfig()

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        # A key of a section at the top of the file is a forgotten line, not a typing error.
        keys_of = {
            PREFLOP_SECTION: PreflopConfig.known_keys(),
            JOINT_SECTION: JointConfig.known_keys(),
            POSTFLOP_SECTION: FlopsConfig.all_keys(),
        }
        homes = [name for name, keys in keys_of.items() if key in keys]
        if homes:
            return f"unknown key, write it below {' or '.join(f'{home}:' for home in homes)}"
        return super()._problem_with_key(key)

    @property
    def needs_flop_values(self) -> bool:
        """Whether flops are to be solved: the tree has some, and they are not checked down."""
        return self.flop_values == "solved" and self._has_flops()

    def _has_flops(self) -> bool:
        return self.preflop.tree.counts.flops > 0

    def with_postflop_model(self, model: FlopsConfig) -> Self:
        """Returns this config with another postflop model, and no path to one."""
        return self.model_copy(update={"postflop_model": model, "postflop_model_path": None})

    def schedule(self) -> DiscountSchedule:
        """Returns how iterations of the preflop solve, or of the joint one, are weighted."""
        if self.cfr_variant is None:
            return DCFR_JOINT if self.method == "joint" else DCFR_PLUS
        return schedule_of(self.cfr_variant)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the preflop solve ends; its values are in big blinds."""
        threshold_mbb = self.preflop_exploitability_threshold_mbb
        return StoppingRule(
            max_iterations=self.iterations,
            max_seconds=self.joint_settings.max_seconds,
            exploitability=None if threshold_mbb is None else threshold_mbb / MBB_PER_BB,
            check_every=CHECK_EVERY,
        )

    def meanings(self) -> dict[str, Any]:
        """Returns what digests have of keys that count with one method only.

        A directory of solved values counts by its path, since only the reader of the directory
        knows what is in it.
        """
        is_joint, model = self.method == "joint", self.postflop_model
        meanings: dict[str, Any] = {
            "preflop": self.preflop.digest_mapping(),
            "cfr_variant": digest_variant(self.schedule()),
        }
        if is_joint:
            meanings["method"] = self.method
        elif self._has_flops():
            meanings["flop_values"] = self.flop_values
        if self.needs_flop_values and model is not None:
            meanings["postflop_model"] = (
                model.game_mapping() if is_joint else model.digest_mapping()
            )
            if is_joint:
                meanings["joint"] = self.joint_settings.game_with(model)
        elif self.needs_flop_values and self.postflop_model_path is not None and not is_joint:
            meanings["postflop_model_path"] = self.postflop_model_path.as_posix()
        if self.ranges_rounds > 0:
            for key in ("ranges_rounds", "ranges_damping", "ranges_tolerance"):
                meanings[key] = getattr(self, key)
        return meanings

    def digest_mapping(self, *decides: Decides) -> dict[str, Any]:
        """Returns what decides the results; see `ConfigSection.digest_mapping`."""
        mapping = super().digest_mapping(*decides)
        has_ends = self.method == "joint" and (not decides or "end" in decides)
        return mapping | (self.joint_settings.digest_mapping("end") if has_ends else {})
