"""The examples are short, import public names only, run, and print the output they promise."""

import ast
import runpy
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MAX_CODE_LINES = 15
ALLOWED_IMPORTS = {"runout", "numpy", "matplotlib", "pandas", "pyspiel"}
PROMISE = "Prints:\n\n"


def count_code_lines(source: str) -> int:
    """Returns the lines that hold code: neither blank nor comments nor the docstring."""
    tree = ast.parse(source)
    docstring = range(tree.body[0].lineno, tree.body[0].end_lineno + 1)
    lines = enumerate(map(str.strip, source.splitlines()), start=1)
    return sum(1 for n, line in lines if line and line[0] != "#" and n not in docstring)


def imported_modules(source: str) -> set[str]:
    """Returns the modules that a source imports: ``runout``, ``matplotlib.pyplot``."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return plain | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def test_lines_of_code_are_counted_without_docstring_comments_and_blank_lines():
    assert count_code_lines('"""One\n\ntwo."""\n\n# why\nimport runout\n\nx = (\n    1\n)\n') == 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_imports_public_names_only(path):
    source = path.read_text()
    assert ast.get_docstring(ast.parse(source)), "say what the example shows"
    assert count_code_lines(source) <= MAX_CODE_LINES
    modules = imported_modules(source)
    assert {name.partition(".")[0] for name in modules} <= ALLOWED_IMPORTS
    assert not [name for name in modules if name.startswith("runout.")], "public names only"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_what_it_promises(path, capsys, monkeypatch, tmp_path):
    """Runs in an empty directory with the project's configs, so that files are left there."""
    source = path.read_text()
    for module in imported_modules(source) - {"runout"}:
        pytest.importorskip(module)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    promised = dedent((ast.get_docstring(ast.parse(source)) or "").partition(PROMISE)[2])
    if promised:
        assert capsys.readouterr().out.strip() == promised.strip()
