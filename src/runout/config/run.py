"""A whole run: the preflop game, what flops are worth in it, and how well it is solved.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from runout.cfr.schedules import DCFR_JOINT, DCFR_PLUS, DiscountSchedule, StoppingRule
from runout.config.postflop import (
    JOINT_BACKENDS,
    JOINT_SECTION,
    POSTFLOP_SECTION,
    JointConfig,
    PostflopModelConfig,
)
from runout.config.preflop import PREFLOP_SECTION, PreflopConfig
from runout.config.section import About, ConfigSection, format_yaml, problem_at, show_value
from runout.config.values import (
    ALLOWED_VARIANTS,
    digest_variant,
    plain_variant,
    read_optional_variant,
    schedule_of,
)

#: Iterations between two measurements of exploitability; one costs about as much as an iteration.
CHECK_EVERY = 25

MBB_PER_BB = 1000.0

#: What decides a flop that is solved alone, and nothing in a joint game; sizes go by pot there.
_NOT_OF_A_JOINT_GAME = (
    "postflop_sprs",
    "cfr_variant",
    "postflop_solve_iterations",
    "cfr_exploitability_threshold",
    "cfr_max_seconds_per_flop",
    "sizes",
    "max_raises_per_street",
    "seed",
)

_A_MAPPING = "a mapping of keys to values"


def _read_path(value: Any) -> Path | None:
    if value is None or isinstance(value, Path):
        return value
    if not isinstance(value, str) or not value.strip():
        raise problem_at("", f"{show_value(value)} is not a path such as runs/spr")
    return Path(value)


def _plain_path(path: Path | None) -> str | None:
    return None if path is None else str(path)


class RunConfig(ConfigSection):
    """Everything that a run is told.

    Constructed in Python it takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `ConfigSection.parse` raises `ConfigError` with the path in the file.
    """

    preflop: Annotated[
        PreflopConfig, About("The preflop game: a section with the keys below.", _A_MAPPING)
    ]
    method: Annotated[
        Literal["two_phase", "joint"],
        About(
            "`two_phase` solves flops first and preflop on top of what hands win there. `joint` "
            "solves both as one game: every iteration plays every flop with the ranges that "
            "arrive.",
            "one of two_phase, joint",
            choices=("two_phase", "joint"),
        ),
    ] = "two_phase"
    iterations: Annotated[
        int,
        Field(ge=1),
        About(
            "The preflop solve, or the joint one, ends after so many iterations at the latest.",
            "a whole number from 1 up",
            unit="iterations",
        ),
    ] = 10_000
    preflop_exploitability_threshold_mbb: Annotated[
        Annotated[float, Field(gt=0.0, allow_inf_nan=False)] | None,
        About(
            "It ends when its exploitability is at most this; `null` is off.",
            "a positive number, or null",
            unit="thousandths of a big blind per hand",
        ),
    ] = 0.5
    cfr_variant: Annotated[
        str | DiscountSchedule | None,
        PlainValidator(read_optional_variant),
        PlainSerializer(plain_variant),
        About(
            "How iterations of the preflop solve, or of the joint one, are weighted: a name, or "
            "the three exponents of discounted CFR; `null` is what was measured to be best for "
            "the method: `dcfr+`, and `{alpha: 2.5, beta: 0, gamma: 6}` for `joint`.",
            f"{ALLOWED_VARIANTS}, or null",
        ),
    ] = None
    print_every: Annotated[
        int,
        Field(ge=0),
        About(
            "The terminal shows strategies so often; 0: only at the end.",
            "a whole number from 0 up",
            unit="iterations",
        ),
    ] = 0
    checkpoint_every: Annotated[
        int,
        Field(ge=1),
        About(
            "Finished flops are saved so often, for `--resume`; 1: each at once. The short preflop "
            "solve has no checkpoints, it begins anew.",
            "a whole number from 1 up",
            unit="flops",
        ),
    ] = 1
    ranges_rounds: Annotated[
        int,
        Field(ge=0),
        About(
            "How often, at most, flops are solved again with the ranges that arrive there, and "
            "preflop after them; 0: flops are solved with all hands.",
            "a whole number from 0 up",
            unit="rounds",
        ),
    ] = 0
    ranges_damping: Annotated[
        float,
        Field(gt=0.0, le=1.0, allow_inf_nan=False),
        About(
            "The share of the new ranges in the first round, the rest being all hands; later "
            "rounds take less, from 0.5 on 1/2, 1/3, 1/4 and so on.",
            "a number above 0 and up to 1",
            unit="fraction",
        ),
    ] = 0.5
    ranges_tolerance: Annotated[
        float,
        Field(ge=0.0, le=1.0, allow_inf_nan=False),
        About(
            "Rounds end when the preflop strategy moves less than this: the mean absolute change "
            "of an action's probability, hands weighted by reach. 0: all rounds are played.",
            "a number from 0 to 1",
            unit="probability",
        ),
    ] = 0.01
    flop_values: Annotated[
        Literal["solved", "raw_equity"],
        About(
            "What a flop is worth: `solved` plays it, `raw_equity` checks it down, as if nobody "
            "ever bet after the flop.",
            "one of solved, raw_equity",
            choices=("solved", "raw_equity"),
        ),
    ] = "solved"
    postflop_model: Annotated[
        PostflopModelConfig | None,
        About("How flops are solved: a section with the keys below.", _A_MAPPING),
    ] = None
    postflop_model_path: Annotated[
        Path | None,
        PlainValidator(_read_path),
        PlainSerializer(_plain_path),
        About(
            "Instead: a directory of solved values, or a YAML file with the section "
            "`postflop_model`; relative to the config file.",
            "a path such as runs/spr",
        ),
    ] = None

    joint: Annotated[
        JointConfig | None,
        About("More about `method: joint`: a section with the keys below.", _A_MAPPING),
    ] = None

    @model_validator(mode="after")
    def _has_one_postflop_model(self) -> Self:
        if self.postflop_model is not None and self.postflop_model_path is not None:
            problem = "given together with postflop_model, give only one of them"
            raise problem_at(".postflop_model_path", problem)
        if not self.needs_flop_values:
            if self.ranges_rounds > 0:
                why = "flop_values is raw_equity" if self._has_flops() else "the tree has no flops"
                problem = f"{self.ranges_rounds} asked for, but {why}: write 0"
                raise problem_at(".ranges_rounds", problem)
        elif self.postflop_model is None and self.postflop_model_path is None:
            problem = "has no postflop_model and no postflop_model_path, give one of them"
            raise problem_at("", f"{problem}, or write flop_values: raw_equity")
        return self

    @model_validator(mode="after")
    def _can_be_solved_by_its_method(self) -> Self:
        if self.method == "two_phase":
            if self.joint is not None:
                raise problem_at(".joint", "given, but method is two_phase: write method: joint")
            return self
        for key, off in (("flop_values", "solved"), ("ranges_rounds", 0)):
            if getattr(self, key) != off:
                problem = f"{getattr(self, key)} is for method: two_phase, joint needs {off}"
                raise problem_at(f".{key}", problem)
        if not self._has_flops():
            return self
        model = self.postflop_model
        if model is None:  # its file is read later
            return self
        if model.solve_type not in JOINT_BACKENDS:
            problem = f"{model.solve_type} cannot be played with preflop"
            raise problem_at(
                ".postflop_model.solve_type", f"{problem}, use {' or '.join(JOINT_BACKENDS)}"
            )
        if model.cfr_variant is not None:
            problem = "write it outside of postflop_model, a joint game has one for all streets"
            raise problem_at(".postflop_model.cfr_variant", problem)
        count, flops = self.joint_settings.flops_per_iteration, len(model.flop_list())
        if count is not None and count > flops:
            raise problem_at(".joint.flops_per_iteration", f"{count}, but there are {flops} flops")
        return self

    @property
    def joint_settings(self) -> JointConfig:
        """The section ``joint``, with its defaults if it was not given."""
        return self.joint or JointConfig()

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        # A key of a section at the top of the file is a forgotten line, not a typing error.
        keys_of = {
            PREFLOP_SECTION: [*PreflopConfig.model_fields, *PreflopConfig.extra_keys],
            JOINT_SECTION: list(JointConfig.model_fields),
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

    def to_yaml(self) -> str:
        """Returns a config file that reads back as the same config."""
        return format_yaml(self.to_mapping())

    def digest_mapping(self) -> dict[str, Any]:
        """Returns everything that decides the results, for `runout.storage.bundle.digest_config`.

        Two configs that mean the same have the same mapping, and keys that do not matter are left
        out. A directory of solved values counts by its path, since only the reader of the
        directory knows what is in it.
        """
        if self.method == "joint":
            return self.game_mapping() | {
                "iterations": self.iterations,
                "preflop_exploitability_threshold_mbb": self.preflop_exploitability_threshold_mbb,
                "max_seconds": self.joint_settings.max_seconds,
                "keep_rivers": self.joint_settings.keep_rivers,
            }
        mapping: dict[str, Any] = {
            "preflop": self.preflop.digest_mapping(),
            "iterations": self.iterations,
            "preflop_exploitability_threshold_mbb": self.preflop_exploitability_threshold_mbb,
            "cfr_variant": digest_variant(self.schedule()),
        }
        if self._has_flops():
            mapping["flop_values"] = self.flop_values
        if self.needs_flop_values and self.postflop_model is not None:
            mapping["postflop_model"] = self.postflop_model.digest_mapping()
        elif self.needs_flop_values and self.postflop_model_path is not None:
            mapping["postflop_model_path"] = self.postflop_model_path.as_posix()
        for key in ("ranges_rounds", "ranges_damping", "ranges_tolerance"):
            if self.ranges_rounds > 0:
                mapping[key] = getattr(self, key)
        return mapping

    def game_mapping(self) -> dict[str, Any]:
        """Returns what decides an iteration of a joint game, and not when they end.

        A solve can go on under any config with the same mapping.
        """
        mapping: dict[str, Any] = {
            "method": self.method,
            "preflop": self.preflop.digest_mapping(),
            "cfr_variant": digest_variant(self.schedule()),
        }
        model = self.postflop_model
        if model is not None and self._has_flops():
            of_model = model.digest_mapping()
            mapping["postflop_model"] = {
                key: value for key, value in of_model.items() if key not in _NOT_OF_A_JOINT_GAME
            }
            mapping["joint"] = self.joint_settings.digest_mapping(model)
        return mapping
