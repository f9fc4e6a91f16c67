"""The server of the page: an application that answers about found solutions and nothing else.

The page is served on loopback. Any web site that somebody visits could send requests there, under
a name of its own (by pointing it to 127.0.0.1) or across sites; so the name in ``Host`` must be
one of ours, and requests that browsers mark as coming from other sites are refused. Beyond
loopback a token is needed, once in the address and then as a cookie.
"""

import hmac
import logging
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

import uvicorn
from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from runout.cards.flops import GivenFlop
from runout.errors import BundleError, CardError, ExecutionError, RunoutError, TreeError
from runout.explorer.answers import (
    QUESTIONS,
    Encoded,
    Json,
    OpenedRuns,
    encode,
    json_bytes,
    summary_to_json,
)
from runout.explorer.api import PREFIX, make_api
from runout.explorer.jobs import Jobs, SolveJob, while_connected
from runout.explorer.library import FoundRun, Library
from runout.explorer.study import Study, add_study
from runout.solutions.preflop import SPOTS_FOLDER, PreflopSolution
from runout.trees.tree import FLOP

INDEX = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".LICENSE": "text/plain; charset=utf-8",
}


@cache
def static_files() -> dict[str, Encoded]:
    """Returns the page's files, by name; no others are served."""
    folder = Path(__file__).parent / "static"
    files = {}
    for place in folder.rglob("*"):
        if place.suffix in _TYPES:
            content, name = place.read_bytes(), place.relative_to(folder).as_posix()
            files[name] = encode(content, media_type=_TYPES[place.suffix])
    return files


#: Longest query and longest body, in bytes; paths of nodes have a few hundred, two ranges combo
#: by combo 50,000.
MAX_QUERY_BYTES = 2000
MAX_BODY_BYTES = 200_000

TOKEN_COOKIE = "runout_token"
#: Scripts of other sites cannot send this header without asking first, and nobody answers that.
OWN_HEADER = "X-Runout"

_SAFE_METHODS = ("GET", "HEAD")
_OWN_SITES = ("same-origin", "none")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

Next = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Guard:
    """What requests must look like.

    Attributes:
        hosts: names and addresses, without port, under which the server is asked for; none for
            any, which only goes with a token.
        token: what a client must know; empty on loopback.
    """

    hosts: frozenset[str]
    token: str = ""

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Refuses a request, or lets it through and adds headers to the answer."""
        refusal = self._refuse(request)
        method = request.method
        if method == "HEAD":  # is answered like GET, and the content left out by who sends it
            request.scope["method"] = "GET"
        try:
            response = refusal if refusal is not None else await call_next(request)
        except Exception:
            logging.getLogger("uvicorn.error").exception("a defect of runout")
            response = _refused(500, "server", "has a defect, its terminal tells which")
        request.scope["method"] = method
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return response

    def _refuse(self, request: Request) -> Response | None:
        if len(request.scope.get("query_string", b"")) > MAX_QUERY_BYTES:
            return _refused(414, "address", f"is longer than {MAX_QUERY_BYTES} characters")
        if self.hosts and _host_name(request.headers.get("host", "")) not in self.hosts:
            return _refused(403, "Host", "is not a name of this server")
        if not self._is_own_site(request):
            return _refused(403, "request", "comes from another site")
        if request.method not in _SAFE_METHODS and OWN_HEADER not in request.headers:
            return _refused(403, "request", f"has no header {OWN_HEADER}")
        if _body_length(request) > MAX_BODY_BYTES:
            return _refused(413, "request", f"has more than {MAX_BODY_BYTES} bytes")
        return self._ask_for_token(request) if self.token else None

    def _is_own_site(self, request: Request) -> bool:
        """Whether a browser says that the request comes from our page, or from the user."""
        site = request.headers.get("sec-fetch-site")
        # A link on another site may open the page itself; what the page shows stays ours.
        is_navigation = request.headers.get("sec-fetch-mode") == "navigate"
        is_api = request.url.path.startswith("/api/")
        is_page = is_navigation and request.method == "GET" and not is_api
        if site is not None and site not in _OWN_SITES and not is_page:
            return False
        origin = request.headers.get("origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")

    def _ask_for_token(self, request: Request) -> Response | None:
        given = request.query_params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), self.token.encode()):
            rest = [pair for pair in parse_qsl(request.url.query) if pair[0] != "token"]
            target = request.url.path + (f"?{urlencode(rest)}" if rest else "")
            response = RedirectResponse("/" + target.lstrip("/"), status_code=303)
            response.set_cookie(TOKEN_COOKIE, self.token, httponly=True, samesite="strict")
            return response
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        for known in (request.cookies.get(TOKEN_COOKIE, ""), bearer):
            if hmac.compare_digest(known.encode(), self.token.encode()):
                return None
        return _refused(401, "token", "is missing, open the address that `runout explore` printed")


def _host_name(host: str) -> str:
    """Returns a host without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[").lower()
    return host.partition(":")[0].lower()


def _body_length(request: Request) -> int:
    """Returns how long a body says it is; one that does not say so is too long."""
    length = request.headers.get("content-length")
    if length is None:
        return MAX_BODY_BYTES + 1 if "transfer-encoding" in request.headers else 0
    return int(length) if length.isascii() and length.isdigit() else MAX_BODY_BYTES + 1


def _refused(status: int, where: str, problem: str) -> Response:
    return JSONResponse({"where": where, "problem": problem}, status)


#: Longest path of a node, in characters.
MAX_PATH = 400

_PAGES = ("/", "/new", "/t/{run}", "/p/{run}", "/s/{run}", "/f/{run}", "/d")
_STATUS = {TreeError: 404, CardError: 404, BundleError: 422, ExecutionError: 409}
_MAX_ESTIMATE_SECONDS = 300.0  # kernels may have to be compiled

Argument = Annotated[str, Query(max_length=MAX_PATH)]


class SpotQuestion(BaseModel):
    """A flop (``board``) behind a line (``node``) of a preflop solution (``run``, its id)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run: str = Field(max_length=200)
    node: str = Field(max_length=MAX_PATH)
    board: str = Field(max_length=20)


@dataclass(frozen=True, eq=False)
class Explorer:
    """What the routes work with; without jobs no solve may be started."""

    library: Library
    jobs: Jobs | None = None
    opened: OpenedRuns = field(default_factory=OpenedRuns)

    @cached_property
    def study(self) -> Study | None:
        """What users keep besides solutions; none where no solve may be started."""
        return None if self.jobs is None else Study(self.library)

    def list_runs(self) -> Json:
        """Returns all solutions, each with how well it is solved, or why it cannot be opened."""
        found = self.library.look().values()
        # Flops of a report are found from it.
        listed = {"runs": [self._summary(each) for each in found if not each.report]}
        return listed | ({} if self.study is None else self.study.marks(self.library.runs))

    def _summary(self, found: FoundRun) -> Json:
        problem = found.problem
        if not problem:
            try:
                return self.opened.summarize(found)
            except RunoutError as error:
                problem = _without_path(error, found).problem
        return summary_to_json(found, None, problem)

    def answer(self, question: str, run: str, argument: str) -> Encoded:
        """Returns an answer."""
        found = self.library.get(run)
        try:
            opened = self.opened.get(found)
            return opened.get_answer(question, argument, self.jobs is not None)
        except RunoutError as error:
            raise _without_path(error, found) from error

    def spot_arguments(self, question: SpotQuestion) -> tuple[list[str], Path]:
        """Returns what a job is given for a flop behind a line, and where it writes."""
        if self.jobs is None:
            raise ExecutionError("job", "solves are only started for this machine itself")
        opened = self.opened.get(self.library.get(question.run))
        if not isinstance(opened.solution, PreflopSolution):
            raise TreeError("job", f"{opened.found.name} is no preflop solution")
        tree = opened.solution.tree
        leaf = tree.find_node(question.node)
        if tree.leaf_kind[leaf] != FLOP:
            raise TreeError("job", "no flop is dealt at this node")
        line, board = tree.path(leaf), GivenFlop.parse(question.board).name
        path = opened.found.path
        folder = path.parent if path == opened.found.bundle else path  # of the run
        output = folder / SPOTS_FOLDER / f"{line}:{board}".replace(":", "-")
        return ["--from", str(path), "--node", line, "--board", board], output

    def job_to_json(self, job: SolveJob) -> Json:
        """Returns how a job stands, with the id of what it has solved once it is there."""
        document = job.to_json() | {"run": None}
        if job.state in ("done", "stopped") and job.ended is not None:
            for found in self.library.look().values():
                if found.path == job.output:
                    document["run"] = found.id
        return document


def make_app(explorer: Explorer, guard: Guard) -> FastAPI:
    """Returns the application."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.middleware("http")(guard)

    @app.exception_handler(RunoutError)
    async def refuse(request: Request, error: RunoutError) -> Response:
        return _refused(_STATUS.get(type(error), 400), error.where, error.problem)

    @app.exception_handler(RequestValidationError)
    async def refuse_input(request: Request, error: RequestValidationError) -> Response:
        return _refused(422, "request", "is too long or not understood")

    app.mount(PREFIX, make_api(explorer, dict(app.exception_handlers)))
    _add_pages(app)
    _add_answers(app, explorer)
    if explorer.jobs is not None and explorer.study is not None:
        _add_jobs(app, explorer, explorer.jobs)
        add_study(app, explorer.study, explorer.jobs, explorer.job_to_json)
    return app


def _add_pages(app: FastAPI) -> None:
    files = static_files()

    def index(request: Request) -> Response:
        return _send(request, files[INDEX])

    @app.get("/static/{name:path}")
    def static(request: Request, name: str) -> Response:
        if name not in files:
            return _refused(404, "file", "there is none of this name")
        return _send(request, files[name])

    for page in _PAGES:
        app.get(page)(index)


def _add_answers(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/api/runs")
    def list_runs(request: Request) -> Response:
        return _send(request, encode(json_bytes(explorer.list_runs())))

    def make_route(question: str) -> Callable[..., Response]:
        def ask(request: Request, run: str, n: Argument = "") -> Response:
            return _send(request, explorer.answer(question, run, n))

        return ask

    for question in QUESTIONS:
        app.get(f"/api/{question}/{{run}}")(make_route(question))


def _add_jobs(app: FastAPI, explorer: Explorer, jobs: Jobs) -> None:
    @app.post("/api/estimate")
    async def estimate(request: Request, question: SpotQuestion) -> Json:
        def run(turn: threading.Event) -> Json:
            arguments, _ = explorer.spot_arguments(question)
            return jobs.estimate(arguments, _MAX_ESTIMATE_SECONDS, turn)

        return await while_connected(request, jobs, run)

    @app.post("/api/jobs")
    def start(question: SpotQuestion) -> Json:
        arguments, output = explorer.spot_arguments(question)
        return explorer.job_to_json(jobs.start(arguments, output))

    @app.get("/api/jobs")
    def look_at_all() -> Json:
        return {"jobs": [explorer.job_to_json(job) for job in jobs.all()]}

    @app.get("/api/jobs/{job_id}")
    def look(job_id: str) -> Json:
        return explorer.job_to_json(jobs.get(job_id))

    @app.post("/api/jobs/{job_id}/again")
    def start_again(job_id: str) -> Json:
        job = jobs.get(job_id)
        return explorer.job_to_json(jobs.start(job.arguments, job.output))

    @app.delete("/api/jobs/{job_id}")
    def stop(job_id: str) -> Json:
        job = jobs.get(job_id)
        job.stop()
        return explorer.job_to_json(job)


def _send(request: Request, found: Encoded) -> Response:
    """Returns an answer or a file, unless the client has it already."""
    headers = {"ETag": found.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.plain(), headers=headers, media_type=found.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(found.compressed, headers=headers, media_type=found.media_type)


def _without_path(error: RunoutError, found: FoundRun) -> RunoutError:
    """Returns an error in which a directory has the name that the page knows."""
    where, problem = (
        text.replace(str(found.path), found.name) for text in (error.where, error.problem)
    )
    return type(error)(where, problem)


DEFAULT_PORT = 8417

#: Names under which loopback is asked for.
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_ANY_ADDRESS = ("0.0.0.0", "::", "")
_NUM_PORTS_TRIED = 20
_MAX_HEADER_BYTES = 16 * 1024


@dataclass(frozen=True)
class Listener:
    """A socket that waits for requests, the host as it was given, and the port that was free."""

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
    """Binds a port: the given one, or the first that is free from the usual one on."""
    first = DEFAULT_PORT if port is None else port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem = ""
    for candidate in range(first, first + (_NUM_PORTS_TRIED if port is None else 1)):
        try:
            bound = socket.create_server((host, candidate), family=family)
            return Listener(bound, host, int(bound.getsockname()[1]))
        except OSError as error:
            problem = error.strerror or str(error)
    raise ExecutionError(f"{host}:{first}", f"cannot be listened to ({problem})")


def run_until_stopped(app: FastAPI, listener: Listener) -> None:
    """Serves until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=3,
    )
    with listener.socket, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener.socket])
