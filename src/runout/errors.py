"""The error family: everything a user can cause, always as *where: what came, what is allowed*.

The command line shows these as one line and exits with code 2; any other exception is a defect
of ours and keeps its traceback.
"""

from collections.abc import Iterable
from typing import Any

_MAX_QUOTED_CHARACTERS = 60
_MAX_SHOWN_CHARACTERS = 300


def short_repr(value: Any) -> str:
    """Returns a dataclass as it would be made: only fields that differ from their defaults."""
    fields = [field for field in value.__dataclass_fields__.values() if field.repr]
    given = {field.name: getattr(value, field.name) for field in fields}
    changed = [field.name for field in fields if given[field.name] != field.default]
    shown = ", ".join(
        f"{name}={getattr(given[name], '__qualname__', repr(given[name]))}" for name in changed
    )
    return f"{type(value).__name__}({shown})"


def quote(value: object) -> str:
    """Returns what came as Python writes it, cut if it is long."""
    text = repr(value[: _MAX_QUOTED_CHARACTERS + 1] if isinstance(value, str) else value)
    if len(text) <= _MAX_QUOTED_CHARACTERS + 2:
        return text
    return text[:_MAX_QUOTED_CHARACTERS] + "..."


def shorten(text: str) -> str:
    """Returns a text that others wrote, cut if it is long."""
    is_short = len(text) <= _MAX_SHOWN_CHARACTERS
    return text if is_short else text[:_MAX_SHOWN_CHARACTERS] + "..."


def one_line(text: str) -> str:
    """Returns a text in which line ends and what no terminal should see are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def suggest(word: object, choices: Iterable[str], cutoff: float = 0.5) -> str:
    """Returns ``, did you mean ...?`` with the choice nearest to a word, empty if none is near."""
    if not isinstance(word, str):
        return ""
    from difflib import get_close_matches

    # Dashes before options say nothing: --hero is not near to --help.
    options, bare = {choice.lstrip("-"): choice for choice in choices}, word.lower().lstrip("-")
    # A part of a name comes first: "sprs" means postflop_sprs, though "preset" looks more like it.
    matches = sorted((o for o in options if bare in o and len(bare) > 2), key=len)
    matches = matches or get_close_matches(bare, options, 1, cutoff)
    return f", did you mean {options[matches[0]]}?" if matches else ""


class RunoutError(Exception):
    """Base of all errors that a user can cause and correct; the text is one line.

    >>> import runout
    >>> try:
    ...     runout.Range("AKx")
    ... except runout.RunoutError as error:
    ...     print(error)
    'AKx': 'x' is neither s (suited) nor o (offsuit)

    Attributes:
        where: the token, argument, file or config path at fault.
        problem: what came and what is allowed.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)  # both, so that errors can be pickled between processes
        self.where = where
        self.problem = problem

    def __str__(self) -> str:
        return one_line(f"{self.where}: {self.problem}")


class CardError(RunoutError):
    """A card, hand, board or hand class that does not exist: unreadable, repeated, too long."""


class RangeError(RunoutError):
    """A range string that cannot be read, or a range with nothing left in it."""


class FlopListError(RunoutError):
    """A list of flops that cannot be made: too long, empty, repeated or not shipped."""


class AbstractionError(RunoutError):
    """Buckets that cannot be made or used: features, boundaries or numbers at fault."""


class TreeError(RunoutError):
    """A betting tree that cannot be built or read: sizes, rules, stakes or a path at fault."""


class ConfigError(RunoutError):
    """A config file that cannot be read, or a key or value in it that is not allowed."""


class TableError(RunoutError):
    """A data file that is missing, damaged or not what it claims to be."""


class FormatError(RunoutError):
    """A file of another program that cannot be read, or says what no config of ours can say."""


class ExecutionError(RunoutError):
    """A way of running work that this machine cannot offer."""


class OptionError(RunoutError):
    """An option whose value is out of range, or that cannot go with another one."""


class BundleError(RunoutError):
    """A stored result that is missing, damaged, of another kind, or cannot be written."""
