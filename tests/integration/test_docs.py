"""Every snippet of every page runs, and gives what the page says; see `snippets`."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runout.cli.program import app
from tests.integration.snippets import (
    LANGUAGES,
    Block,
    find_broken_promise,
    find_difference,
    read_blocks,
    read_commands,
    read_statements,
    run_statement,
)

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("configs/*.md")])
PAGES_WITH_CODE = [
    page for page in PAGES if {b.language for b in read_blocks(page)} & {"console", "python"}
]
# They make the .venv in which this runs.
INSTALLATION = {"python3", ".venv/bin/pip"}

each_page = pytest.mark.parametrize(
    "page", PAGES_WITH_CODE, ids=lambda page: page.relative_to(ROOT).as_posix()
)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A directory as a reader has it: the checkout's files, and nothing solved yet."""
    for name in ("configs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


def runs_of_target(target: str) -> list[list[str]]:
    """Returns the commands of ours that ``make target`` runs."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)*)", (ROOT / "Makefile").read_text(), re.M)
    assert recipe, f"the Makefile has no target {target}"
    return [line.split()[1:] for line in recipe[1].splitlines() if "$(BIN)/runout " in line]


def run_command(words: list[str]) -> list[str]:
    """Runs one command of a page and returns the lines it prints, on stderr if it fails."""
    program, *arguments = words
    if program == "make":
        return [
            line for run in runs_of_target(arguments[0]) for line in run_command(["runout", *run])
        ]
    if program in INSTALLATION or arguments[:1] == ["--install-completion"]:
        return []
    assert program.removeprefix(".venv/bin/") == "runout", f"{program} cannot be run here"
    target = None
    if ">" in arguments:
        *arguments, _, target = arguments
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if target is not None:
        Path(target).write_text(result.stdout)
        return []
    return (result.stderr if result.exit_code else result.stdout).splitlines()


def problems_of_console(block: Block) -> Iterator[str]:
    for line, words, quoted in read_commands(block):
        printed = run_command(words)
        difference = find_difference(quoted, printed, block.share)
        if not quoted and any(text.startswith("error: ") for text in printed):
            difference = "\n".join(printed)
        if difference is not None:
            yield f"line {line}: {' '.join(words)}\n{difference}"


def problems_of_python(block: Block, names: dict[str, object]) -> Iterator[str]:
    for line, statement, comment in read_statements(block):
        try:
            value = run_statement(statement, names)
        except Exception as error:
            yield f"line {line}: {type(error).__name__}: {error}"
            return
        if problem := find_broken_promise(comment, value, block.share):
            yield f"line {line}: {problem}"


def problems_of_page(blocks: list[Block]) -> Iterator[str]:
    names: dict[str, object] = {}
    for block in blocks:
        if block.language == "console":
            yield from problems_of_console(block)
        elif block.language == "python":
            yield from problems_of_python(block, names)


def test_every_block_says_what_it_is():
    unknown = [
        f"{page.relative_to(ROOT)}:{block.line}"
        for page in PAGES
        for block in read_blocks(page)
        if block.language not in LANGUAGES
    ]
    assert not unknown, "\n".join(["```console, python, yaml or text:", *unknown])


@each_page
def test_snippets_give_what_the_page_says(page, desk):
    blocks = [block for block in read_blocks(page) if not block.is_slow]
    problems = list(problems_of_page(blocks))
    assert not problems, "\n\n".join(problems)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES_WITH_CODE if any(block.is_slow for block in read_blocks(page))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_long_snippets_give_what_the_page_says(page, desk):
    problems = list(problems_of_page(read_blocks(page)))
    assert not problems, "\n\n".join(problems)
