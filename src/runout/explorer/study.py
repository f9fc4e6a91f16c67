"""What users make on the page: spots to be solved, saved ranges, tags, and a trash folder.

All of it lies in the hidden folder `.runout` of the first directory that is served: `study.json`
has ranges, tags and what is in the trash, `spots` the config of every spot that was started.
"""

import json
import math
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from runout.cards.ranges import Range
from runout.config.load import parse_config
from runout.config.section import AllConfigErrors
from runout.config.spot import SpotConfig
from runout.errors import (
    BundleError,
    ConfigError,
    ExecutionError,
    RangeError,
    RunoutError,
    quote,
    shorten,
)
from runout.execution.pool import available_memory_bytes
from runout.explorer.jobs import Jobs, Json, SolveJob, while_connected
from runout.explorer.library import FoundRun, Library
from runout.formats.imports import read_text
from runout.storage.bundle import CONFIG_FILE, MAX_TEXT_BYTES
from runout.storage.files import open_regular

_NOTATIONS = ("runout", "pio", "gto+", "percent")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,79}")
_MAX_FOLDERS = 3
_MAX_SAVED = 500
_MAX_TEXT = 60_000
_MAX_SECONDS = 60.0
_UNKNOWN_BYTES = 1e15  # where the system does not say


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RangeQuestion(_Question):
    """A range in any notation; with a name it is kept on the shelf, an empty one is taken off."""

    text: str = Field(max_length=_MAX_TEXT)
    name: str = Field("", max_length=80)


class SpotDraft(_Question):
    """Keys of a spot as its YAML has them, and the name under which it is solved."""

    keys: dict[str, Any]
    name: str = Field("", max_length=300)


class TextQuestion(_Question):
    """A config, or a file of another program, as text."""

    text: str = Field(max_length=_MAX_TEXT)


class LockQuestion(_Question):
    """Changes to lock, as ``--lock`` takes them; with a name the spot is solved so."""

    texts: list[str] = Field(max_length=100)
    name: str = Field("", max_length=300)


class FurtherQuestion(_Question):
    """How much better a solved spot should become."""

    target: str = Field("", max_length=20)
    max_iterations: int | None = Field(None, ge=1, le=10_000_000)


class ChangeQuestion(_Question):
    """A new name or other tags of a solution."""

    name: str | None = Field(None, max_length=300)
    tags: list[str] | None = Field(None, max_length=20)


def told(answer: Callable[[], Json]) -> Json:
    """Returns an answer, or why there is none: while somebody types that is no failed request."""
    try:
        return answer()
    except RunoutError as error:
        return {"where": error.where, "problem": error.problem}


class _Discarded(BaseModel):
    name: str
    path: str
    tags: list[str]


class _Kept(BaseModel):
    """What is in ``study.json``."""

    ranges: dict[str, str] = {}
    tags: dict[str, list[str]] = {}
    trash: dict[str, _Discarded] = {}


def range_to_json(text: str) -> Json:
    """Returns a range in every notation; the page reads ``pio``, which is hand by hand."""
    read = Range(text) if text.strip() else None
    texts = {name: "" if read is None else read.to_text(name) for name in _NOTATIONS}  # type: ignore[arg-type]
    combos = 0.0 if read is None else read.num_combos
    return {"texts": texts, "num_combos": combos, "share": combos / 1326}


def read_draft(keys: dict[str, Any]) -> SpotConfig:
    """Returns the config of a draft; JSON has no infinity, so its text stands for it."""
    return SpotConfig.parse({k: math.inf if v == ".inf" else v for k, v in keys.items()}, "spot")


def spot_keys(config: SpotConfig) -> Json:
    """Returns what `read_draft` reads."""
    return {k: ".inf" if v == math.inf else v for k, v in config.to_mapping().items()}


def check_draft(draft: SpotDraft) -> Json:
    """Returns what is wrong with a draft, and the config file of one that is right."""
    try:
        return {"errors": [], "yaml": read_draft(draft.keys).to_yaml()}
    except AllConfigErrors as error:
        found = error.errors
    except ConfigError as error:
        found = (error,)
    return {"errors": [{"where": e.where, "problem": e.problem} for e in found], "yaml": ""}


def read_import(text: str) -> Json:
    """Returns the spots of a text: our YAML, hands that were played, files of other solvers."""
    try:
        program, items = read_text(text, "text")
    except RunoutError as error:
        if "\n" not in text.strip() and ":" not in text:
            raise
        try:
            config = parse_config(text, SpotConfig)
        except ConfigError:
            raise error from None
        return {"program": "runout", "spots": [{"name": "", "keys": spot_keys(config)}]}
    spots = [{"name": item.name, "keys": dict(item.keys)} for item in items]
    return {"program": program, "spots": spots}


class Study:
    """What a user keeps besides solutions; every change is written at once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.root = library.directories[0].resolve()
        self._home = self.root / ".runout"
        self._lock = threading.RLock()

    def read(self) -> dict[str, dict[str, Any]]:
        """Returns ranges by name, tags by path, and what is in the trash by its id."""
        try:
            with open_regular(self._inside("study.json")) as file:
                return _Kept.model_validate_json(file.read(MAX_TEXT_BYTES)).model_dump()
        except FileNotFoundError:
            return _Kept().model_dump()
        except (OSError, ValueError) as error:
            problem = f"cannot be read ({shorten(str(error))}), repair it or move it away"
            raise BundleError("study.json", problem) from None

    def _change(self, change: Callable[[dict[str, dict[str, Any]]], None]) -> None:
        with self._lock:
            parts = self.read()
            change(parts)
            self._home.mkdir(parents=True, exist_ok=True)
            draft = self._inside("study.json.new")
            draft.write_text(json.dumps(parts, indent=1))
            draft.replace(self._inside("study.json"))

    def _inside(self, *parts: str) -> Path:
        """Returns a place in the hidden folder; refuses one that a link leads elsewhere."""
        place = self._home.joinpath(*parts)
        if place.resolve() != place:
            raise BundleError(str(place), "leads elsewhere by a symbolic link or a name")
        return place

    def keep_range(self, name: str, text: str) -> None:
        """Puts a range on the shelf, or takes it off if the text is empty."""
        if text.strip():
            Range(text)
        if len(self.read()["ranges"]) >= _MAX_SAVED:
            raise RangeError("shelf", f"has {_MAX_SAVED} ranges, take some off")
        change = (lambda p: p["ranges"].update({name: text})) if text.strip() else None
        self._change(change or (lambda parts: parts["ranges"].pop(name, None)))

    def place(self, name: str) -> Path:
        """Returns the directory of a name such as ``lesson 3/river``."""
        parts = name.split("/")
        is_fine = len(parts) <= _MAX_FOLDERS and all(map(_NAME.fullmatch, parts))
        if not is_fine or self.root not in self.root.joinpath(*parts).resolve().parents:
            allowed = f"use letters, digits, spaces and . _ + -, and at most {_MAX_FOLDERS} parts"
            raise BundleError(f"name {quote(name)}", f"cannot be a directory, {allowed}")
        return self.root.joinpath(*parts)

    def spot_file(self, name: str) -> Path:
        """Returns where the config of a started spot lies."""
        inside = self.place(name).relative_to(self.root).as_posix()
        return self._inside("spots", f"{inside.replace('/', '~')}.yaml")

    def keep_spot(self, name: str, config: SpotConfig) -> Path:
        """Writes the config of a spot before it is solved, so that a killed server loses none."""
        file = self.spot_file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(config.to_yaml(), "utf-8")
        return file

    def start(self, draft: SpotDraft, jobs: Jobs) -> SolveJob:
        """Solves a spot; without keys, the one that was kept under the name."""
        output, file = self.place(draft.name), self.spot_file(draft.name)
        if draft.keys:
            self.keep_spot(draft.name, read_draft(draft.keys))
        return jobs.start(["--config", str(file)], output)

    def waiting(self) -> list[str]:
        """Returns the names of started spots of which nothing was saved."""
        names = [file.stem.replace("~", "/") for file in sorted(self._home.glob("spots/*.yaml"))]
        return [name for name in names if not (self.root / name).exists()]

    def marks(self, runs: Mapping[str, FoundRun]) -> Json:
        """Returns what the list of solutions says besides."""
        try:
            tags = self.read()["tags"]
        except BundleError:  # solutions are listed all the same
            return {"can_edit": False, "waiting": [], "tags": {}}
        by_id = {found.id: tags.get(str(found.path), []) for found in runs.values()}
        return {"can_edit": True, "waiting": self.waiting(), "tags": by_id}

    def _movable(self, found: FoundRun) -> Path:
        roots = [directory.resolve() for directory in self.library.directories]
        if found.report or not any(root in found.path.parents for root in roots):
            raise BundleError(found.name, "is a part of something else and stays where it is")
        return found.path

    def change(self, found: FoundRun, question: ChangeQuestion) -> None:
        """Gives a solution another name or other tags."""
        source = self._movable(found)
        target = source if question.name is None else self.place(question.name)
        if target != source:
            if target.exists() or any(parent == source for parent in target.parents):
                raise BundleError(f"name {quote(question.name)}", "is taken, choose another")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, target)

        def change(parts: dict[str, dict[str, Any]]) -> None:
            tags = parts["tags"].pop(str(source), [])
            if question.tags is not None:
                tags = sorted({tag.strip()[:40] for tag in question.tags} - {""})
            if tags:
                parts["tags"][str(target)] = tags

        self._change(change)

    def discard(self, found: FoundRun) -> str:
        """Moves a solution into the trash; returns its id there."""
        source, token = self._movable(found), secrets.token_hex(4)
        tags = self.read()["tags"].get(str(source), [])
        entry = {"name": found.name, "path": str(source), "tags": tags}
        target = self._inside("trash", token)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
        self._change(lambda parts: parts["trash"].update({token: entry}))
        return token

    def restore(self, token: str) -> None:
        """Moves a solution from the trash to where it was."""
        entry = self.read()["trash"].get(token)
        if entry is None:
            raise BundleError("trash", "has nothing of this name")
        source, target = self._inside("trash", token), Path(entry["path"])
        roots = [directory.resolve() for directory in self.library.directories]
        if source.parent.name != "trash" or not any(r in target.resolve().parents for r in roots):
            raise BundleError("trash", "was edited: it would move something elsewhere")
        if target.exists():
            raise BundleError(entry["name"], "exists again, rename it first")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)

        def change(parts: dict[str, dict[str, Any]]) -> None:
            del parts["trash"][token]
            if entry["tags"]:
                parts["tags"][str(target)] = entry["tags"]

        self._change(change)


def add_study(app: FastAPI, study: Study, jobs: Jobs, show: Callable[[SolveJob], Json]) -> None:
    """Adds the routes by which the page changes something; ``show`` tells how a job stands."""
    library = study.library

    @app.exception_handler(OSError)
    async def refuse_disk(request: Request, error: OSError) -> Response:
        problem = f"cannot be done ({error.strerror})"
        return JSONResponse({"where": "disk", "problem": problem}, 409)

    def resting(run: str) -> FoundRun:
        found = library.get(run)
        if any(job.ended is None and job.output == found.path for job in jobs.all()):
            raise ExecutionError(found.name, "is being solved, stop that first")
        return found

    _add_drafts(app, study, jobs, show)

    @app.post("/api/further/{run}")
    def solve_further(run: str, question: FurtherQuestion) -> Json:
        found = resting(run)
        arguments = ["--config", str(found.bundle / CONFIG_FILE)]
        arguments += [f"--target={question.target}"] if question.target else []
        if question.max_iterations is not None:
            arguments += ["--max-iterations", str(question.max_iterations)]
        return show(jobs.start(arguments, found.path))

    @app.post("/api/locks/{run}")
    async def lock(request: Request, run: str, question: LockQuestion) -> Json:
        changes = [f"--lock={text}" for text in question.texts]
        arguments = ["--config", str(library.get(run).path), *changes]
        if question.name:
            return show(jobs.start(arguments, study.place(question.name)))

        def measure(turn: threading.Event) -> Json:
            return told(lambda: jobs.measure(arguments, _MAX_SECONDS, turn))

        return await while_connected(request, jobs, measure)

    @app.post("/api/change/{run}")
    def change(run: str, question: ChangeQuestion) -> Json:
        study.change(resting(run), question)
        return trash()

    @app.delete("/api/runs/{run}")
    def discard(run: str) -> Json:
        study.discard(resting(run))
        return trash()

    @app.get("/api/trash")
    def trash() -> Json:
        found = study.read()["trash"].items()
        return {"trash": [{"id": token, "name": entry["name"]} for token, entry in found]}

    @app.post("/api/trash/{token}")
    def restore(token: str) -> Json:
        study.restore(token)
        return trash()


def _add_drafts(app: FastAPI, study: Study, jobs: Jobs, show: Callable[[SolveJob], Json]) -> None:
    @app.get("/api/shelf")
    def shelf() -> Json:
        return {"ranges": study.read()["ranges"]}

    @app.post("/api/shelf")
    def keep_range(question: RangeQuestion) -> Json:
        study.keep_range(question.name, question.text)
        return shelf()

    @app.post("/api/range")
    def read_range(question: RangeQuestion) -> Json:
        return told(lambda: range_to_json(question.text))

    @app.post("/api/import")
    def read(question: TextQuestion) -> Json:
        return told(lambda: read_import(question.text))

    @app.post("/api/draft")
    def check(draft: SpotDraft) -> Json:
        return check_draft(draft)

    @app.post("/api/draft/size")
    async def measure(request: Request, draft: SpotDraft) -> Json:
        def run(turn: threading.Event) -> Json:
            with TemporaryDirectory() as folder:
                file = Path(folder) / "spot.yaml"
                file.write_text(read_draft(draft.keys).to_yaml(), "utf-8")
                return told(lambda: jobs.measure(["--config", str(file)], _MAX_SECONDS, turn))

        size = await while_connected(request, jobs, run)
        available = available_memory_bytes()
        return size | {"memory_available_bytes": min(available, _UNKNOWN_BYTES)}

    @app.post("/api/spots")
    def solve(draft: SpotDraft) -> Json:
        return show(study.start(draft, jobs))

    @app.delete("/api/spots/{name:path}")
    def forget(name: str) -> Json:
        study.spot_file(name).unlink(missing_ok=True)
        return {"waiting": study.waiting()}
