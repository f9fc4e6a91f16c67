"""The server of the page: an application that answers about found solutions and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from runout.cards.flops import GivenFlop
from runout.errors import BundleError, CardError, ExecutionError, RunoutError, TreeError
from runout.explorer.answer_cache import AnswerCache, Encoded, encode, make_etag
from runout.explorer.answers import QUESTIONS, answer, summary_to_json
from runout.explorer.guard import Guard
from runout.explorer.jobs import Job, Jobs
from runout.explorer.library import FoundRun, Library
from runout.explorer.open_run import RunOpener
from runout.explorer.opened import OpenedRuns
from runout.explorer.preflop_run import PreflopRun
from runout.explorer.static_files import INDEX, StaticFile, static_files
from runout.results.run_folders import SPOTS_FOLDER
from runout.trees.preflop_tree import FLOP

Json = dict[str, Any]

#: Longest path of a node, in characters.
MAX_PATH = 400

_PAGES = ("/", "/p/{run}", "/s/{run}", "/f/{run}", "/d")
_STATUS = {TreeError: 404, CardError: 404, BundleError: 422, ExecutionError: 409}
_MAX_ESTIMATE_SECONDS = 300.0  # kernels may have to be compiled

Argument = Annotated[str, Query(max_length=MAX_PATH)]


class SpotQuestion(BaseModel):
    """A flop behind a line of a preflop solution.

    Attributes:
        run: the solution's id.
        node: the line, such as ``r2-c``.
        board: the flop.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    run: str = Field(max_length=200)
    node: str = Field(max_length=MAX_PATH)
    board: str = Field(max_length=20)


@dataclass(frozen=True, eq=False)
class Explorer:
    """What the routes work with.

    Attributes:
        library: what was found.
        opener: tells about solutions that are not open.
        opened: what is open.
        jobs: solves; None where none may be started.
        cache: the last answers.
    """

    library: Library
    opener: RunOpener
    opened: OpenedRuns
    jobs: Jobs | None
    cache: AnswerCache

    @classmethod
    def of(cls, library: Library, opener: RunOpener, jobs: Jobs | None = None) -> "Explorer":
        """Returns one that has answered nothing yet."""
        return cls(library, opener, OpenedRuns(opener.open), jobs, AnswerCache())

    def list_runs(self) -> Json:
        """Returns all solutions, each with how well it is solved, or why it cannot be opened.

        Flops of a report are found from it.
        """
        listed = [found for found in self.library.look().values() if not found.report]
        return {"runs": [self._summarize(found) for found in listed]}

    def _summarize(self, found: FoundRun) -> Json:
        if found.problem:
            return summary_to_json(found, None, found.problem)
        try:
            return summary_to_json(found, self.opener.summarize(found), "")
        except RunoutError as error:
            return summary_to_json(found, None, _without_path(error, found).problem)

    def answer(self, question: str, run: str, argument: str, known_etag: str) -> Encoded | None:
        """Returns an answer, None if the client has it already."""
        found, can_solve = self.library.get(run), self.jobs is not None
        try:
            opened = self.opened.get(found)
            etag = make_etag(opened.digest, found.id, question, argument, str(can_solve))
            if etag == known_etag:
                return None
            return self.cache.get(etag, lambda: answer(opened, question, argument, can_solve))
        except RunoutError as error:
            raise _without_path(error, found) from error

    def spot_arguments(self, question: SpotQuestion) -> tuple[list[str], Path]:
        """Returns what a job is given for a flop behind a line, and where it writes.

        Raises:
            RunoutError: if there is no such solution, line or flop.
        """
        if self.jobs is None:
            raise ExecutionError("job", "solves are only started for this machine itself")
        opened = self.opened.get(self.library.get(question.run))
        if not isinstance(opened.run, PreflopRun):
            raise TreeError("job", f"{opened.found.name} is no preflop solution")
        tree = opened.run.view.tree
        leaf = tree.find_node(question.node)
        if tree.leaf_kind[leaf] != FLOP:
            raise TreeError("job", "no flop is dealt at this node")
        line, board = tree.path(leaf), GivenFlop.parse(question.board).name
        output = spot_output(opened.found, line, board)
        return [str(opened.found.path), line, board, str(output)], output

    def job_to_json(self, job: Job) -> Json:
        """Returns how a job stands, with the id of what it has solved once it is there."""
        document = job.to_json() | {"run": None}
        if job.state in ("done", "stopped") and job.ended is not None:
            for found in self.library.look().values():
                if found.path == job.output:
                    document["run"] = found.id
        return document


def spot_output(found: FoundRun, line: str, board: str) -> Path:
    """Returns where a spot behind a line is written: in the directory of its run."""
    is_bundle = found.path == found.bundle
    folder = found.path.parent if is_bundle else found.path
    return folder / SPOTS_FOLDER / f"{line}-{board}"


def make_app(explorer: Explorer, guard: Guard) -> FastAPI:
    """Returns the application."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.middleware("http")(guard)
    app.exception_handler(RunoutError)(_refuse)
    app.exception_handler(RequestValidationError)(_refuse_input)
    _add_pages(app)
    _add_answers(app, explorer)
    if explorer.jobs is not None:
        _add_jobs(app, explorer, explorer.jobs)
    return app


def _add_pages(app: FastAPI) -> None:
    files = static_files()

    def index(request: Request) -> Response:
        return _file(request, files[INDEX])

    def static(request: Request, name: str) -> Response:
        if name not in files:
            return JSONResponse({"where": "file", "problem": "there is none of this name"}, 404)
        return _file(request, files[name])

    for page in _PAGES:
        app.get(page)(index)
    app.get("/static/{name:path}")(static)


def _add_answers(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/api/runs")
    def list_runs(request: Request) -> Response:
        return _json(request, encode(explorer.list_runs(), ""))

    def make_route(question: str) -> Callable[..., Response]:
        def ask(request: Request, run: str, n: Argument = "") -> Response:
            known = request.headers.get("if-none-match", "")
            encoded = explorer.answer(question, run, n, known)
            return _unchanged(known) if encoded is None else _json(request, encoded)

        return ask

    for question in QUESTIONS:
        app.get(f"/api/{question}/{{run}}")(make_route(question))


def _add_jobs(app: FastAPI, explorer: Explorer, jobs: Jobs) -> None:
    @app.post("/api/estimate")
    def estimate(question: SpotQuestion) -> Json:
        arguments, _ = explorer.spot_arguments(question)
        return jobs.ask([*arguments, "--estimate"], _MAX_ESTIMATE_SECONDS)

    @app.post("/api/jobs")
    def start(question: SpotQuestion) -> Json:
        arguments, output = explorer.spot_arguments(question)
        return explorer.job_to_json(jobs.start(arguments, output))

    @app.get("/api/jobs/{job_id}")
    def look(job_id: str) -> Json:
        return explorer.job_to_json(jobs.get(job_id))

    @app.delete("/api/jobs/{job_id}")
    def stop(job_id: str) -> Json:
        job = jobs.get(job_id)
        job.stop()
        return explorer.job_to_json(job)


def _file(request: Request, file: StaticFile) -> Response:
    if request.headers.get("if-none-match") == file.etag:
        return _unchanged(file.etag)
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    return Response(file.content, media_type=file.media_type, headers=headers)


def _json(request: Request, encoded: Encoded) -> Response:
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if encoded.etag:
        headers["ETag"] = encoded.etag
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(encoded.compressed, media_type="application/json", headers=headers)
    return Response(encoded.plain(), media_type="application/json", headers=headers)


def _unchanged(etag: str) -> Response:
    return Response(status_code=304, headers={"ETag": etag, "Cache-Control": "no-cache"})


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, RunoutError)
    return JSONResponse(
        {"where": error.where, "problem": error.problem}, _STATUS.get(type(error), 400)
    )


async def _refuse_input(request: Request, error: Exception) -> Response:
    return JSONResponse({"where": "request", "problem": "is too long or not understood"}, 422)


def _without_path(error: RunoutError, found: FoundRun) -> RunoutError:
    """Returns an error in which a directory has the name that the page knows."""
    where, problem = (
        text.replace(str(found.path), found.name) for text in (error.where, error.problem)
    )
    return type(error)(where, problem)
