"""The notebook and the site are made from the pages, and what pages name is there."""

import json
import re
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from tools.docs_site import site_links
from tools.notebook import NOTEBOOK, PAGE, make_notebook

ROOT = Path(__file__).parents[2]
SITE = SimpleNamespace(
    get_file_from_path=lambda name: name if name in ("a.md", "glossary.md") else None
)


def test_the_notebook_is_current():
    assert make_notebook(PAGE.read_text()) == NOTEBOOK.read_text(), "run: python -m tools.notebook"


def test_code_of_the_notebook_is_python():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    for text in code:
        compile(text, "cell", "exec")


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[words](../GLOSSARY.md#cards)", "[words](glossary.md#cards)"),
        ("[test](../tests/test_words.py)", "`test`"),
        ("[`test`](../tests/test_words.py)", "`test`"),
        ("[here](#cards) ![x](y.png)", "[here](#cards) ![x](y.png)"),
        ("```text\n[a](../nowhere)\n```", "```text\n[a](../nowhere)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site_or_become_text(markdown, expected):
    assert site_links(markdown, PurePosixPath("docs/index.md"), SITE) == expected


def test_a_link_that_leads_nowhere_stops_the_site():
    with pytest.raises(FileNotFoundError, match="leads nowhere"):
        site_links("[x](nowhere.md)", PurePosixPath("docs/index.md"), SITE)


def test_tests_that_a_page_names_exist():
    names = re.findall(r"`(tests/[\w/.]+)`", (ROOT / "docs/trust.md").read_text())
    assert len(names) > 15
    assert [name for name in names if not (ROOT / name).exists()] == []
