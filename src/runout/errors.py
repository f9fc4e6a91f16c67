"""The error family: everything a user can cause, always as *where: what came, what is allowed*.

The command line shows these as one line and exits with code 2; any other exception is a defect
of ours and keeps its traceback.
"""


class RunoutError(Exception):
    """Base of all errors that a user can cause and mend.

    Attributes:
        where: the token, argument, file or config path at fault.
        problem: what came and what is allowed.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)  # both, so that errors can be pickled between processes
        self.where = where
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class CardError(RunoutError):
    """A card, hand or board that does not exist: unreadable, repeated or of the wrong length."""


class RangeError(RunoutError):
    """A range string that cannot be read, or a range with nothing left in it."""


class FlopListError(RunoutError):
    """A list of flops that cannot be made: too long, empty, repeated or not shipped."""


class TreeError(RunoutError):
    """A betting tree that cannot be built or read: sizes, rules, stakes or a path at fault."""


class ConfigError(RunoutError):
    """A config file that cannot be read, or a key or value in it that is not allowed."""


class TableError(RunoutError):
    """A data file that is missing, damaged or not what it claims to be."""


class ExecutionError(RunoutError):
    """A way of running work that this machine cannot offer."""


class BundleError(RunoutError):
    """A stored result that is missing, damaged, of another kind, or cannot be written."""
