"""Tasks and shards in processes of this machine; one that is killed is replaced.

Parent and child talk through the child's standard streams, in pickles: calls and the wish to end
come in, events and answers go out. When the parent is gone, however it ended, so is the child. The
pools of Python and loky lose everything that is under way when one of their processes dies.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, NamedTuple

from runout.events import Event, EventSink, FlopSolving, GameSolving, PhaseAdvanced
from runout.execution.pool import WorkerPool, choose_num_workers
from runout.execution.tasks import (
    START,
    CancelToken,
    ShardGroup,
    ShardHost,
    ShardJob,
    Task,
    TaskEnd,
    Work,
    Worker,
    WorkerLostError,
    gather,
    map_on_threads,
)

_SECONDS_BETWEEN_EVENTS = 0.1


#: The arguments of `ShardHost.answer`; None if the parent wants the call under way to end.
Call = tuple[Any, ...] | None


class Answer(NamedTuple):
    """What a call returned, or raised."""

    value: Any
    error: BaseException | None = None


def throttled(send: EventSink) -> EventSink:
    """Returns a sink that passes events on, but of the steps of some work only a few a second."""
    last: dict[object, float] = {}

    def on_event(event: Event) -> None:
        match event:
            case FlopSolving():
                is_last = event.is_converged or event.iteration >= event.max_iterations
                key: object = (event.flop, event.spr, event.round)
            case PhaseAdvanced():
                is_last, key = event.done >= event.total, (event.phase, event.place)
            case GameSolving():
                is_last, key = event.iteration >= event.max_iterations, type(event)
            case _:
                send(event)
                return
        now = time.monotonic()
        if is_last or now - last.get(key, -1.0) >= _SECONDS_BETWEEN_EVENTS:
            last[key] = now
            send(event)

    return on_event


def main() -> None:
    """Carries out calls of the process at the other end of the standard streams until it ends."""
    from runout.jit import reporting_compilation

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints must not get between the messages
    calls: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    sending = threading.Lock()

    def send(message: Event | Answer) -> None:
        with sending:
            try:
                pickle.dump(message, outgoing)
                outgoing.flush()
            except OSError:
                os._exit(0)  # the parent is gone

    def listen() -> None:
        while True:
            try:
                call: Call = pickle.load(incoming)
            except (EOFError, OSError, pickle.UnpicklingError):
                os._exit(0)  # the parent is gone, maybe in the middle of a call
            if call is None:
                worker.cancel.set()
            else:
                calls.put(call)

    worker = Worker(on_event=send)
    host = ShardHost(worker)
    threading.Thread(target=listen, daemon=True).start()
    with reporting_compilation(send):
        while True:
            call = calls.get()
            worker.cancel.clear()
            try:
                answer = Answer(host.answer(*call))
            except BaseException as error:  # raised again in the parent
                answer = Answer(None, error)
                try:
                    pickle.loads(pickle.dumps(error))
                except Exception:  # an error that cannot travel
                    answer = Answer(None, RuntimeError(repr(error)))
            send(answer)


_PROGRAM = "from runout.execution.processes import main; main()"
_SECONDS_TO_END = 10.0


class ChildProcess:
    """A process with a `ShardHost`, one call at a time; ``work`` is what it does with tasks."""

    def __init__(self, on_event: EventSink) -> None:
        """Starts it; ``on_event`` is told about what happens in it."""
        self.on_event = on_event
        self.work: Work | None = None
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for the parent
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._calls, self._messages = self._process.stdin, self._process.stdout
        self.pid = self._process.pid
        self._sending = threading.Lock()
        self._answer: Future[Any] = Future()
        self._loss: WorkerLostError | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def call(self, method: str, *arguments: Any) -> "Future[Any]":
        """Begins a call there; see `RemoteHost`."""
        self._answer = Future()
        self._send((method, *arguments))
        if self._loss is not None:
            self._fail(self._loss)
        return self._answer

    def cancel(self) -> None:
        """Asks for the end of the call under way."""
        self._send(None)

    def close(self) -> None:
        """Ends it."""
        with suppress(OSError):
            self._calls.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, message: Call) -> None:
        with self._sending, suppress(OSError, ValueError):  # gone, which the listener notices
            pickle.dump(message, self._calls)
            self._calls.flush()

    def _listen(self) -> None:
        try:
            while True:
                message = pickle.load(self._messages)
                if not isinstance(message, Answer):
                    self.on_event(message)
                elif message.error is not None:
                    self._answer.set_exception(message.error)
                else:
                    self._answer.set_result(message.value)
        except Exception:  # the stream has ended, maybe in the middle of a message
            code = self._process.wait()
            how = f"exit code {code}"
            if code < 0:
                with suppress(ValueError):
                    how = f"killed by {signal.Signals(-code).name}"
            self._loss = WorkerLostError(f"process {self.pid} has died, {how}")
            self._fail(self._loss)
        finally:
            self._messages.close()

    def _fail(self, loss: WorkerLostError) -> None:
        with suppress(Exception):  # answered before it died
            self._answer.set_exception(loss)


class _TaskShard(NamedTuple):
    """What a process carries out tasks with."""

    work: Work
    worker: Worker

    def carry_out(self, task: Task[Any]) -> None:
        self.work(task, replace(self.worker, on_event=throttled(self.worker.on_event)))


class ProcessExecutor:
    """Works on tasks in processes, one in each; they live until the executor is closed."""

    name = "processes"
    is_here = False

    def __init__(self, num_workers: int | None = None) -> None:
        """Takes a positive number of processes, by default one for each core; starts none yet."""
        self.num_workers = choose_num_workers(num_workers)
        self._idle: SimpleQueue[ChildProcess | None] = SimpleQueue()
        for _ in range(self.num_workers):
            self._idle.put(None)
        self.children: set[ChildProcess] = set()  # that live, or have died unnoticed

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields the ends of tasks; see `Executor`."""

        def carry_out(task: Task[Any]) -> None:
            idle = self._idle.get()
            try:
                child = idle = idle or ChildProcess(on_event)
                child.on_event = on_event
                self.children.add(child)

                def pass_on() -> None:  # more than once is no harm, it comes before the next call
                    if cancel.is_set():
                        child.cancel()

                if child.work is not work:
                    gather([child.call(START, _TaskShard, work)], pass_on)
                    child.work = work
                gather([child.call("carry_out", task)], pass_on)
            except WorkerLostError:
                self.children.discard(child)
                child.close()
                idle = None
                raise
            finally:
                self._idle.put(idle)

        return map_on_threads(carry_out, tasks, cancel, WorkerPool(self.num_workers))

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> ShardGroup:
        """Starts a process for each part; see `Executor`."""
        return ShardGroup(job, parts, [ChildProcess(on_event) for _ in parts])

    def close(self) -> None:
        """Ends all processes."""
        for child in list(self.children):
            child.close()
        self.children.clear()
