"""The executor that a text names, for as long as it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager

from runout.errors import ExecutionError, quote
from runout.execution.executor import Executor
from runout.execution.processes import ProcessExecutor
from runout.execution.threads import ThreadExecutor

EXECUTORS = ("threads", "processes", "ray", "ray://ADDRESS")

_MISSING = "needs Ray, which is not installed; pip install 'runout[dist]' adds it"

_RAY = "ray"
_ADDRESS = "ray://"


@contextmanager
def opening_executor(text: str, num_workers: int | None = None) -> Iterator[Executor]:
    """Yields the executor that ``--executor`` names; its workers end with the block.

    Args:
        text: ``threads``, ``processes``, ``ray``, or ``ray://`` and the address of a head.
        num_workers: how many tasks at a time; by default the number of cores, of Ray's cluster
            those that it has.

    Raises:
        ExecutionError: if there is no such executor, or it cannot be had here.
    """
    if text == ThreadExecutor.name:
        yield ThreadExecutor(num_workers)
    elif text == ProcessExecutor.name:
        processes = ProcessExecutor(num_workers)
        try:
            yield processes
        finally:
            processes.close()
    elif text == _RAY or (text.startswith(_ADDRESS) and text != _ADDRESS):
        try:
            from runout.execution.ray_executor import opening_ray
        except ImportError:
            raise ExecutionError("--executor ray", _MISSING) from None
        with opening_ray(text.removeprefix(_RAY).removeprefix("://") or None, num_workers) as ray:
            yield ray
    else:
        raise ExecutionError("--executor", f"{quote(text)} is not {', '.join(EXECUTORS)}")
