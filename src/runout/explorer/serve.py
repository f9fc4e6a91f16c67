"""The server as a process: where it listens, and until when."""

import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from runout.errors import ExecutionError

DEFAULT_PORT = 8417

#: Names under which loopback is asked for.
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_ANY_ADDRESS = ("0.0.0.0", "::", "")
_NUM_PORTS_TRIED = 20
_MAX_HEADER_BYTES = 16 * 1024


@dataclass(frozen=True)
class Listener:
    """A socket that waits for requests.

    Attributes:
        socket: what uvicorn takes over.
        host: as it was given.
        port: the one that was free.
    """

    socket: socket.socket
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can ask."""
        return self.host in LOOPBACK_NAMES

    @property
    def names(self) -> frozenset[str]:
        """Names under which it may be asked for; none for any, where it listens everywhere."""
        if self.is_loopback:
            return LOOPBACK_NAMES
        return frozenset() if self.host in _ANY_ADDRESS else frozenset({self.host.lower()})

    def url(self, token: str = "") -> str:
        """Returns the address for a browser."""
        name = socket.gethostname() if self.host in _ANY_ADDRESS else self.host
        shown = f"[{name}]" if ":" in name else name
        return f"http://{shown}:{self.port}/" + (f"?token={token}" if token else "")


def listen(host: str, port: int | None) -> Listener:
    """Binds a port: the given one, or the first that is free from the usual one on.

    Raises:
        ExecutionError: if the address is not one of this machine, or the port is taken.
    """
    first = DEFAULT_PORT if port is None else port
    candidates = range(first, first + (_NUM_PORTS_TRIED if port is None else 1))
    problem = ""
    for candidate in candidates:
        try:
            return _bind(host, candidate)
        except OSError as error:
            problem = error.strerror or str(error)
    raise ExecutionError(f"{host}:{first}", f"cannot be listened to ({problem})")


def _bind(host: str, port: int) -> Listener:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.create_server((host, port), family=family)
    return Listener(bound, host, int(bound.getsockname()[1]))


def run_until_stopped(
    app: FastAPI, listener: Listener, on_started: Callable[[], None] | None = None
) -> None:
    """Serves until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=3,
    )
    server = uvicorn.Server(config)
    if on_started is not None:
        on_started()
    try:
        server.run(sockets=[listener.socket])
    except KeyboardInterrupt:
        pass
    finally:
        listener.socket.close()
