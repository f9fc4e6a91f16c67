"""Bet sizes as a config gives them: one list, or lists by street, by player, or by both."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from runout.config.section import as_number, problem_at, show_value, suggest
from runout.config.yaml_text import join_path
from runout.errors import TreeError
from runout.trees.bet_sizing import BetSize, ChipAmount, format_bet_size, parse_bet_sizes

STREET_KEYS = ("flop", "turn", "river")
PLAYER_KEYS = ("oop", "ip")

#: Raises of a street, or before the flop, that a config can ask for: far more than stacks allow.
MOST_RAISES = 100


class SizeTable(Mapping[str, "SizeChoice"]):
    """Sizes by street or by player, as given; cannot be changed."""

    def __init__(self, choices: "Mapping[str, SizeChoice]") -> None:
        self._choices = dict(choices)

    def __getitem__(self, key: str) -> "SizeChoice":
        return self._choices[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __hash__(self) -> int:
        return hash(frozenset(self._choices.items()))

    def __repr__(self) -> str:
        return repr(self._choices)


SizeChoice: TypeAlias = tuple[float | str, ...] | SizeTable


def read_sizes(
    value: Any, *, for_raises: bool, of_spot: bool = False, suffix: str = ""
) -> SizeChoice:
    """Reads a list of sizes, or a mapping from streets or players to them.

    Args:
        value: as YAML has it; numbers are pot fractions, texts are in the language of
            `runout.trees.bet_sizing`.
        for_raises: whether multiples of the last bet are allowed.
        of_spot: whether they are those of one spot: chips mean something there, nobody has to bet,
            and streets before the board may be left out.
        suffix: path from the key to the value, for errors.

    Raises:
        PydanticCustomError: naming the first part that cannot be read.
    """
    if not isinstance(value, Mapping):
        return _read_list(value, suffix, for_raises=for_raises, of_spot=of_spot)
    keys = STREET_KEYS if not suffix and not set(value) & set(PLAYER_KEYS) else PLAYER_KEYS
    allowed = " and ".join((", ".join(keys[:-1]), keys[-1]))
    for key in value:
        if key not in keys:
            problem = f"unknown key{suggest(key, keys) or f', give {allowed}'}"
            raise problem_at(f"{suffix}.{join_path('', str(key))}", problem)
    given = [key for key in keys if key in value]
    may_leave_out = of_spot and keys == STREET_KEYS and given
    for key in keys:
        if key not in given and not may_leave_out:
            raise problem_at(suffix, f"{key} is missing, give {allowed}")
    children = {}
    for key in given:
        child = value[key]
        if isinstance(child, Mapping) and keys == PLAYER_KEYS:
            problem = f"{show_value(child)} is not a list of bet sizes, write [0.5, 1.0]"
            raise problem_at(f"{suffix}.{key}", problem)
        children[key] = read_sizes(
            child, for_raises=for_raises, of_spot=of_spot, suffix=f"{suffix}.{key}"
        )
    return SizeTable(children)


def _read_list(
    value: Any, suffix: str, *, for_raises: bool, of_spot: bool
) -> tuple[float | str, ...]:
    if isinstance(value, str):
        value = value.split(",") if value.strip() else []
    if not isinstance(value, list | tuple):
        problem = f"{show_value(value)} is not a list of bet sizes, write [0.5, 1.0]"
        raise problem_at(suffix, problem)
    if not value and not of_spot:
        raise problem_at(suffix, "empty, give at least one bet size ('a' for all-in only)")
    for position, entry in enumerate(value):
        if not isinstance(entry, str) and as_number(entry) is None:
            problem = f"{show_value(entry)} is not a positive pot fraction or a text such as '33%'"
            raise problem_at(f"{suffix}[{position}]", problem)
    try:
        sizes = parse_bet_sizes(value, suffix, for_raises=for_raises, allow_empty=of_spot)
    except TreeError as error:
        raise problem_at(error.where, error.problem) from error
    for position, size in enumerate(sizes):
        if isinstance(size, ChipAmount) and not of_spot:
            problem = f"{format_bet_size(size)!r} is in chips, but the pot is 1 here: write '50%'"
            raise problem_at(f"{suffix}[{position}]", problem)
    return tuple(
        format_bet_size(size) if isinstance(entry, str) else float(entry)
        for entry, size in zip(value, sizes, strict=True)
    )


def sizes_at(
    choice: SizeChoice, street: str, player: str, *, for_raises: bool
) -> tuple[BetSize, ...]:
    """Returns the sizes of a player (``oop``, ``ip``) on a street (``flop``, ...)."""
    while isinstance(choice, SizeTable):
        choice = choice[street] if street in choice else choice[player]
    return parse_bet_sizes(choice, for_raises=for_raises, allow_empty=True)


def plain_sizes(choice: SizeChoice | None) -> Any:
    """Returns a choice as lists and dictionaries."""
    if isinstance(choice, SizeTable):
        return {key: plain_sizes(child) for key, child in choice.items()}
    return None if choice is None else list(choice)


def all_sizes(choice: SizeChoice | None, path: str = "") -> Iterator[tuple[str, float | str]]:
    """Yields every size with its path from the key."""
    if isinstance(choice, SizeTable):
        for key, child in choice.items():
            yield from all_sizes(child, f"{path}.{key}")
    else:
        for position, size in enumerate(choice or ()):
            yield f"{path}[{position}]", size
