"""A whole run: the preflop game, what flops are worth in it, and how well it is solved.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from runout.cfr.schedules import DCFR_JOINT, DCFR_PLUS, DiscountSchedule, StoppingRule
from runout.config.postflop import (
    JOINT_BACKENDS,
    JOINT_SECTION,
    POSTFLOP_SECTION,
    JointConfig,
    PostflopModelConfig,
)
from runout.config.preflop import PREFLOP_SECTION, PreflopConfig
from runout.config.section import ConfigSection, Decides, Key, whole
from runout.config.values import (
    PATH,
    POSITIVE,
    SHARE,
    UP_TO_ONE,
    VARIANT,
    digest_variant,
    schedule_of,
)
from runout.errors import ConfigError

#: Iterations between two measurements of exploitability; one costs about as much as an iteration.
CHECK_EVERY = 25

MBB_PER_BB = 1000.0


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
    postflop_model: Annotated[PostflopModelConfig | None, Key("game", means="postflop_model")] = (
        None
    )
    """How flops are solved: a section with the keys below."""
    postflop_model_path: Annotated[Path | None, PATH, Key("game", means="postflop_model_path")] = (
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
            raise ConfigError(".postflop_model_path", problem)
        if self.needs_flop_values:
            if self.postflop_model is None and self.postflop_model_path is None:
                problem = "has no postflop_model and no postflop_model_path, give one of them"
                raise ConfigError("", f"{problem}, or write flop_values: raw_equity")
        elif self.ranges_rounds > 0:
            why = "flop_values is raw_equity" if self._has_flops() else "the tree has no flops"
            problem = f"{self.ranges_rounds} asked for, but {why}: write 0"
            raise ConfigError(".ranges_rounds", problem)
        if self.method == "joint":
            self._check_joint()
        elif self.joint is not None:
            raise ConfigError(".joint", "given, but method is two_phase: write method: joint")

    def _check_joint(self) -> None:
        for key, off in (("flop_values", "solved"), ("ranges_rounds", 0)):
            if getattr(self, key) != off:
                problem = f"{getattr(self, key)} is for method: two_phase, joint needs {off}"
                raise ConfigError(f".{key}", problem)
        model = self.postflop_model
        if model is None or not self._has_flops():  # its file is read later, or not needed
            return
        if model.solve_type not in JOINT_BACKENDS:
            problem = f"{model.solve_type} cannot be played with preflop"
            allowed = f"use {' or '.join(JOINT_BACKENDS)}"
            raise ConfigError(".postflop_model.solve_type", f"{problem}, {allowed}")
        if model.cfr_variant is not None:
            problem = "write it outside of postflop_model, a joint game has one for all streets"
            raise ConfigError(".postflop_model.cfr_variant", problem)
        count, flops = self.joint_settings.flops_per_iteration, len(model.flop_list())
        if count is not None and count > flops:
            raise ConfigError(".joint.flops_per_iteration", f"{count}, but there are {flops} flops")

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
            POSTFLOP_SECTION: PostflopModelConfig.all_keys(),
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

    def with_postflop_model(self, model: PostflopModelConfig) -> Self:
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
