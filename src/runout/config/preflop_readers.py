"""Readers of the preflop keys that take more than one form.

Each takes a value as YAML has it and returns what the config keeps, or raises the problem with the
path from the key to the part at fault.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from runout.config.section import as_number, problem_at, show_value, suggest
from runout.config.yaml_text import join_path
from runout.errors import TreeError
from runout.trees.preflop_sizing import SizesByDepth, format_preflop_size, parse_sizes_by_depth

POSITION_KEYS = ("sb", "bb")

_MAX_STACK_BB = 100_000  # more than any table has, and far from the limits of float32
_FORMS = "write [[2.5bb], [3x], [allin]] or {sb: ..., bb: ...}"


class SizesByPosition(NamedTuple):
    """The raise sizes of both players, by raise depth; the last depth serves all deeper ones."""

    sb: SizesByDepth
    bb: SizesByDepth


def read_stacks(value: Any) -> tuple[float, float]:
    """Reads one stack for both players, or a list of the small and the big blind's."""
    is_list = isinstance(value, list | tuple)
    if is_list and len(value) != 2:
        count = f"{len(value)} stack{'' if len(value) == 1 else 's'}"
        raise problem_at("", f"{count} given, write one number or [sb, bb]")
    stacks = []
    for position, entry in enumerate(value if is_list else [value]):
        stack = as_number(entry)
        if stack is None or stack <= 0.0:
            problem = f"{show_value(entry)} is not a positive number of big blinds"
            raise problem_at(f"[{position}]" if is_list else "", problem)
        if stack > _MAX_STACK_BB:
            problem = f"{show_value(entry)} is more than {_MAX_STACK_BB:,} big blinds"
            raise problem_at(f"[{position}]" if is_list else "", problem)
        stacks.append(stack)
    return stacks[0], stacks[-1]


def plain_stacks(stacks: tuple[float, float]) -> Any:
    """Returns stacks as YAML has them: one number if they are equal."""
    return stacks[0] if stacks[0] == stacks[1] else list(stacks)


def read_position_sizes(value: Any) -> SizesByPosition:
    """Reads raise sizes by depth, for both players or as a mapping of ``sb`` and ``bb``."""
    if isinstance(value, SizesByPosition):
        return value
    if not isinstance(value, Mapping):
        both = _read_depths(value, "")
        return SizesByPosition(both, both)
    for key in value:
        if key not in POSITION_KEYS:
            problem = f"unknown key{suggest(key, POSITION_KEYS) or ', give sb and bb'}"
            raise problem_at(f".{join_path('', str(key))}", problem)
    for key in POSITION_KEYS:
        if key not in value:
            raise problem_at("", f"{key} is missing, give sb and bb")
    return SizesByPosition(*(_read_depths(value[key], f".{key}") for key in POSITION_KEYS))


def _read_depths(value: Any, suffix: str) -> SizesByDepth:
    if not isinstance(value, str | list | tuple):
        raise problem_at(suffix, f"{show_value(value)} is not a list by raise depth, {_FORMS}")
    if not isinstance(value, str):
        for depth, entry in enumerate(value):
            _check_size(entry, f"{suffix}[{depth}]")
    try:
        return parse_sizes_by_depth(value, suffix)
    except TreeError as error:
        raise problem_at(error.where, error.problem) from error


def _check_size(value: Any, suffix: str, *, is_list_allowed: bool = True) -> None:
    """Refuses what YAML may hold and the language of sizes does not know."""
    if is_list_allowed and isinstance(value, list | tuple):
        for position, entry in enumerate(value):
            _check_size(entry, f"{suffix}[{position}]", is_list_allowed=False)
    elif as_number(value) is not None:
        problem = f"{show_value(value)} has no unit, write {value}bb for big blinds"
        raise problem_at(suffix, problem)
    elif value is None or isinstance(value, bool | float | int | list | tuple | Mapping):
        raise problem_at(suffix, f"{show_value(value)} is not a raise size such as 2.5bb")


def plain_position_sizes(sizes: SizesByPosition) -> Any:
    """Returns raise sizes as YAML has them: one list if both players have the same."""
    if sizes.sb == sizes.bb:
        return _plain_depths(sizes.sb)
    return {"sb": _plain_depths(sizes.sb), "bb": _plain_depths(sizes.bb)}


def digest_position_sizes(sizes: SizesByPosition) -> dict[str, list[list[str]]]:
    """Returns raise sizes such that two choices with the same trees have the same."""
    return {"sb": _digest_depths(sizes.sb), "bb": _digest_depths(sizes.bb)}


def _plain_depths(depths: SizesByDepth) -> list[list[str]]:
    return [[format_preflop_size(size) for size in depth] for depth in depths]


def _digest_depths(depths: SizesByDepth) -> list[list[str]]:
    # A menu is a set, and the last one serves all deeper raises; without any there are no raises.
    menus = [sorted({format_preflop_size(size) for size in depth}) for depth in depths] or [[]]
    while len(menus) > 1 and menus[-1] == menus[-2]:
        menus.pop()
    return menus
