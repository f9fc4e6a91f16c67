"""The server's answers for other programs: versioned routes below `/api/v1`, with OpenAPI.

They are the answers that the page gets, of the same solutions and the same queue of solves.
"""

import secrets
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query, Response
from pydantic import Field

from runout.equity.matchups import equity
from runout.errors import ExecutionError
from runout.explorer.answers import Encoded, Json
from runout.explorer.jobs import Jobs
from runout.explorer.study import SpotDraft, Study

if TYPE_CHECKING:
    from runout.explorer.server import Explorer

PREFIX = "/api/v1"

_ABOUT = """Solutions that `runout explore` has found, and solves that it runs.

Amounts are in the `unit` of a node, and EVs count from the node on: folding is 0. Errors have a
status from 400 on and a document `{"where": ..., "problem": ...}`. Requests that change something
carry the header `X-Runout: 1`. Beyond loopback every request carries `Authorization: Bearer TOKEN`,
and no solve can be started."""

_MAX_TEXT = 1900  # the server takes addresses of 2,000 characters

_Path = Annotated[str, Query(max_length=400, description="Path of a node, such as x:b59:c:8h.")]
_Line = Annotated[
    str, Query(max_length=400, description="Line of the report (default: the first).")
]
_Range = Annotated[
    str, Query(max_length=_MAX_TEXT, description="A hand or range, such as 22+,AKs:0.5.")
]
_Board = Annotated[str, Query(max_length=20, description="No cards, or a flop, turn or river.")]


class Solve(SpotDraft):
    """A spot to solve: keys of its config, as `runout config schema spot` describes them."""

    name: str = Field("", max_length=300, description="Where it is kept (default: a new name).")


def make_api(explorer: "Explorer", handlers: dict[Any, Any]) -> FastAPI:
    """Returns the application that is mounted at `PREFIX`, with the page's handlers of errors."""
    api = FastAPI(
        title="runout",
        version="1",
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        exception_handlers=handlers,
    )

    @api.get("/solutions", summary="All solutions, with their ids")
    def solutions() -> Json:
        return explorer.list_runs()

    @api.get(
        "/solutions/{run}/node", summary="A node with all hands, as `runout show --json` has it"
    )
    def node(run: str, path: _Path = "") -> Response:
        return _respond(explorer.answer("node", run, path))

    @api.get("/solutions/{run}/report", summary="The flops of a report, of values or behind a node")
    def report(run: str, line: _Line = "") -> Response:
        return _respond(explorer.answer("flops", run, line))

    @api.get("/equity", summary="Exact equity of two hands or ranges")
    def compare(hero: _Range, villain: _Range = "random", board: _Board = "") -> Json:
        found = equity(hero, villain, board)
        return {name: getattr(found, name) for name in ("equity", "win", "tie", "lose")}

    _add_solves(api, explorer)
    return api


def _add_solves(api: FastAPI, explorer: "Explorer") -> None:
    def queue() -> tuple[Study, Jobs]:
        if explorer.jobs is None or explorer.study is None:
            raise ExecutionError("solve", "solves are only started for this machine itself")
        return explorer.study, explorer.jobs

    @api.post("/solves", summary="Solve a spot; it waits for those before it")
    def solve(spot: Solve) -> Json:
        study, jobs = queue()
        spot.name = spot.name or f"solve-{secrets.token_hex(4)}"
        return explorer.job_to_json(study.start(spot, jobs))

    @api.get("/solves", summary="How all solves stand")
    def list_solves() -> Json:
        return {"solves": [explorer.job_to_json(job) for job in queue()[1].all()]}

    @api.get("/solves/{job}", summary="How a solve stands, and at its end the id of its solution")
    def look(job: str) -> Json:
        return explorer.job_to_json(queue()[1].get(job))

    @api.delete("/solves/{job}", summary="Stop a solve; what it has learned is saved")
    def stop(job: str) -> Json:
        found = queue()[1].get(job)
        found.stop()
        return explorer.job_to_json(found)


def _respond(found: Encoded) -> Response:
    return Response(found.plain(), headers={"ETag": found.etag}, media_type=found.media_type)
