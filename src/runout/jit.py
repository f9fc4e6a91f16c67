"""The only place that knows numba's compile options and its cache.

Numba keys its on-disk cache on the file that *defines* a function, so editing a kernel does not
recompile cached kernels in other files that call it. We key the cache directory on a digest of
every kernel source, and of the layouts they read, instead: any edit starts a fresh cache.
"""

import hashlib
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from runout.cache import cache_directory, find_write_problem, only_writer
from runout.events import EventSink, KernelCompiled, KernelCompiling, ignore_event


@contextmanager
def _not_finding(*packages: str) -> Iterator[None]:
    """Makes imports of packages fail inside the block, but for those imported before."""
    absent = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


# Numba imports them wherever they are installed, for what no kernel uses: linear algebra, reports
# on lines, and colours, which are reset on the terminal at the end of every program. That takes a
# tenth of a small solve; in too little memory scipy's never ends.
with _not_finding("scipy", "coverage", "colorama"):
    import numba
    import numba.np.arraymath
    from numba.core import event as numba_event
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
    from numba.core.dispatcher import Dispatcher
    from numba.core.types import unliteral

_PACKAGE_ROOT = Path(__file__).parent


def _kernel_sources_digest() -> str:
    """Returns the digest of files whose text is compiled: kernels and what they import from.

    From here they import the compile options. Other modules define types of arguments: numba
    compiles the order of a NamedTuple's fields in, wherever the tuple is defined.
    """
    kernels = set(_PACKAGE_ROOT.rglob("*_kernels.py"))
    imports = re.compile(r"^from runout\.([\w.]+) import", re.MULTILINE)
    modules = {name for path in kernels for name in imports.findall(path.read_text())}
    sources = {_PACKAGE_ROOT / f"{name.replace('.', '/')}.py" for name in modules}
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(kernels | {path for path in sources if path.is_file()}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


#: Stands for what the kernels compute: changes with every edit of one.
KERNEL_SOURCES_DIGEST = _kernel_sources_digest()

_KERNEL_CACHE = cache_directory() / "numba" / KERNEL_SOURCES_DIGEST
numba.config.CACHE_DIR = str(_KERNEL_CACHE)  # type: ignore[attr-defined]

#: Why compiled kernels cannot be kept, None if they can. They are then compiled in every process:
#: numba on its own would go on to ``__pycache__`` folders, which are not keyed on our digest.
CACHE_PROBLEM = find_write_problem(_KERNEL_CACHE)

_save_problems: list[str] = []

#: Variants of compiled code, each cached apart, with the reason for those that were not asked for.
compile_variants: dict[str, str | None] = {}


class _KernelPlace(_CacheLocator):
    """Where the code of one kernel is kept: the same for all copies of our sources.

    Numba's own places depend on the path and date of the source file, which our digest replaces.
    """

    def __init__(self, function: Callable[..., Any]):
        self._function = function

    def get_cache_path(self) -> str:
        return str(_KERNEL_CACHE / self._function.__module__.rpartition(".")[0])

    def get_source_stamp(self) -> str:
        return KERNEL_SOURCES_DIGEST

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> "_KernelPlace | None":
        return cls(function) if Path(path).is_relative_to(_PACKAGE_ROOT) else None


class _KernelFiles(CompileResultCacheImpl):
    _locator_classes = (_KernelPlace, *CompileResultCacheImpl._locator_classes)  # type: ignore[assignment]


class _KernelCache(FunctionCache):
    """The compiled code of one kernel on the disk; trouble with it costs time and no result."""

    _impl_class = _KernelFiles

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return *super()._index_key(sig, codegen), *sorted(compile_variants)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # damaged files raise whatever the damage makes pickle believe
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps the code for one signature.

        Numba reads a kernel's list, takes the next free number for the code, and writes both: two
        processes at once would give two signatures one number, and the code of one to the other.
        """
        try:
            with only_writer(_KERNEL_CACHE):
                try:
                    super().save_overload(sig, data)  # type: ignore[no-untyped-call]
                except OSError:
                    raise
                except Exception:  # a damaged list of what is kept: begin a new one
                    self.flush()  # type: ignore[no-untyped-call]
                    super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _save_problems.append(error.strerror or str(error))


def find_save_problem() -> str | None:
    """Returns why some kernel could not be kept although the others can, None if all were."""
    return _save_problems[0] if _save_problems else None


def kernel(function: Callable[..., Any], fused: bool = False) -> Any:
    """Compiles a function, single-threaded and GIL-free; fused: rounds a product and sum once."""
    options: Any = {"fastmath": {"contract"}} if fused else {}
    compiled: Any = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)  # type: ignore[call-overload]
    dispatcher: Any = compiled(function)
    if dispatcher is function:  # with NUMBA_DISABLE_JIT, as coverage wants it
        return function
    dispatcher.get_call_template = partial(_find_template, dispatcher.get_call_template)
    if CACHE_PROBLEM is None:
        dispatcher._cache = _KernelCache(function)  # type: ignore[no-untyped-call]
    return dispatcher


def _find_template(find: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Finds the code for a call by a kernel, the same for constants and for variables.

    Numba would compile a kernel once more for every constant that it is called with.
    """
    any_value: Callable[[Any], Any] = unliteral
    by_name = {name: any_value(kind) for name, kind in kws.items()}
    return find([any_value(kind) for kind in args], by_name)


#: For the few lines that every caller needs in its own loop; never compiled alone.
inlined = numba.njit(inline="always", error_model="numpy")


def loaded_kernels() -> dict[str, Dispatcher]:
    """Returns the kernels of all imported ``*_kernels`` modules, by dotted name."""
    return {
        f"{module_name}.{name}": value
        for module_name, module in list(sys.modules.items())
        if module_name.startswith("runout.") and module_name.endswith("_kernels")
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher)
        and value.__module__ == module_name
        and value.targetoptions.get("inline") != "always"
    }


@contextmanager
def reporting_compilation(on_event: EventSink) -> Iterator[None]:
    """Reports every kernel that is compiled inside the block; cached kernels load silently."""
    with numba_event.install_listener("numba:compile", _CompileListener(on_event)):
        yield


class _InterruptGuard(numba_event.Listener):
    """Holds Ctrl-C back while a kernel is compiled, until the end of that kernel.

    LLVM hands the code to Python in a callback, where an interrupt is lost and the code with it:
    "no compiled object yet". A second Ctrl-C goes through at once.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._earlier: Any = None
        self._held: int | None = None

    def on_start(self, event: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # signals come to the main thread only
        self._depth += 1
        if self._depth == 1 and callable(signal.getsignal(signal.SIGINT)):
            self._earlier = signal.signal(signal.SIGINT, self._hold)

    def on_end(self, event: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._held is not None or self._depth == 0:
            self._let_go()

    def _hold(self, signal_number: int, frame: Any) -> None:
        if self._held is None:
            self._held = signal_number
        else:
            self._let_go()

    def _let_go(self) -> None:
        earlier, held, self._earlier, self._held = self._earlier, self._held, None, None
        if earlier is not None:
            signal.signal(signal.SIGINT, earlier)
        if held is not None:
            earlier(held, None)


numba_event.register("numba:compile", _InterruptGuard())  # type: ignore[no-untyped-call]


class _CompileListener(numba_event.Listener):
    """Reports kernels that are compiled, in whatever thread, and adds up how long it takes."""

    def __init__(self, on_event: EventSink) -> None:
        self._on_event = on_event
        self._started: list[tuple[str, float]] = []
        self._seconds = 0.0

    def on_start(self, event: Any) -> None:
        if not self._is_ours(event):
            return
        name = event.data["dispatcher"].py_func.__name__
        self._started.append((name, time.perf_counter()))
        self._on_event(KernelCompiling(name))

    def on_end(self, event: Any) -> None:
        # What another thread had begun before the block was entered may end inside it.
        if not self._is_ours(event) or not self._started:
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

    @staticmethod
    def _is_ours(event: Any) -> bool:
        # Numba also compiles the pieces that implement its own functions.
        return str(event.data["dispatcher"].py_func.__module__).startswith("runout.")


#: It listens as long as the process lives: solves begin and end in many threads at a time.
_CLOCK = _CompileListener(ignore_event)
numba_event.register("numba:compile", _CLOCK)  # type: ignore[no-untyped-call]


def solve_time() -> float:
    """Returns the time of a clock in seconds, which stands still while kernels are compiled."""
    return _CLOCK.time_beside()
