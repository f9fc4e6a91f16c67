"""The rules of the architecture, as tests: layers, who may import what, sizes and names."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "runout"
TESTS = Path(__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_KERNEL_PARAMETERS = 8

# Lowest first. A package may import itself and anything on a lower line, so packages on one line
# never import each other. Packages that do not exist yet have their place already.
LAYERS = [
    {"jit", "arrays", "cache", "errors", "events", "units", "version"},
    {"cards", "trees", "storage", "execution"},
    {"ranges", "equity", "cfr"},
    {"abstraction", "config", "results", "holdem"},
    {"postflop"},
    {"preflop"},
    {"pipeline"},
    {"explorer", "lab"},
    {"cli"},
    {"__init__"},  # what `import runout` offers, imported when it is first used
]
LEVEL = {package: level for level, line in enumerate(LAYERS) for package in line}
FOUNDATION = LAYERS[0]  # single modules that know no poker and may lean on each other

# Beyond the layers: CFR solves any two-player tree, and a bundle opens without a solver.
FORBIDDEN = {
    "cfr": {"cards"},
    "explorer": {"cfr", "postflop", "preflop", "pipeline"},
}

# Libraries, and the packages or files that may import them.
KERNELS = "*_kernels.py"
ALLOWED_IN = {
    "numba": {KERNELS, "jit.py"},
    "llvmlite": {"jit.py", "holdem/simd_kernels.py"},
    "typer": {"cli"},
    "rich": {"cli"},
    "click": {"cli"},
    "pydantic": {"config", "storage", "explorer"},
    "yaml": {"config", "storage"},
    "sklearn": {"abstraction"},
    "fastapi": {"explorer"},
    "uvicorn": {"explorer"},
    "ray": {"execution/ray_executor.py"},
}

# What a kernel module may import of ours. The compile cache is keyed on the text of kernel modules
# and of the modules they import from, so a constant made in a third file could change without
# a recompilation. The types of arguments, NamedTuples, may be defined where they belong; `arrays`
# holds only type aliases, which no compiled code reads.
ALLOWED_IN_KERNELS = {"jit", "arrays"}

MEANINGLESS_NAMES = {"utils", "util", "core", "common", "helpers", "helper", "manager", "v2"}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def location(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_names(path: Path) -> set[str]:
    """Returns dotted names: modules, and ``module.name`` of names imported from one."""
    names: set[str] = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{location(path)}: use absolute imports"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(parse(path))
    return [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def kernels_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        function
        for function in functions_of(path)
        if any(ast.unparse(decorator) == "kernel" for decorator in function.decorator_list)
    ]


def is_named_tuple(dotted: list[str]) -> bool:
    """Whether a dotted name below ``runout`` is a NamedTuple that its module defines itself."""
    *module, name = dotted
    path = PACKAGE.joinpath(*module).with_suffix(".py")
    return path.is_file() and any(
        isinstance(node, ast.ClassDef)
        and node.name == name
        and [ast.unparse(base) for base in node.bases] == ["NamedTuple"]
        for node in parse(path).body
    )


def may_import(library: str, path: Path) -> bool:
    places = ALLOWED_IN[library]
    is_kernel_module = path.match(KERNELS) and KERNELS in places
    return bool(is_kernel_module or places & {package_of(path), location(path)})


every_module = pytest.mark.parametrize("path", MODULES, ids=location)
every_kernel_module = pytest.mark.parametrize(
    "path", [path for path in MODULES if path.match(KERNELS)], ids=location
)
KERNELS_BY_NAME = {
    kernel.name: kernel for path in MODULES if path.match(KERNELS) for kernel in kernels_of(path)
}


def test_rules_see_the_package():
    assert PACKAGE / "jit.py" in MODULES
    assert {"evaluate_board", "count_wins", "index_deals"} <= KERNELS_BY_NAME.keys()


@every_module
def test_every_package_has_a_layer(path):
    assert package_of(path) in LEVEL


@every_module
def test_imports_point_down(path):
    here = package_of(path)
    for name in imported_names(path):
        root, *rest = name.split(".")
        if root != "runout" or not rest:
            continue
        there = rest[0]
        if there == here or (here in FOUNDATION and there in FOUNDATION):
            continue
        assert there not in FORBIDDEN.get(here, ()), f"{here} must not import {there}"
        assert LEVEL[there] < LEVEL[here], (
            f"{here} (layer {LEVEL[here]}) imports {there} (layer {LEVEL[there]})"
        )


@every_module
def test_libraries_stay_where_they_belong(path):
    for name in imported_names(path):
        library = name.split(".")[0]
        if library in ALLOWED_IN:
            assert may_import(library, path), f"{library} belongs into {ALLOWED_IN[library]}"


@every_module
def test_kernels_are_written_in_kernel_modules_only(path):
    if not path.match(KERNELS) and path.name != "jit.py":
        assert not imported_names(path) & {"runout.jit.kernel", "runout.jit.inlined"}
        assert not kernels_of(path)


@every_module
def test_kernels_are_called_through_their_module(path):
    """``equity_kernels.count_wins`` says that compiled code begins here; types may come by name."""
    for name in imported_names(path):
        *module, imported = name.split(".")
        if module and module[-1].endswith("_kernels"):
            assert imported not in KERNELS_BY_NAME, f"import the module, not {imported}"


@every_kernel_module
def test_kernel_modules_depend_on_nothing_outside_the_compile_cache(path):
    for name in imported_names(path):
        root, *rest = name.split(".")
        if root == "runout":
            is_of_kernels = any(part.endswith("_kernels") for part in rest)
            assert is_of_kernels or rest[0] in ALLOWED_IN_KERNELS or is_named_tuple(rest), name


@every_kernel_module
def test_kernels_take_few_arguments_and_outputs_last(path):
    for kernel in kernels_of(path):
        names = [argument.arg for argument in kernel.args.args]
        assert len(names) <= MAX_KERNEL_PARAMETERS, kernel.name
        is_output = [name.startswith("out_") for name in names]
        assert is_output == sorted(is_output), f"{kernel.name}: outputs come last"


@cache
def sources_of_tests() -> list[str]:
    return [path.read_text() for path in TESTS.rglob("test_*.py")]


@pytest.mark.parametrize("name", [n for n in sorted(KERNELS_BY_NAME) if not n.startswith("_")])
def test_every_kernel_is_called_by_a_test(name):
    calls = re.compile(rf"\b\w+_kernels\.{name}\(")
    assert any(map(calls.search, sources_of_tests())), f"no test calls {name}"


@every_module
def test_modules_are_short_and_documented(path):
    assert len(path.read_text().splitlines()) <= MAX_FILE_LINES
    assert ast.get_docstring(parse(path)), "say what the module is for"


@every_module
def test_functions_are_short(path):
    for function in functions_of(path):
        assert function.end_lineno - function.lineno < MAX_FUNCTION_LINES, function.name


@every_module
def test_nothing_below_the_command_line_prints(path):
    if package_of(path) == "cli":
        return
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in {"print", "sys.stdout.write", "sys.stderr.write"}


@every_module
def test_names_say_what_a_thing_is(path):
    classes = [n for n in ast.walk(parse(path)) if isinstance(n, ast.ClassDef)]
    words = set(re.split(r"[_/.]", location(path).lower()))
    for node in classes:
        words |= {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*", node.name)}
    assert not words & MEANINGLESS_NAMES
