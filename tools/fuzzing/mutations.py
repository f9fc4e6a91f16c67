"""Mutations of texts, bytes and JSON documents, all drawn from one random generator."""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

#: Longer inputs cost time and find nothing new.
MAX_CHARACTERS = 20_000

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

EXTREME_NUMBERS = (
    *("0", "-0", "-1", "1", "2", "0.5", "1e-320", "1e-9", "1e9", "1e308", "1e400", "-1e400"),
    *("1e999999999", "2147483648", "9223372036854775808", "-9223372036854775809", "NaN", "inf"),
    *(".nan", ".inf", "-.inf", "0x10", "1_000", "010", "00", "1.", ".", "9" * 30, "9" * 5000),
    *("0." + "0" * 400 + "1", "1e", "+5", "\u0663", "\u00b2", "\uff15"),
)
ODD_TEXTS = (
    *("", " ", "\n", "\r\n", "\t", "\0", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "\u200b"),
    *(
        "\u202e",
        "\u0130",
        "\u00df",
        "\ufb03",
        "\u1e9e",
        "e\u0301",
        "\U0001f0a1",
        "\ud800",
        "\u5b57",
    ),
    *("null", "~", "true", "yes", "<<", "*a", "&a ", "!!python/object:os.system ", "!!int ", "---"),
    *("...", "{", "}", "[", "]", ":", ",", "-", "+", "%", "x", "'", '"', "#", "|", ">", "\\", "/"),
    *("random", "auto", "allin", "r:0", "None", "nan", "AKs:0.5", "100%", "2.5x", "../..", "C:\\"),
)
_ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, 1e308, 1e-320),
    *(float("nan"), float("inf"), -float("inf"), "", "x", "\0", "1", "nan", [], {}, [[]], {"": {}}),
    *([1, 2], [None], {"a": 1}, "A" * 300, "\ud800", "../../etc/passwd"),
)


def mutate_text(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Returns a text after one to four mutations, most often one.

    Args:
        rng: decides everything.
        text: a valid input.
        others: valid inputs of the same kind, to splice with.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        text = rng.choice(_TEXT_MUTATIONS)(rng, text, others)[:MAX_CHARACTERS]
    return text


def mutate_bytes(rng: random.Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Returns bytes after one to four mutations: bits, cuts, repeats, and edits as text."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        at = rng.randrange(len(content) + 1)
        to = min(at + rng.choice((1, 1, 2, 4, 8, 64)), len(content))
        match rng.randrange(5):
            case 0:
                content = content[:at] + rng.randbytes(to - at) + content[to:]
            case 1:
                content = content[:at] + content[to:]
            case 2:
                content = content[:at] + content[at:to] * rng.choice((2, 3, 500)) + content[to:]
            case 3:
                other = rng.choice(others)
                content = content[:at] + other[rng.randrange(len(other) + 1) :]
            case _:
                texts = [other.decode("latin-1") for other in others]
                text = mutate_text(rng, content.decode("latin-1"), texts)
                content = text.encode("latin-1", "replace")
    return content


def mutate_document(rng: random.Random, value: Any) -> Any:
    """Returns a JSON document of which one to three values, keys or entries are others."""
    document = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 2, 3))):
        document = _mutate_value(rng, document)
    return document


def _mutate_value(rng: random.Random, value: Any) -> Any:
    """Goes down to a random place of a document and changes what is there."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        match rng.randrange(8):
            case 0:
                return {name: value[name] for name in value if name != key}
            case 1:
                return {**value, rng.choice(ODD_TEXTS): value[key]}
            case 2:
                return {**value, key: value[rng.choice(list(value))]}
            case _:
                return {**value, key: _mutate_value(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        match rng.randrange(6):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value + [value[at]] * rng.choice((1, 2, 100))
            case _:
                return [*value[:at], _mutate_value(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and rng.random() < 0.5:
        return mutate_text(rng, value, [value])
    if isinstance(value, int | float) and rng.random() < 0.5:
        return rng.choice((-value, value + 1, value * 10**30, value // 3, str(value)[:99], [value]))
    return rng.choice(_ODD_VALUES)


def _edit_character(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    near = rng.choice(rng.choice(others) or " ")
    new = rng.choice((near, chr(rng.randrange(32, 127)), chr(rng.randrange(0x3000)), ""))
    return text[:at] + new + text[at + rng.randrange(2) :]


def _insert_odd_text(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(ODD_TEXTS) + text[at:]


def _remove_piece(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.choice((1, 2, 5, 20, 100)) :]


def _repeat_piece(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    piece = text[at : at + rng.choice((1, 2, 5, 20))]
    return text[:at] + piece * rng.choice((2, 3, 10, 1000)) + text[at:]


def _splice(rng: random.Random, text: str, others: Sequence[str]) -> str:
    other = rng.choice(others)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def _swap_tokens(rng: random.Random, text: str, others: Sequence[str]) -> str:
    tokens = _TOKEN.findall(text)
    if len(tokens) < 2:
        return text
    a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return "".join(tokens)


def _borrow_token(rng: random.Random, text: str, others: Sequence[str]) -> str:
    tokens, donors = _TOKEN.findall(text), _TOKEN.findall(rng.choice(others))
    if not tokens or not donors:
        return text
    tokens[rng.randrange(len(tokens))] = rng.choice(donors)
    return "".join(tokens)


def _replace_number(rng: random.Random, text: str, others: Sequence[str]) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text + rng.choice(EXTREME_NUMBERS)
    number = rng.choice(found)
    return text[: number.start()] + rng.choice(EXTREME_NUMBERS) + text[number.end() :]


def _change_case(rng: random.Random, text: str, others: Sequence[str]) -> str:
    return rng.choice((str.upper, str.lower, str.swapcase, str.title))(text)


def _repeat_line(rng: random.Random, text: str, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = rng.randrange(len(lines))
    return "".join([*lines[:at], lines[at], *lines[at:]])


_TEXT_MUTATIONS: tuple[Callable[[random.Random, str, Sequence[str]], str], ...] = (
    *(_edit_character, _edit_character, _insert_odd_text, _remove_piece, _repeat_piece, _splice),
    *(_swap_tokens, _borrow_token, _borrow_token, _replace_number, _replace_number),
    *(_change_case, _repeat_line),
)
