"""Writes docs/api.md, the public names of `runout`: signature, first paragraph and example of each.

Everything comes from the source, so the page has nothing to maintain: run
``python -m tools.api_reference`` after a change of a public name.
"""

import ast
import doctest
import inspect
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import runout
from runout.config.section import ConfigSection

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
_INTRODUCTION = """\
# API reference

*Generated from the docstrings by `python -m tools.api_reference`; do not edit.*

These names are public; anything else may change without notice. `help(runout.solve_spot)` has the
arguments and errors of each.
"""
#: What a class is called by; a dataclass has neither, its fields are its parameters.
_CONSTRUCTORS = ("__init__", "__call__")
#: A constructor with more parameters is not for users.
_MAX_PARAMETERS = 8
_MAX_COLUMNS = 100


def make_page() -> str:
    """Returns the whole page."""
    names = sorted((name for name in runout.__all__ if name != "__version__"), key=str.lower)
    return "\n".join([_INTRODUCTION, *(_section(name, getattr(runout, name)) for name in names)])


def _section(name: str, thing: Any) -> str:
    """Returns what the page says about one name."""
    docstring = inspect.getdoc(thing) or ""
    parts = [
        f"## {name}",
        f"```text\n{_signature(name, thing)}\n```",
        _first_paragraph(docstring),
    ]
    if methods := [f"- `{line}`: {text}" for line, text in _methods(thing)]:
        parts.append("\n".join(methods))
    if example := _example(docstring):
        parts.append(f"```pycon\n{example}\n```")
    return "\n\n".join(parts) + "\n"


def _first_paragraph(docstring: str) -> str:
    """Returns the first paragraph; names in Markdown's quotes."""
    return docstring.partition("\n\n")[0].replace("``", "`")


def _example(docstring: str) -> str:
    """Returns the lines of all examples, without marks for doctest."""
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(docstring):
        source = [line.partition("  # doctest:")[0] for line in example.source.splitlines()]
        lines += [f"{'...' if number else '>>>'} {line}" for number, line in enumerate(source)]
        lines += example.want.splitlines()
    return "\n".join(lines)


def _signature(name: str, thing: Any) -> str:
    """Returns a call with its parameters as the source writes them, one per line if it is long."""
    if inspect.ismodule(thing):
        return f"from runout import {name}"
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    found, returns = [node], ""
    if isinstance(node, ast.ClassDef):
        if issubclass(thing, ConfigSection):
            return f"{name}(**keys)  # docs/configuration.md"
        found = [each for each in node.body if getattr(each, "name", "") in _CONSTRUCTORS]
        fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
        parameters = fields if len(fields) <= _MAX_PARAMETERS else ["..."]
    for function in found:
        assert isinstance(function, ast.FunctionDef)
        parameters = list(_parameters(function.args))
        if function.name != "__init__" and function.returns is not None:
            returns = f" -> {ast.unparse(function.returns)}"
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) > _MAX_COLUMNS:
        line = f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){returns}"
    return line


def _parameters(given: ast.arguments) -> Iterator[str]:
    """Yields the parameters one by one, as they are written."""
    positional = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
    for parameter, default in zip(positional, defaults, strict=True):
        if parameter.arg not in ("self", "cls"):
            yield _parameter(parameter, default)
    if given.vararg is not None:
        yield f"*{ast.unparse(given.vararg)}"
    elif given.kwonlyargs:
        yield "*"
    for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(parameter, default)
    if given.kwarg is not None:
        yield f"**{ast.unparse(given.kwarg)}"


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    text = ast.unparse(parameter)
    return text if default is None else f"{text} = {ast.unparse(default)}"


def _methods(thing: Any) -> Iterator[tuple[str, str]]:
    """Yields public functions, methods and properties, each with the first part of its docstring.

    Those of configs serve the solver, and errors have none.
    """
    if inspect.ismodule(thing):
        for name, function in inspect.getmembers(thing, inspect.isfunction):
            if name[0] != "_" and function.__module__ == thing.__name__:
                call = f"{name}({', '.join(inspect.signature(function).parameters)})"
                yield call, " ".join(_first_paragraph(inspect.getdoc(function) or "").split())
    if not inspect.isclass(thing) or issubclass(thing, Exception | ConfigSection):
        return
    places = [each for each in thing.__mro__ if each.__module__.startswith("runout.")]
    names = dict.fromkeys(name for place in places for name in vars(place) if name[0] != "_")
    for name in [each for each in names if each not in thing.__annotations__]:
        found = inspect.getattr_static(thing, name)
        is_value = isinstance(found, property | cached_property)
        function = found if is_value else getattr(thing, name)
        docstring = inspect.getdoc(function)
        if docstring and (is_value or inspect.isroutine(function)):
            given = [] if is_value else list(inspect.signature(function).parameters)
            call = f"({', '.join(each for each in given if each != 'self')})"
            text = " ".join(_first_paragraph(docstring).split())
            yield (name if is_value else name + call), text


if __name__ == "__main__":
    PAGE.write_text(make_page())
