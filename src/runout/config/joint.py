"""The section ``joint``: how preflop and flops are solved together as one game.

`docs/configuration.md` is the reference, made from what the fields say about themselves.
"""

from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_digest import digest_sizes
from runout.config.postflop_readers import read_bet_sizes, read_raise_sizes
from runout.config.section import About, ConfigSection
from runout.config.size_choice import MOST_RAISES, SizeChoice, plain_sizes
from runout.trees.betting import BettingRules

SECTION = "joint"

#: Backends whose flops can be played inside a preflop solve: those that tell combos apart.
JOINT_BACKENDS = ("compact", "exact")

#: Keys of `JointConfig` for the types of a pot.
POT_KEYS = ("limped", "raised", "reraised")

_Seconds = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
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
