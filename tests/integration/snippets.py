"""Reads the snippets of a page and compares what they give with what the page says.

A block is ``console`` (commands after ``$`` and what they print), ``python``, ``pycon`` (an
example of a docstring, which `tests/test_public.py` runs), ``yaml`` or ``text``. What is printed is
compared line by line; a line ``...`` stands for any lines, times are not compared. A comment behind
a line of Python promises something if it begins with a number, a literal, a shape, a type,
``below`` or ``about``; else it is prose.

A remark in front of a block, invisible on the page, says more: ``<!-- about 10% -->`` lets numbers
differ by that share (what depends on the processor), ``<!-- slow -->`` keeps the block for
`make test-slow`.
"""

import ast
import re
import shlex
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

LANGUAGES = {"console", "python", "pycon", "yaml", "text"}
REMARK = re.compile(r"<!-- (?:about (?P<percent>\d+)%|(?P<slow>slow)) -->")
FENCE = re.compile(r"(?P<indent> *)```(?P<language>\w*)$")
DURATION = re.compile(r"\d+(:\d\d)+|\d+(\.\d+)? s\b")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(\.\d+)?(e-?\d+)?")
MATRIX_ROW = re.compile(r"[2-9TJQKA](.{6}){13}")
CELL = re.compile(r"(?P<first>[A-Z])((?P<percent>\d\d) (?P<second>[A-Z]))?")
ABOUT_SHARE = 0.1  # what `about` in a comment allows


@dataclass(frozen=True)
class Block:
    """A fenced block; `share` is by how much its numbers may differ."""

    language: str
    text: str
    line: int
    is_slow: bool = False
    share: float = 0.0


def read_blocks(path: Path) -> list[Block]:
    """Returns the fenced blocks of a page, in order."""
    blocks = []
    lines = iter(enumerate(path.read_text().splitlines(), start=1))
    remarks: list[re.Match[str]] = []
    for number, line in lines:
        if fence := FENCE.match(line):
            end = fence["indent"] + "```"
            text = "\n".join(
                inside.removeprefix(fence["indent"]) for inside in iter(lambda: next(lines)[1], end)
            )
            shares = [int(remark["percent"]) / 100 for remark in remarks if remark["percent"]]
            is_slow = any(remark["slow"] for remark in remarks)
            blocks.append(Block(fence["language"], text, number, is_slow, max(shares, default=0.0)))
            remarks = []
        elif line.strip():
            remarks = list(REMARK.finditer(line))
    return blocks


def read_commands(block: Block) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yields the line, the words and the quoted output of each command of a console block."""
    lines = iter(enumerate(block.text.replace("\\\n", "  ").splitlines(), start=block.line + 1))
    number, command, quoted = 0, "", []
    for following, line in lines:
        if line.startswith("$ "):
            if command:
                yield number, shlex.split(command, comments=True), quoted
            number, command, quoted = following, line[2:], []
        else:
            assert command, f"line {following}: output without a command, begin with `$`"
            quoted.append(line)
    yield number, shlex.split(command, comments=True), quoted


def find_difference(quoted: list[str], printed: list[str], share: float) -> str | None:
    """Returns how printed lines differ from what a page quotes of them, None if they do not."""
    expected = [line for line in quoted if line.strip()]
    remaining = [line for line in printed if line.strip()]
    may_skip = not expected
    for line in expected:
        if line == "...":
            may_skip = True
            continue
        candidates = remaining if may_skip else remaining[:1]
        found = [n for n, candidate in enumerate(candidates) if is_alike(line, candidate, share)]
        if not found:
            return "\n".join(["quoted:", line, "printed:", *remaining[:12]])
        remaining, may_skip = remaining[found[0] + 1 :], False
    if remaining and not may_skip:
        return "\n".join(["printed, not quoted:", *remaining[:12]])
    return None


def is_alike(quoted: str, printed: str, share: float) -> bool:
    """Whether a printed line is the quoted one, with numbers that differ by a share at most."""
    left, right = (DURATION.sub("(time)", line).rstrip() for line in (quoted, printed))
    if left == right or share == 0.0:
        return left == right
    if MATRIX_ROW.fullmatch(left) and MATRIX_ROW.fullmatch(right):
        return left[0] == right[0] and all(
            are_mixes_alike(left[at : at + 6].strip(), right[at : at + 6].strip(), share)
            for at in range(1, len(left), 6)
        )
    if [NUMBER.sub("#", word) for word in left.split()] != [
        NUMBER.sub("#", word) for word in right.split()
    ]:
        return False
    numbers = [[match.group() for match in NUMBER.finditer(line)] for line in (left, right)]
    return all(is_near(a, float(b.replace(",", "")), share) for a, b in zip(*numbers, strict=True))


def are_mixes_alike(quoted: str, printed: str, share: float) -> bool:
    """Whether two cells of a matrix, as ``R69 C``, mix nearly alike."""
    left, right = CELL.fullmatch(quoted), CELL.fullmatch(printed)
    if left is None or right is None:
        return quoted == printed
    frequencies = [
        {cell["second"]: 1 - int(cell["percent"] or 100) / 100}
        | {cell["first"]: int(cell["percent"] or 100) / 100}
        for cell in (left, right)
    ]
    actions = set().union(*frequencies)
    return all(abs(frequencies[0].get(a, 0) - frequencies[1].get(a, 0)) <= share for a in actions)


def is_near(quoted: str, number: float, share: float) -> bool:
    """Whether a number is the quoted one, up to a share of it and the last digit of a fraction."""
    digits, _, exponent = quoted.replace(",", "").partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    is_rounded = "." in digits or share > 0.0
    expected = float(quoted.replace(",", ""))
    return abs(number - expected) <= 1.001 * last_digit * is_rounded + share * abs(expected)


def read_statements(block: Block) -> Iterator[tuple[int, ast.stmt, str]]:
    """Yields the line, the statement and the comment behind it, for all of a Python block."""
    comments = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(StringIO(block.text).readline)
        if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(block.text).body:
        assert statement.end_lineno is not None
        comment = comments.get(statement.end_lineno, "")
        yield block.line + statement.lineno, statement, comment


def run_statement(statement: ast.stmt, names: dict[str, object]) -> object:
    """Runs a statement and returns its value, if it is an expression or assigns one to a name."""
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)
    exec(compile(ast.Module([statement], []), "<page>", "exec"), names)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return names[name]
    return None


def find_broken_promise(comment: str, value: object, share: float) -> str | None:
    """Returns what a comment promises of a value and is not so, None if it is, or is prose."""
    kept = True
    if found := re.match(r"(below|about) (-?[\d.]+)", comment):
        number = np.asarray(value).item()
        bound = float(found[2])
        kept = number < bound if found[1] == "below" else is_near(found[2], number, ABOUT_SHARE)
    elif found := re.match(r"(-?\d[\d,]*(\.\d+)?)(?=\.\.\.|,|;|$)", comment):
        kept = is_near(found[1], np.asarray(value).item(), share)
    elif found := re.match(r"('.*?'|\{.*\})(?=,|$)", comment):
        kept = value == ast.literal_eval(found[1])
    elif found := re.match(r"\[([\w, ]+)\]", comment):
        shape = [size.strip() for size in found[1].split(",")]
        kept = len(shape) == np.ndim(value) and all(
            size in {str(actual), "A", "N"}
            for size, actual in zip(shape, np.shape(value), strict=True)
        )
    elif found := re.match(r"(?:an? )?([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b", comment):
        kept = type(value).__name__ == found[1] or (value is None and "None" in comment)
    return None if kept else f"{comment!r} is not so: {value!r}"
