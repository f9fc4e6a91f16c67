"""Help, errors, events and documentation are plain English: phrases of other languages are banned.

`tests/data/banned_phrases.txt` has a regular expression per line. Docstrings are looked at where
they are help, in `runout.cli`; elsewhere they are for reviewers. proselint reads the pages too.
"""

import ast
import re
from pathlib import Path

import pytest
from proselint import checks
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).parents[1]
PHRASES = (ROOT / "tests/data/banned_phrases.txt").read_text().split("\n")
BANNED = re.compile(rf"\b(?:{'|'.join(filter(None, PHRASES))})\b", re.IGNORECASE)
TOP = ("README.md", "GLOSSARY.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
PAGES = [*ROOT.glob("docs/*.md"), *ROOT.glob("configs/*"), *map(ROOT.joinpath, TOP)]


# Of proselint, what is about words: typography is that of Markdown, and numbers may be alike.
NOT_ABOUT_WORDS = ("annotations", "dates_times", "lexical_illusions", "typography")
CheckRegistry().register_many(checks.__register__)
HOUSE_STYLE = {"checks": DEFAULT["checks"] | dict.fromkeys(NOT_ABOUT_WORDS, False)}


def find_banned(text):
    """Yields the banned phrases of a text with the words around them, across line ends."""
    flat = " ".join(text.split())
    for found in BANNED.finditer(flat):
        yield f"...{flat[max(found.start() - 30, 0) : found.end() + 30]}..."


def texts_of(path):
    """Yields the strings of a module but for docstrings, which count in the command line only."""
    tree = ast.parse(path.read_text())
    has_docstring = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    owners = [node for node in ast.walk(tree) if isinstance(node, has_docstring) and node.body]
    docstrings = {id(node.body[0].value) for node in owners if isinstance(node.body[0], ast.Expr)}
    is_help = "cli" in path.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if is_help or id(node) not in docstrings:
                yield node.value


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages_are_plain(page):
    # Output of the program, which its own test reads, and code.
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    assert list(find_banned(text)) == []
    words = re.sub(r"`[^`\n]*`", "code", text)
    found = LintFile(page.name, words).lint(DEFAULT | HOUSE_STYLE)
    assert [each.check_result.message for each in found] == []


def test_proselint_is_listening():
    text = LintFile("page", "It is a very unique and most perfect circle, at this point in time.")
    assert text.lint(DEFAULT | HOUSE_STYLE)


@pytest.mark.parametrize("package", sorted(p.name for p in (ROOT / "src/runout").iterdir()))
def test_help_errors_and_events_are_plain(package):
    place = ROOT / "src/runout" / package
    files = [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))
    found = [(f.name, phrase) for f in files for t in texts_of(f) for phrase in find_banned(t)]
    assert found == []


def test_the_list_finds_phrases_and_no_others():
    assert list(find_banned("It ends after so\nmany iterations, whoever acts."))
    assert not list(find_banned("A strategy of whole hands; weekends after five; suchlike."))
