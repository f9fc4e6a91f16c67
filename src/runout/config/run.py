"""A whole run: the preflop game, what flops are worth in it, and how well it is solved.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Gt, Le
from pydantic import model_validator

from runout.cfr.schedules import DCFR_JOINT, DCFR_PLUS, Schedule, StoppingRule
from runout.config import values
from runout.config.flops import JOINT_BACKENDS, JointConfig, PostflopModel
from runout.config.section import END, NOTHING, ConfigSection, Read, problem
from runout.config.values import Count, CountFrom0, NotNegative, Positive
from runout.errors import TreeError
from runout.trees.betting import PreflopRules
from runout.trees.sizes import BEFORE_FLOP, BLIND_KEYS, RAISES_BEFORE_FLOP, Place, Sizes
from runout.trees.tree import PreflopTree

_MAX_STACK_BB = 100_000  # more than any table has, and far from the limits of float32


def _read_stacks(value: Any) -> tuple[Any, Any]:
    sb, bb = value if isinstance(value, list | tuple) else (value, value)
    return sb, bb


_Stack: TypeAlias = Annotated[float, Gt(0), Le(_MAX_STACK_BB)]
_Stacks: TypeAlias = Annotated[
    tuple[_Stack, _Stack],
    Read(
        f"a positive number of big blinds up to {_MAX_STACK_BB:,}, or a list [sb, bb] of two",
        _read_stacks,
        lambda stacks: stacks[0] if stacks[0] == stacks[1] else stacks,
        ("number", "array"),
    ),
]


class PreflopConfig(ConfigSection):
    """The preflop game."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = values.PRESETS["preflop"]

    stacks_bb: _Stacks = (25.0, 25.0)
    """Stacks before posting: one for both, or `[sb, bb]`, of which the smaller is played for."""
    small_blind_bb: NotNegative = 0.5
    """Small blind in big blinds, posted by the button; less than the big blind."""
    big_blind_bb: Positive = 1.0
    """Big blind: 1, unless a straddle plays its part."""
    ante_bb: Annotated[float, Ge(0), Le(10)] = 0.0
    """Ante of each player in big blinds, as dead money."""
    raise_sizes: values.PreflopSizes = Sizes.parse("2.5bb; 3x; allin", RAISES_BEFORE_FLOP)
    """Sizes of a raise by raise depth: of the first raise, of the re-raise, and so on; the last
    ones serve all deeper raises. For both players, or a mapping of `sb` and `bb`."""
    raise_cap: values.Raises | None = 4
    """Maximum number of raises in the hand, all-ins included; `null`: no limit."""
    allow_limp: bool = True
    """Let the small blind call the big blind."""
    always_offer_all_in: bool = True
    """Offer all-in wherever a raise is legal, among the sizes or not."""
    force_all_in_threshold: NotNegative = 0.0
    """A raise that leaves at most this many pots (after a call) behind is all-in instead."""

    def _faults(self) -> Iterator[tuple[Place, str]]:
        try:
            stack, has_decisions = self.rules().effective_stack_bb, self.tree.num_nodes > 1
        except TreeError as error:
            yield (error.where,) if error.where in type(self).model_fields else (), error.problem
            return
        if not has_decisions:
            text = f"{stack:g} is gone when blinds and antes are posted, no decision is left"
            yield ("stacks_bb",), text

    def rules(self) -> PreflopRules:
        """Returns the rules that the tree is built with."""
        return PreflopRules(**{key: getattr(self, key) for key in type(self).model_fields})

    @cached_property
    def tree(self) -> PreflopTree:
        """The tree of the game."""
        return PreflopTree.build(self.rules())

    def _spell_out(self, digest: dict[str, Any]) -> None:
        del digest["stacks_bb"]
        digest["effective_stack_bb"] = self.rules().effective_stack_bb
        digest["raise_sizes"] = {}
        for key in BLIND_KEYS:
            by_depth = self.raise_sizes.at(key) or ((),)  # without any there are no raises
            # The last menu serves all deeper raises.
            menus = [values.menu_as_set(depth, BEFORE_FLOP) for depth in by_depth]
            while len(menus) > 1 and menus[-1] == menus[-2]:
                menus.pop()
            digest["raise_sizes"][key] = menus


#: Iterations between two measurements of exploitability; one costs about as much as an iteration.
CHECK_EVERY = 25

MBB_PER_BB = 1000.0

#: What decides the flops of a model that are solved by themselves, and not in a joint game.
_OF_FLOPS_ALONE = ("sizes", "max_raises_per_street", "postflop_sprs", "cfr_variant", "seed")


class RunConfig(ConfigSection):
    """Config of a run: the game, its flops and the solve.

    >>> from runout import RunConfig
    >>> RunConfig(preflop={"preset": "pushfold", "stacks_bb": 8}).needs_flop_values
    False
    """

    preflop: PreflopConfig
    """Blinds, stacks and raise sizes of the preflop game."""
    method: Literal["two_phase", "joint"] = "two_phase"
    """`two_phase` solves flops first and preflop on top of what hands win there. `joint` solves
    both as one game: every iteration plays every flop with the ranges that arrive."""
    iterations: Annotated[Count, END] = 10_000
    """Maximum number of iterations of the preflop solve, or of the joint one."""
    preflop_exploitability_threshold_mbb: Annotated[Positive | None, END] = 0.5
    """Exploitability that ends it, in thousandths of a big blind per hand; `null` is off."""
    cfr_variant: values.Variant | None = None
    """Weights of iterations: a name, or the exponents of discounted CFR; `null`: the best measured
    for the method, `dcfr+`, and `{alpha: 2.5, beta: 0, gamma: 6}` for `joint`."""
    print_every: Annotated[CountFrom0, NOTHING] = 0
    """Iterations between two views of the strategies in the terminal; 0: only at the end."""
    checkpoint_every: Annotated[Count, NOTHING] = 1
    """Finished flops between two saves, for `--resume`. The preflop solve has no checkpoints."""
    flop_values: Literal["solved", "raw_equity"] = "solved"
    """Worth of a flop: `solved` plays it, `raw_equity` checks it down."""
    postflop_model: PostflopModel | None = None
    """How flops are solved."""
    postflop_model_path: values.GivenPath | None = None
    """Instead: solved values, or a YAML file with `postflop_model`; relative to the config."""
    joint: JointConfig | None = None
    """More about `method: joint`."""

    @model_validator(mode="before")
    @classmethod
    def _pass_over_rounds(cls, data: Any) -> Any:
        """Leaves out the keys of rounds that earlier versions wrote, if there were none."""
        given = data if isinstance(data, Mapping) else {}
        if given.get("ranges_rounds"):
            text = "flops are not solved in rounds of ranges, write 0 and method: joint"
            raise problem(text, "ranges_rounds")
        old = given.keys() & {"ranges_rounds", "ranges_damping", "ranges_tolerance"}
        return {key: given[key] for key in given if key not in old} if old else data

    def _faults(self) -> Iterator[tuple[Place, str]]:
        model, is_joint = self.postflop_model, self.method == "joint"
        if model is not None and self.postflop_model_path is not None:
            text = "given together with postflop_model, give only one of them"
            yield ("postflop_model_path",), text
        if self.needs_flop_values and model is None and self.postflop_model_path is None:
            text = "has no postflop_model and no postflop_model_path, give one of them"
            yield (), f"{text}, or write flop_values: raw_equity"
        if self.joint is not None and not is_joint:
            yield ("joint",), "given, but method is two_phase: write method: joint"
        if is_joint and self.flop_values != "solved":
            text = f"{self.flop_values} is for method: two_phase, joint needs solved"
            yield ("flop_values",), text
        if not is_joint or model is None or not self._has_flops():
            return  # a file of the model is read later
        if model.solve_type not in JOINT_BACKENDS:
            allowed = f"use {' or '.join(JOINT_BACKENDS)}, or method: two_phase"
            text = f"{model.solve_type} cannot be played with preflop, {allowed}"
            yield ("postflop_model", "solve_type"), text
        if model.cfr_variant is not None:
            text = "write it outside of postflop_model, a joint game has one for all streets"
            yield ("postflop_model", "cfr_variant"), text
        count, flops = self.joint_settings.flops_per_iteration, len(model.flop_list())
        if count is not None and count > flops:
            yield ("joint", "flops_per_iteration"), f"{count}, but there are {flops} flops"

    @property
    def joint_settings(self) -> JointConfig:
        """The section ``joint``, with its defaults if it was not given."""
        return self.joint or JointConfig()

    @property
    def needs_flop_values(self) -> bool:
        """Whether flops are to be solved: the tree has some, and they are not checked down."""
        return self.flop_values == "solved" and self._has_flops()

    def _has_flops(self) -> bool:
        return self.preflop.tree.counts.flops > 0

    def schedule(self) -> Schedule:
        """Returns how iterations of the preflop solve, or of the joint one, are weighted."""
        return self.cfr_variant or (DCFR_JOINT if self.method == "joint" else DCFR_PLUS)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the preflop solve ends; its values are in big blinds."""
        threshold_mbb = self.preflop_exploitability_threshold_mbb
        return StoppingRule(
            max_iterations=self.iterations,
            max_seconds=self.joint_settings.max_seconds,
            exploitability=None if threshold_mbb is None else threshold_mbb / MBB_PER_BB,
            check_every=CHECK_EVERY,
        )

    def _spell_out(self, digest: dict[str, Any]) -> None:
        """Leaves out keys that do not count with the method.

        A directory of solved values counts by its path, since only the reader of the directory
        knows what is in it.
        """
        is_joint, has_ends = self.method == "joint", "iterations" in digest
        model, path = self.postflop_model, self.postflop_model_path
        for key in ("joint", "postflop_model", "postflop_model_path"):
            del digest[key]
        digest["preflop"] = self.preflop.digest_mapping()
        digest["cfr_variant"] = values.digest_variant(self.schedule())
        if not is_joint:
            del digest["method"]
        if is_joint or not self._has_flops():
            del digest["flop_values"]
        if self.needs_flop_values and model is not None:
            played = model.with_preflop() if is_joint else model
            digest["postflop_model"] = played.digest_mapping(ends=not is_joint)
            if is_joint:
                for key in _OF_FLOPS_ALONE:
                    digest["postflop_model"].pop(key, None)
                digest["joint"] = self.joint_settings.game_with(model)
        elif self.needs_flop_values and path is not None and not is_joint:
            digest["postflop_model_path"] = path.as_posix()
        if is_joint and has_ends:
            settings = self.joint_settings
            digest |= {"max_seconds": settings.max_seconds, "keep_rivers": settings.keep_rivers}
