"""The files of the page, read once from the package; nothing else is ever served as a file."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

INDEX = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".LICENSE": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class StaticFile:
    """A file of the page.

    Attributes:
        content: its bytes.
        media_type: what it is, for browsers.
        etag: names the content.
    """

    content: bytes
    media_type: str
    etag: str


@cache
def static_files() -> dict[str, StaticFile]:
    """Returns the files of the page by name, such as ``js/main.js``."""
    return dict(_walk(resources.files("runout.explorer") / "static", ""))


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    found: list[tuple[str, StaticFile]] = []
    for place in folder.iterdir():
        name = f"{prefix}{place.name}"
        if place.is_dir():
            found += _walk(place, f"{name}/")
            continue
        suffix = name[name.rindex(".") :]
        if suffix in _TYPES:
            content = place.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found.append((name, StaticFile(content, _TYPES[suffix], etag)))
    return found
