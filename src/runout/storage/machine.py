"""On what a result was computed: two kinds of processors may differ in its last digits."""

import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np  # its library for linear algebra is seen once it is loaded
from pydantic import BaseModel, ConfigDict
from threadpoolctl import threadpool_info

_PROCESSOR_LIST = Path("/proc/cpuinfo")
_UNKNOWN = "unknown"


class Machine(BaseModel):
    """What computed a result, besides our own code.

    Attributes:
        processor: its model, or at least its instruction set.
        blas: the linear algebra library, its version, and the processor that it works for.
        numpy_version: the numpy in use.
        numba_version: the compiler of the kernels.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    processor: str
    blas: str
    numpy_version: str
    numba_version: str


@cache
def describe_machine() -> Machine:
    """Returns what this process computes with; looks once."""
    return Machine(
        processor=_describe_processor(),
        blas=_describe_blas(),
        numpy_version=np.__version__,
        numba_version=version("numba"),
    )


def _describe_processor() -> str:
    try:
        lines = _PROCESSOR_LIST.read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*models, platform.processor(), platform.machine()]), _UNKNOWN)


def _describe_blas() -> str:
    for library in threadpool_info():
        if library["user_api"] == "blas":
            parts = (library["internal_api"], library["version"], library.get("architecture"))
            return " ".join(part for part in parts if part)
    return _UNKNOWN
