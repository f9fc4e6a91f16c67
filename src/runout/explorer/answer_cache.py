"""Answers as they go over the wire, kept so that many viewers of one node cost one computation."""

import gzip
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runout.version import __version__

#: Bytes of all kept answers together, compressed.
MAX_KEPT_BYTES = 64 * 1024 * 1024

#: Higher levels take several times as long and save little.
_GZIP_LEVEL = 4


@dataclass(frozen=True)
class Encoded:
    """An answer.

    Attributes:
        compressed: JSON, by gzip.
        etag: names what it says.
    """

    compressed: bytes
    etag: str

    def plain(self) -> bytes:
        """Returns the JSON as it is."""
        return gzip.decompress(self.compressed)


def make_etag(*parts: str) -> str:
    """Returns the name of an answer: it follows from what was asked, and of which contents."""
    text = "\0".join((__version__, *parts))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def encode(document: Any, etag: str) -> Encoded:
    """Returns a document as it goes over the wire."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return Encoded(gzip.compress(text.encode(), _GZIP_LEVEL, mtime=0), etag)


class AnswerCache:
    """The last answers, by what names them."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Encoded] = OrderedDict()
        self._num_bytes = 0
        self._lock = threading.Lock()

    @property
    def num_bytes(self) -> int:
        """The size of all kept answers."""
        return self._num_bytes

    def get(self, etag: str, make: Callable[[], Any]) -> Encoded:
        """Returns a kept answer, or makes and keeps it."""
        with self._lock:
            known = self._kept.get(etag)
            if known is not None:
                self._kept.move_to_end(etag)
                return known
        made = encode(make(), etag)
        with self._lock:
            if etag not in self._kept:
                self._kept[etag] = made
                self._num_bytes += len(made.compressed)
            while self._num_bytes > self._max_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._num_bytes -= len(dropped.compressed)
        return made
