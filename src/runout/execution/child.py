"""A process that carries out calls for another one.

Both talk through the child's standard streams, in pickles: calls and the wish to end come in,
events and answers go out. When the parent is gone, however it ended, so is the child.
"""

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from runout.events import Event, FlopSolving, PhaseAdvanced, PreflopSolving, SpotSolving
from runout.execution.cancel import CancelToken
from runout.execution.tasks import Worker

_SECONDS_BETWEEN_EVENTS = 0.1


class Call(NamedTuple):
    """What the parent wants done: ``function(desk, *arguments)``."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Cancel(NamedTuple):
    """The parent wants the call under way to end."""


class Answer(NamedTuple):
    """What a call returned, or raised."""

    value: Any
    error: BaseException | None


class Desk:
    """What a child has to work with, and what it keeps from call to call.

    Attributes:
        worker: threads, events and token of the call under way.
        kept: whatever calls leave for later ones, by name.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.kept: dict[str, Any] = {}


class EventThrottle:
    """Passes events on, but of the steps of a piece of work only a few a second."""

    def __init__(self, send: Callable[[Event], None]) -> None:
        self._send = send
        self._last: dict[object, float] = {}

    def on_event(self, event: Event) -> None:
        """Passes an event on, unless another step of the same work was told just now."""
        match event:
            case FlopSolving():
                is_last = event.is_converged or event.iteration >= event.max_iterations
                key: object = (event.flop, event.spr, event.round)
            case PhaseAdvanced():
                is_last, key = event.done >= event.total, (event.phase, event.place)
            case PreflopSolving() | SpotSolving():
                is_last, key = event.iteration >= event.max_iterations, type(event)
            case _:
                self._send(event)
                return
        now = time.monotonic()
        if is_last or now - self._last.get(key, -1.0) >= _SECONDS_BETWEEN_EVENTS:
            self._last[key] = now
            self._send(event)


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Carries out calls until the parent is gone."""
    from runout.jit import reporting_compilation

    calls: SimpleQueue[Call] = SimpleQueue()
    sending, cancels = threading.Lock(), _Cancels()

    def send(message: Event | Answer) -> None:
        with sending:
            pickle.dump(message, outgoing)
            outgoing.flush()

    def listen() -> None:
        while True:
            try:
                message = pickle.load(incoming)
            except EOFError:
                os._exit(0)  # whatever is under way, nobody waits for it
            if isinstance(message, Cancel):
                cancels.token.set()
            else:
                calls.put(message)

    threading.Thread(target=listen, daemon=True).start()
    desk = Desk(Worker())
    with reporting_compilation(send):
        while True:
            call = calls.get()
            cancels.token = CancelToken()
            on_event = EventThrottle(send).on_event
            desk.worker = Worker(1, None, on_event, cancels.token)
            send(_carry_out(call, desk))


class _Cancels:
    """The token of the call under way."""

    def __init__(self) -> None:
        self.token = CancelToken()


def _carry_out(call: Call, desk: Desk) -> Answer:
    try:
        return Answer(call.function(desk, *call.arguments), None)
    except BaseException as error:  # told to the parent
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an error that cannot travel
            return Answer(None, RuntimeError(repr(error)))
        return Answer(None, error)


def main() -> None:
    """Serves the process at the other end of the standard streams."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whoever prints must not get between the messages
    serve(sys.stdin.buffer, outgoing)
