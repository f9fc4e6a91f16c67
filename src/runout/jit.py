"""Kernels: functions that are compiled for the types they are called with, once for all processes.

Compiled code is kept as what a processor runs, and loaded and called without numba, which takes
longer to import than a small solve: only what must be compiled first imports it (`compiler`).

The cache directory is keyed on a digest of every kernel source, and of the layouts they read: any
edit starts a fresh cache. A file in it is named by the types of the arguments and the processor.
"""

import ctypes
import hashlib
import importlib.util
import json
import os
import pickle
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runout.cache import cache_directory, find_write_problem
from runout.events import EventSink, KernelCompiled, KernelCompiling, ignore_event

_PACKAGE_ROOT = Path(__file__).parent


class LazyModule:
    """A module that is imported when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


llvm: Any = LazyModule("llvmlite.binding")


def _numba_version() -> bytes:
    """Returns the text in which numba states its version, without importing it."""
    found = importlib.util.find_spec("numba")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).with_name("_version.py").read_bytes()


def _kernel_sources_digest() -> str:
    """Returns the digest of files whose text is compiled: kernels and what they import from.

    From `jit` and `compiler` they have the compile options. Other modules define types of
    arguments: the order of a NamedTuple's fields is compiled in, wherever the tuple is defined.
    """
    kernels = set(_PACKAGE_ROOT.rglob("*_kernels.py"))
    imports = re.compile(r"^from runout\.([\w.]+) import", re.MULTILINE)
    modules = {name for path in kernels for name in imports.findall(path.read_text())}
    sources = {_PACKAGE_ROOT / f"{name.replace('.', '/')}.py" for name in {*modules, "compiler"}}
    digest = hashlib.sha256(_numba_version())
    for path in sorted(kernels | {path for path in sources if path.is_file()}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


#: Stands for what the kernels compute: changes with every edit of one.
KERNEL_SOURCES_DIGEST = _kernel_sources_digest()

_KERNEL_CACHE = cache_directory() / "kernels" / KERNEL_SOURCES_DIGEST

#: Why compiled kernels cannot be kept, None if they can. They are then compiled in every process.
CACHE_PROBLEM = find_write_problem(_KERNEL_CACHE)

_save_problems: list[str] = []

#: What went wrong while compiling: one means no vector instructions, two numba on its own.
compile_problems: list[str] = []


def find_save_problem() -> str | None:
    """Returns why some kernel could not be kept although the others can, None if all were."""
    return _save_problems[0] if _save_problems else None


@cache
def processor() -> tuple[str, str]:
    """Returns the name and the features of the processor for which kernels are compiled."""
    name, features = (os.environ.get(f"NUMBA_CPU_{each}") for each in ("NAME", "FEATURES"))
    if features is None:
        features = llvm.get_host_cpu_features().flatten()
    return name or llvm.get_host_cpu_name(), features


def _settings() -> dict[str, str]:
    """Returns the environment variables that change how kernels are compiled."""
    chosen = {k: v for k, v in os.environ.items() if k.startswith(("NUMBA_", "RUNOUT_SIMD"))}
    chosen.pop("NUMBA_NUM_THREADS", None)
    return dict(sorted(chosen.items()))


class CompiledCode(NamedTuple):
    """What was compiled for the types of some arguments.

    Attributes:
        entry: the name of the function that Python calls, see `compiler`.
        returns: the type of what it returns: ``none``, ``int`` or ``float``.
        needs_numba: whether it calls functions of numba's own, which are loaded with it.
        object_code: for the linker.
    """

    entry: str
    returns: str
    needs_numba: bool
    object_code: bytes

    def save(self, path: Path) -> None:
        """Writes a file with a digest, at once or not at all."""
        content = json.dumps(self[:3]).encode() + b"\n" + self.object_code
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        os.replace(file.name, path)

    @classmethod
    def load(cls, path: Path) -> "CompiledCode | None":
        """Reads a file; None if there is none, or if it is damaged."""
        try:
            stated, _, content = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        if stated.decode("latin-1") != hashlib.sha256(content).hexdigest():
            return None
        head, _, object_code = content.partition(b"\n")
        entry, returns, needs_numba = json.loads(head)
        return cls(entry, returns, needs_numba, object_code)


#: What an entry returns.
_DONE, _OTHER_TYPES = 0, 1
_ENTRY = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)
_ANSWERS: dict[str, Any] = {"none": None, "int": ctypes.c_int64, "float": ctypes.c_double}
#: Kinds of arguments for which a kernel remembers where its code is.
_MOST_REMEMBERED = 8

_LOCK = threading.RLock()


@cache
def _engine() -> Any:
    """Returns LLVM's linker of code in memory."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)


def _link(code: CompiledCode) -> Any:
    """Returns a function for the entry of some code."""
    if code.needs_numba:
        assert import_module("runout.compiler").cpu_target.target_context
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_code))
    engine.finalize_object()
    return _ENTRY(engine.get_function_address(code.entry))


def _describe(value: Any, out_met: list[Any]) -> str:
    """Returns the type of an argument as text; adds the objects by which its entry knows it.

    `compiler.Entry` compares them in the same order.
    """
    kind = type(value)
    out_met.append(kind)
    if isinstance(value, np.ndarray):
        flags, dtype = value.flags, value.dtype
        out_met.append(dtype)
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        access = f"{'w' if flags.writeable else 'r'}{'a' if flags.aligned else 'u'}"
        return f"{dtype.str}{value.ndim}{layout}{access}"
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, tuple):
        return f"{name}({','.join([_describe(part, out_met) for part in value])})"
    return name


class Kernel:
    """A function that is compiled for the types of its arguments when it is first called.

    Attributes:
        py_func: the function.
        options: how numba compiles it, beyond what is the same for all kernels.
        num_compiled: for how many kinds of arguments it was compiled in this process.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func, self.options, self.num_compiled = function, options, 0
        self._code_by_types: dict[str, Any] = {}
        self._remembered: tuple[Any, ...] = ()
        self._dispatcher: tuple[Any, ...] = ()
        update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"  # type: ignore[attr-defined]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the code for the types of some arguments, without the GIL."""
        if named:
            args = signature(self.py_func).bind(*args, **named).args
        for entry, answer_type, met, _ in self._remembered:
            answer = (answer_type or ctypes.c_int64)()
            ended = entry(args, met, ctypes.addressof(answer))
            if ended == _DONE:
                return answer.value if answer_type else None
            if ended != _OTHER_TYPES:
                _raise(answer)
        return self._call_others(args)

    def _call_others(self, args: tuple[Any, ...]) -> Any:
        """Calls with types that are not remembered."""
        objects: list[Any] = []
        types = _describe(args, objects)
        with _LOCK:
            if types not in self._code_by_types:
                code = self._find_code(types, args)
                self._code_by_types[types] = code and (_link(code), _ANSWERS[code.returns])
            found = self._code_by_types[types]
        if found is None:
            return self.dispatcher(*args)
        met = (ctypes.c_void_p * len(objects))(*map(id, objects))
        # The objects must live as long as their addresses are compared.
        remembered = *found, met, objects
        self._remembered = (remembered, *self._remembered[: _MOST_REMEMBERED - 1])
        return self(*args)

    def _find_code(self, types: str, args: tuple[Any, ...]) -> CompiledCode | None:
        """Returns code for types of arguments that was kept, or compiles it.

        Nothing is kept of functions that are not ours, which the digest does not cover.
        """
        name = f"{self.__module__}.{self.py_func.__qualname__}"
        facts = name, types, *processor(), _settings(), sys.implementation.cache_tag
        key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]
        path = _KERNEL_CACHE / f"{name.removeprefix('runout.')}-{key}.code"
        is_kept = name.startswith("runout.") and CACHE_PROBLEM is None
        code = CompiledCode.load(path) if is_kept else None
        if code is None:
            code = import_module("runout.compiler").compile_entry(self, args, key)
            if code is not None and is_kept:
                try:
                    code.save(path)
                except OSError as error:
                    _save_problems.append(error.strerror or str(error))
        return code

    @property
    def dispatcher(self) -> Any:
        """What numba compiles, where other kernels call this one."""
        if self._dispatcher[:1] != (len(compile_problems),):
            made = import_module("runout.compiler").make_dispatcher(self)
            self._dispatcher = len(compile_problems), made
        return self._dispatcher[1]

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    @property
    def is_used(self) -> bool:
        """Whether this process has code of the kernel."""
        return bool(self._code_by_types) or self.num_compiled > 0


def _raise(answer: Any) -> None:
    """Raises what a kernel has raised, as numba pickles it: class and arguments."""

    class Raised(ctypes.Structure):
        _fields_ = (("pickled", ctypes.c_void_p), ("size", ctypes.c_int32))

    raised = Raised.from_address(ctypes.c_int64.from_buffer(answer).value)
    kind, arguments, *_ = pickle.loads(ctypes.string_at(raised.pickled, raised.size))
    raise kind(*(arguments or ()))


def _is_disabled() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def kernel(function: Callable[..., Any], fused: bool = False) -> Any:
    """Compiles a function, single-threaded and GIL-free; fused: rounds a product and sum once."""
    if _is_disabled():  # as coverage wants it
        return function
    return Kernel(function, {"fastmath": {"contract"}} if fused else {})


class _Inlined:
    """A function that numba compiles inside each of its callers; to Python it is as it stands."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func, self.targetoptions = function, {"inline": "always"}  # where numba looks
        update_wrapper(self, function)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.py_func(*args, **named)

    @property
    def _numba_type_(self) -> Any:
        """What is left of the name in a caller."""
        return import_module("numba.core.types").Dummy("inlined")


def inlined(function: Callable[..., Any]) -> Any:
    """For the few lines that every caller needs in its own loop; never compiled alone."""
    return function if _is_disabled() else _Inlined(function)


def loaded_kernels() -> dict[str, Kernel]:
    """Returns the kernels of all imported ``*_kernels`` modules, by dotted name."""
    return {
        f"{module_name}.{name}": value
        for module_name, module in list(sys.modules.items())
        if module_name.startswith("runout.") and module_name.endswith("_kernels")
        for name, value in vars(module).items()
        if isinstance(value, Kernel) and value.__module__ == module_name
    }


class _CompileListener:
    """Reports kernels that are compiled, in whatever thread, and adds up how long it takes."""

    def __init__(self, on_event: EventSink) -> None:
        self._on_event = on_event
        self._started: list[tuple[str, float]] = []
        self._seconds = 0.0

    def on_start(self, name: str) -> None:
        self._started.append((name, time.perf_counter()))
        self._on_event(KernelCompiling(name))

    def on_end(self) -> None:
        # What another thread had begun before the block was entered may end inside it.
        if not self._started:
            return
        # Kernels compile inside the kernels that call them, so ends come in reverse order.
        name, started = self._started[-1]
        seconds = time.perf_counter() - started
        if len(self._started) == 1:  # at once, so that the clock never jumps ahead
            self._seconds += seconds
        self._started.pop()
        self._on_event(KernelCompiled(name, seconds))

    def time_beside(self) -> float:
        """Returns a clock's time in seconds; it stands still while something is compiled."""
        outermost = self._started[:1]
        now = outermost[0][1] if outermost else time.perf_counter()
        return now - self._seconds


#: It listens as long as the process lives: solves begin and end in many threads at a time.
_CLOCK = _CompileListener(ignore_event)
_listeners = [_CLOCK]


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Tells all listeners that a kernel is compiled inside the block."""
    for listener in _listeners:
        listener.on_start(name)
    try:
        yield
    finally:
        for listener in _listeners:
            listener.on_end()


@contextmanager
def reporting_compilation(on_event: EventSink) -> Iterator[None]:
    """Reports every kernel that is compiled inside the block; cached kernels load silently."""
    global _listeners
    listener = _CompileListener(on_event)
    _listeners = [*_listeners, listener]
    try:
        yield
    finally:
        _listeners = [each for each in _listeners if each is not listener]


def solve_time() -> float:
    """Returns the time of a clock in seconds, which stands still while kernels are compiled."""
    return _CLOCK.time_beside()
