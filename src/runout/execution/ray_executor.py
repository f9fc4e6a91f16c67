"""Tasks and shards on the machines of a Ray cluster, or on one that is started for the occasion.

Ray places work where there are cores and memory, and says when a worker or a machine is gone. What
is done stands in the ledger, on a directory that all machines share; nothing but events,
and reach and values of shards, travels through Ray.
"""

import math
import os
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from runout.errors import ExecutionError, shorten
from runout.events import Event, EventSink
from runout.execution.pool import choose_num_workers
from runout.execution.processes import throttled
from runout.execution.tasks import (
    CancelToken,
    ShardGroup,
    ShardHost,
    ShardJob,
    Task,
    TaskEnd,
    Work,
    Worker,
    WorkerLostError,
    map_side_by_side,
)

_SECONDS_TO_START = 120.0
_SECONDS_TO_ANSWER = 5.0
_BYTES_PER_GB = 1e9


@contextmanager
def opening_ray(address: str | None, num_workers: int | None) -> Iterator["RayExecutor"]:
    """Yields an executor on a cluster, by default of all its cores.

    The address is host and port of the head; None for the cluster of this machine, or a new one of
    its cores, which ends with the block.
    """
    choose_num_workers(num_workers)
    is_open = ray.is_initialized()
    if not is_open:
        _connect(address, num_workers)
    try:
        yield RayExecutor(num_workers)
    finally:
        if not is_open:
            ray.shutdown()


def _connect(address: str | None, num_workers: int | None) -> None:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # silences a notice of Ray
    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        if address is not None:  # Ray itself would wait for minutes for a closed port
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()
        ray.init(address=address or "auto", **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        if address is not None:
            problem = f"no Ray cluster answers at {address} ({shorten(str(error))})"
            raise ExecutionError(f"--executor ray:{address}", problem) from error
        cores = choose_num_workers(num_workers)
        ray.init(address="local", num_cpus=cores, include_dashboard=False, **quiet)


class _EventQueue:
    """Keeps events of workers for the console."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def put(self, event: Event) -> None:
        self._events.append(event)

    def drain(self) -> list[Event]:
        events, self._events = self._events, []
        return events


def _carry_out(work: Work, task: Task[Any], event_queue: Any) -> None:
    work(task, Worker(on_event=throttled(event_queue.put.remote)))


class _ShardActor(ShardHost):
    """A shard in a process of the cluster."""

    def __init__(self, event_queue: Any) -> None:
        super().__init__(Worker(on_event=throttled(event_queue.put.remote)))


class _ActorHost(NamedTuple):
    """The way to a shard of the cluster; see `RemoteHost`."""

    actor: Any

    def call(self, method: str, *arguments: Any) -> "Future[Any]":
        return _as_future(self.actor.answer.remote(method, *arguments))

    def close(self) -> None:
        ray.kill(self.actor)


# As calls and not as decorators, which have no types where Ray is not installed. The context, which
# knows the ledger, tries lost tasks again, and not Ray.
_remote_event_queue: Any = ray.remote(num_cpus=0)(_EventQueue)
_remote_work: Any = ray.remote(max_retries=0)(_carry_out)
_remote_shard: Any = ray.remote(max_restarts=0)(_ShardActor)


class RayExecutor:
    """Works on tasks wherever the cluster has room; each has a core, and its memory reserved."""

    name = "ray"
    is_here = False

    def __init__(self, num_workers: int | None = None) -> None:
        """Takes the cluster that this process is connected with, and by default all its cores."""
        self._given = num_workers

    @property
    def num_workers(self) -> int:
        """The maximum number of tasks at a time."""
        return self._given or max(int(ray.cluster_resources().get("CPU", 1)), 1)

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields the ends of tasks; see `Executor`."""
        event_queue, kept = _open_event_queue(), ray.put(work)
        under_way: list[Any] = []

        def begin(task: Task[Any]) -> Future[None]:
            try:
                needs = _reserve(task.memory_bytes)
            except ExecutionError as error:
                refused: Future[None] = Future()
                refused.set_exception(error)
                return refused
            reference = _remote_work.options(**needs).remote(kept, task, event_queue)
            under_way.append(reference)
            return _as_future(reference)

        def stop() -> None:
            while under_way:
                ray.cancel(under_way.pop(), force=True)  # no harm if it is over

        # Memory is the cluster's business.
        look = partial(_pass_on, event_queue, on_event)
        return map_side_by_side(
            begin, tasks, lambda: self.num_workers, cancel, look=look, stop=stop
        )

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> ShardGroup:
        """Starts an actor for each part, on as many machines as there are; see `Executor`."""
        cores = int(ray.cluster_resources().get("CPU", 0))
        if len(parts) > cores:
            problem = f"{len(parts)} shards need as many cores, the cluster has {cores}"
            raise ExecutionError("--workers", problem)
        event_queue, hosts = _open_event_queue(), []
        for part in parts:
            needs = _reserve(job.memory_bytes(part))
            options = _remote_shard.options(scheduling_strategy="SPREAD", **needs)
            hosts.append(_ActorHost(options.remote(event_queue)))
        deadline = time.monotonic() + _SECONDS_TO_START

        def look() -> None:
            _pass_on(event_queue, on_event)
            if time.monotonic() > deadline:
                raise ExecutionError("--executor ray", "the cluster has no room for all shards")

        group = ShardGroup(job, parts, hosts, look)
        deadline = math.inf
        return group


def _open_event_queue() -> Any:
    """Returns an event queue on this machine, which lives as long as the run."""
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return _remote_event_queue.options(scheduling_strategy=here).remote()


def _pass_on(event_queue: Any, on_event: EventSink) -> None:
    for event in ray.get(event_queue.drain.remote()):
        on_event(event)


def _reserve(memory_bytes: int) -> dict[str, int]:
    """Returns what a task or shard reserves; refuses what no machine of the cluster has."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    largest = max((node.get("memory", 0.0) for node in nodes), default=0.0)
    if memory_bytes > largest:
        needed, most = memory_bytes / _BYTES_PER_GB, largest / _BYTES_PER_GB
        problem = f"needs {needed:.1f} GB, the largest machine of the cluster has {most:.1f} GB"
        raise ExecutionError("memory", problem)
    return {"num_cpus": 1, "memory": memory_bytes} if memory_bytes else {"num_cpus": 1}


def _as_future(reference: Any) -> "Future[Any]":
    """Returns what a reference is going to be, with errors as other executors tell them."""
    answer: Future[Any] = Future()

    def settle(done: "Future[Any]") -> None:
        error = done.exception()
        if error is None:
            answer.set_result(done.result())
        elif isinstance(error, RayTaskError):
            answer.set_exception(error.cause or error)
        elif isinstance(error, RayError):
            first_line = next(iter(str(error).strip().splitlines()), type(error).__name__)
            answer.set_exception(WorkerLostError(shorten(first_line)))
        else:
            answer.set_exception(error)

    reference.future().add_done_callback(settle)
    return answer
