"""The rules of the architecture, one test each: layers, who may import what, sizes and names.

A rule that is broken lists every place that breaks it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "runout"
TESTS = Path(__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
KERNEL_MODULES = [path for path in MODULES if path.name.endswith("_kernels.py")]
MAX_FILE_LINES = 700
MAX_FUNCTION_LINES = 60
MAX_KERNEL_PARAMETERS = 8

# What makes a function a kernel: compiled as it stands, or with LLVM code in its place.
KERNEL_MAKER = re.compile(r"(fused_)?kernel$|(lane_)?vectorised\(")

# Lowest first. A package may import itself and anything on a lower line, so packages on one line
# never import each other.
LAYERS = [
    {"jit", "compiler", "arrays", "cache", "errors", "events", "version"},
    {"cards", "trees", "storage", "simd"},
    {"execution"},
    {"equity", "cfr"},
    {"abstraction", "config", "holdem"},
    {"solutions"},
    {"flops"},
    {"preflop"},
    {"formats"},
    {"runs"},
    {"explorer"},
    {"cli"},
    {"__init__"},  # what `import runout` offers, imported when it is first used
]
LEVEL = {package: level for level, line in enumerate(LAYERS) for package in line}
FOUNDATION = LAYERS[0]  # single modules that know no poker and may lean on each other

# Beyond the layers: CFR solves any two-player tree (`holdem` is the engine with real cards), and a
# bundle opens without a solver.
FORBIDDEN = {
    "cfr": {"cards"},
    "simd": {"cards", "trees"},
    "explorer": {"cfr", "holdem", "flops", "preflop", "runs"},
}

# Libraries, and the packages or files that may import them.
KERNELS = "*_kernels.py"
ALLOWED_IN = {
    "numba": {"compiler.py"},
    "llvmlite": {"compiler.py"},
    "typer": {"cli"},
    "rich": {"cli"},
    "click": {"cli"},
    "pydantic": {"config", "storage", "explorer"},
    "yaml": {"config", "storage"},
    "sklearn": set(),
    "scipy": set(),
    "fastapi": {"explorer"},
    "uvicorn": {"explorer"},
    "ray": {"execution/ray_executor.py"},
    "pyarrow": {"solutions/sheet.py"},
}

# What a kernel module may import of ours. The compile cache is keyed on the text of kernel modules
# and of the modules they import from, so a constant made in a third file could change without
# a recompilation. The types of arguments, NamedTuples, may be defined where they belong; `arrays`
# holds only type aliases, which no compiled code reads.
ALLOWED_IN_KERNELS = {"jit", "arrays"}

# Products of whole numbers, which are exact in whatever order a linear algebra library sums.
WHOLE_PRODUCTS = {"cards/deck.py", "abstraction/features.py"}
LINEAR_ALGEBRA = {"dot", "vdot", "inner", "matmul", "einsum", "tensordot", "linalg"}

MEANINGLESS_NAMES = {"utils", "util", "core", "common", "helpers", "helper", "manager", "v2"}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def location(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imported_names(path: Path) -> set[str]:
    """Returns dotted names: modules, and ``module.name`` of names imported from one."""
    names: set[str] = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(parse(path))
    return [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def kernels_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        function
        for function in functions_of(path)
        if any(KERNEL_MAKER.match(ast.unparse(maker)) for maker in function.decorator_list)
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
    is_named = places & {package_of(path), location(path)}
    return bool(is_named or any(path.match(place) for place in places if "*" in place))


KERNELS_BY_NAME = {kernel.name: kernel for path in KERNEL_MODULES for kernel in kernels_of(path)}


def assert_none(offenders: Iterable[str]) -> None:
    """Fails with one line for every place that breaks a rule."""
    lines = sorted(offenders)
    assert not lines, "\n" + "\n".join(lines)


def imports_of_ours(path: Path) -> Iterator[list[str]]:
    """Yields the parts of every imported name below ``runout``, without ``runout``."""
    for name in imported_names(path):
        root, *parts = name.split(".")
        if root == "runout" and parts:
            yield parts


def test_rules_see_the_package():
    assert PACKAGE / "jit.py" in MODULES
    assert {"evaluate_board", "count_wins", "index_deals"} <= KERNELS_BY_NAME.keys()
    assert {"play_and_add", "multiply_panels", "sum_by_bucket"} <= KERNELS_BY_NAME.keys()


def test_llvm_code_is_written_as_pieces_only():
    """So that each has a plain body, and its arguments are counted."""
    assert_none(
        location(path)
        for path in MODULES
        if location(path) != "simd/vector_kernels.py"
        if re.search(r"\bextending\b|LazyModule\(.numba", path.read_text())
    )


def test_every_package_has_a_layer():
    assert_none(location(path) for path in MODULES if package_of(path) not in LEVEL)


def test_every_package_lists_its_public_names():
    for package in sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")):
        module = import_module(f"runout.{package}")
        assert all(hasattr(module, name) for name in module.__all__), package


def test_imports_are_absolute():
    assert_none(
        f"{location(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.level
    )


def may_see(here: str, there: str) -> bool:
    if there == here or {here, there} <= FOUNDATION:
        return True
    return there not in FORBIDDEN.get(here, ()) and LEVEL[there] < LEVEL[here]


def test_imports_point_down():
    assert_none(
        f"{location(path)} imports {'.'.join(parts)} (layer {LEVEL[parts[0]]})"
        for path in MODULES
        for parts in imports_of_ours(path)
        if not may_see(package_of(path), parts[0])
    )


def test_libraries_stay_where_they_belong():
    assert_none(
        f"{location(path)}: {library} belongs into {sorted(ALLOWED_IN[library])}"
        for path in MODULES
        for library in {name.split(".")[0] for name in imported_names(path)} & ALLOWED_IN.keys()
        if not may_import(library, path)
    )


def test_kernels_are_written_in_kernel_modules_only():
    assert_none(
        location(path)
        for path in MODULES
        if path not in KERNEL_MODULES and path.name != "jit.py"
        if imported_names(path) & {"runout.jit.kernel", "runout.jit.inlined"} or kernels_of(path)
    )


def test_kernels_are_called_through_their_module():
    """``equity_kernels.count_wins`` says that compiled code begins here; types may come by name."""
    assert_none(
        f"{location(path)}: import the module, not {name}"
        for path in MODULES
        for *module, name in imports_of_ours(path)
        if module and module[-1].endswith("_kernels") and name in KERNELS_BY_NAME
        if module != ["simd", "vector_kernels"]  # instructions
    )


def is_in_the_compile_cache(parts: list[str]) -> bool:
    is_of_kernels = any(part.endswith("_kernels") for part in parts)
    return is_of_kernels or parts[0] in ALLOWED_IN_KERNELS or is_named_tuple(parts)


def test_kernel_modules_depend_on_nothing_outside_the_compile_cache():
    assert_none(
        f"{location(path)} imports {'.'.join(parts)}"
        for path in KERNEL_MODULES
        for parts in imports_of_ours(path)
        if not is_in_the_compile_cache(parts)
    )


def test_kernels_take_few_arguments():
    assert_none(
        f"{name} takes {len(kernel.args.args)}"
        for name, kernel in KERNELS_BY_NAME.items()
        if len(kernel.args.args) > MAX_KERNEL_PARAMETERS
    )


def test_outputs_of_kernels_come_last():
    is_output = {
        name: [argument.arg.startswith("out_") for argument in kernel.args.args]
        for name, kernel in KERNELS_BY_NAME.items()
    }
    assert_none(name for name, flags in is_output.items() if flags != sorted(flags))


def test_every_kernel_is_called_by_a_test():
    call = re.compile(r"\b\w+_kernels\.(\w+)[(,]")
    called = {name for path in TESTS.rglob("test_*.py") for name in call.findall(path.read_text())}
    assert_none(n for n in KERNELS_BY_NAME if not n.startswith("_") and n not in called)


def test_modules_are_short():
    num_lines = {path: len(path.read_text().splitlines()) for path in MODULES}
    assert_none(f"{location(p)}: {n} lines" for p, n in num_lines.items() if n > MAX_FILE_LINES)


def test_modules_say_what_they_are_for():
    assert_none(location(path) for path in MODULES if not ast.get_docstring(parse(path)))


def test_functions_are_short():
    assert_none(
        f"{location(path)}:{function.lineno} {function.name}"
        for path in MODULES
        for function in functions_of(path)
        if function.end_lineno - function.lineno >= MAX_FUNCTION_LINES
    )


def test_nothing_below_the_command_line_prints():
    assert_none(
        f"{location(path)}:{node.lineno}"
        for path in MODULES
        if package_of(path) != "cli"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        if ast.unparse(node.func) in {"print", "sys.stdout.write", "sys.stderr.write"}
    )


def uses_linear_algebra(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Attribute) and node.attr in LINEAR_ALGEBRA


def test_products_of_fractions_go_through_one_door():
    """The bits of a library's products depend on its threads and on the processor."""
    assert_none(
        f"{location(path)}:{node.lineno}: use runout.simd.products.multiply"
        for path in MODULES
        if location(path) not in WHOLE_PRODUCTS
        for node in ast.walk(parse(path))
        if uses_linear_algebra(node)
    )


def words_of(path: Path) -> set[str]:
    """Returns the words, in small letters, of a module's path and of the classes in it."""
    classes = [node.name for node in ast.walk(parse(path)) if isinstance(node, ast.ClassDef)]
    words = re.split(r"[_/.]", location(path))
    words += [word for name in classes for word in re.findall(r"[A-Z][a-z0-9]*", name)]
    return {word.lower() for word in words}


def test_names_say_what_a_thing_is():
    assert_none(
        f"{location(path)}: {word}"
        for path in MODULES
        for word in words_of(path) & MEANINGLESS_NAMES
    )
