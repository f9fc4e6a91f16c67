"""What two configs differ in, for the refusal to mix their results."""

from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST_SHOWN_LIST = 8
_NOTHING = "missing"


def list_differences(
    found: Mapping[str, Any], wanted: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    """Yields the keys whose values differ, with both: ``raise_cap is 3 there and 4 here``."""
    for key in [*found, *(key for key in wanted if key not in found)]:
        there, here = found.get(key, _NOTHING), wanted.get(key, _NOTHING)
        if isinstance(there, Mapping) and isinstance(here, Mapping):
            yield from list_differences(there, here, f"{where}{key}.")
        elif there != here:
            yield f"{where}{key} is {_show(there)} there and {_show(here)} here"


def _show(value: Any) -> str:
    if isinstance(value, list) and len(value) > _LONGEST_SHOWN_LIST:
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return "given"
    return str(value)
