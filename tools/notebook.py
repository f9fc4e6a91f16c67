"""Writes `examples/research.ipynb` from `docs/research.md`, whose snippets the tests run.

python -m tools.notebook
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE, NOTEBOOK = ROOT / "docs/research.md", ROOT / "examples/research.ipynb"


def make_notebook(page: str) -> str:
    """Returns the notebook of a page: blocks of Python are cells of code, the rest is text.

    Links of a page lead nowhere from a notebook and become plain text.
    """
    cells = list[dict[str, object]]()
    parts = re.split(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    for number, text in enumerate(parts):
        source = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.strip()).splitlines(keepends=True)
        kind = "code" if number % 2 else "markdown"
        cell: dict[str, object] = {"cell_type": kind, "id": f"c{number}", "metadata": {}}
        code: dict[str, object] = {"execution_count": None, "outputs": []} if number % 2 else {}
        cells.append({**cell, "source": source, **code})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(make_notebook(PAGE.read_text("utf-8")), "utf-8")
