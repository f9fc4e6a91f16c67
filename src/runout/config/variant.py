"""CFR variants as a config gives them: a name, or the three exponents of discounted CFR."""

import math
from collections.abc import Mapping
from typing import Any

from runout.cfr.discounting import VARIANTS, DiscountSchedule
from runout.config.section import as_number, problem_at, show_value, suggest
from runout.config.yaml_text import join_path

#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0

#: The exponents of a variant that is given as a mapping.
EXPONENTS = ("alpha", "beta", "gamma")

#: What is allowed, as the end of the sentence "X is not ...".
ALLOWED_VARIANTS = f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma"


def read_variant(value: Any) -> str | DiscountSchedule:
    """Reads the name of a CFR variant, or its three exponents."""
    if isinstance(value, DiscountSchedule):
        value = plain_variant(value)
    if not isinstance(value, Mapping):
        if isinstance(value, str) and value in VARIANTS:
            return value
        nearest = suggest(value, VARIANTS)
        raise problem_at("", f"{show_value(value)} is not {ALLOWED_VARIANTS}{nearest}")
    for key in value:
        if key not in EXPONENTS:
            problem = f"unknown key{suggest(key, EXPONENTS) or ', give alpha, beta and gamma'}"
            raise problem_at(f".{join_path('', str(key))}", problem)
    for key in EXPONENTS:
        if key not in value:
            raise problem_at("", f"{key} is missing, give alpha, beta and gamma")
        _check_exponent(key, value[key])
    alpha, beta, gamma = (float(value[key]) for key in EXPONENTS)
    return DiscountSchedule(alpha, beta, gamma)


def read_optional_variant(value: Any) -> str | DiscountSchedule | None:
    """Reads a CFR variant, or nothing: the one that the kind of solve is best at."""
    return None if value is None else read_variant(value)


def _check_exponent(name: str, value: Any) -> None:
    number = as_number(value)
    if name == "gamma":
        if number is None or not 0.0 <= number <= MAX_EXPONENT:
            allowed = f"a number from 0 to {MAX_EXPONENT:g}"
            raise problem_at(f".{name}", f"{show_value(value)} is not {allowed}")
    elif number is None or abs(number) > MAX_EXPONENT:
        if not (isinstance(value, float) and math.isinf(value)):
            allowed = f"a number from -{MAX_EXPONENT:g} to {MAX_EXPONENT:g}, .inf or -.inf"
            raise problem_at(f".{name}", f"{show_value(value)} is not {allowed}")


def plain_variant(value: str | DiscountSchedule | None) -> Any:
    """Returns a variant as YAML has it: a name, a mapping, or nothing."""
    if value is None or isinstance(value, str):
        return value
    names = [name for name, schedule in VARIANTS.items() if schedule == value]
    # Exponents say everything unless one of them moves.
    return names[0] if value.num_rising else {name: getattr(value, name) for name in EXPONENTS}


def schedule_of(value: str | DiscountSchedule) -> DiscountSchedule:
    """Returns how a variant weights iterations."""
    return VARIANTS[value] if isinstance(value, str) else value


def digest_variant(value: str | DiscountSchedule) -> dict[str, float | str]:
    """Returns the exponents of a variant as strict JSON, which knows no infinity."""
    schedule = schedule_of(value)
    exponents = {name: getattr(schedule, name) for name in EXPONENTS}
    if schedule.num_rising:
        exponents["num_rising"] = schedule.num_rising
        exponents["first_alpha"] = schedule.first_alpha
    return {name: x if math.isfinite(x) else str(x) for name, x in exponents.items()}
