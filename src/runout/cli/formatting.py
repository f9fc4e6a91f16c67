"""How numbers and lines look: as text for people, and at full precision for JSON."""

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from runout.arrays import AnyArray
from runout.execution.pool import format_bytes as format_bytes
from runout.solutions.sheet import NO_VALUE as NO_VALUE
from runout.solutions.sheet import format_chips as format_chips
from runout.solutions.sheet import format_count as format_count
from runout.solutions.sheet import format_percent as format_percent
from runout.solutions.sheet import json_number as json_number

if TYPE_CHECKING:
    from runout.solutions.values import ExploitabilityMeaning

Json = Mapping[str, Any]


def bold(text: str) -> Text:
    """Returns a heading."""
    return Text(text, style="bold")


def dim(text: str) -> Text:
    """Returns a remark."""
    return Text(text, style="dim")


def format_exploitability(share: float, meaning: "ExploitabilityMeaning", decimals: int = 2) -> str:
    """Returns a fraction of the pot as percent, with a sign before it if it is a bound."""
    return format_bound(share, meaning.is_upper_bound, decimals)


def format_bound(share: float, is_upper_bound: bool, decimals: int = 2) -> str:
    """Returns a fraction as percent, ``≤0.32%`` if it cannot be larger but may be smaller."""
    return ("≤" if is_upper_bound else "") + format_percent(share, decimals)


def format_seconds(seconds: float) -> str:
    """Returns a duration: tenths of a second up to a minute, then ``h:mm:ss``."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def format_time_limit(seconds: float) -> str:
    """Returns a duration rounded up, so as to tell a minute from an hour: ``20 s``, ``3 min``."""
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"


def format_count_of(number: float, noun: str) -> str:
    """Returns how many there are of something: ``1 flop``, ``1,755 flops``, ``70.50 combos``."""
    count = format_count(number)
    return f"{count} {noun}" if count == "1" else f"{count} {noun}s"


def format_signed(amount: float) -> str:
    """Returns a number with three decimals and its sign, which 0 has not."""
    text = f"{amount:+.3f}"
    return text[1:] if float(text) == 0.0 else text


def format_mbb(mbb: float) -> str:
    """Returns thousandths of a big blind with three digits that count: ``0.482``, ``12.3``."""
    return f"{mbb:.3g}" if mbb < 999.5 else f"{mbb:,.0f}"


def json_numbers(array: AnyArray) -> Any:
    """Returns an array of any shape as nested lists, with None where a number is undefined."""
    if array.ndim > 1:
        return [json_numbers(row) for row in array]
    return [json_number(value) for value in array.tolist()]


def format_json(document: Json) -> str:
    """Returns one JSON object: a line for each key, so that large tables stay readable."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in document.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"
