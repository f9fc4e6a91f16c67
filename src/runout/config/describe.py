"""The config reference, made from the typed fields, so that it cannot fall behind them.

``python -m runout.config.describe docs/configuration.md`` renews the part of the page between the
two marks; the rest is written by hand.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from runout.config.postflop import PostflopModelConfig
from runout.config.presets import PRESETS
from runout.config.yaml_text import format_yaml

BEGIN_MARK = "<!-- begin: made by python -m runout.config.describe -->"
END_MARK = "<!-- end -->"


def format_reference() -> str:
    """Returns the keys and the presets of ``postflop_model`` as two Markdown tables."""
    return f"{_format_keys()}\n\n{_format_presets()}\n"


def renew_reference(page: str) -> str:
    """Returns a page with a fresh reference between its marks.

    Raises:
        ValueError: if the page does not have both marks.
    """
    before, begin, rest = page.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN_MARK} ... {END_MARK}")
    return f"{before}{BEGIN_MARK}\n\n{format_reference()}\n{END_MARK}{after}"


def _format_keys() -> str:
    defaults = PostflopModelConfig().to_mapping()
    rows = []
    for key, default in defaults.items():
        about = PostflopModelConfig.about(key)
        rows.append(
            [f"`{key}`", about.allowed, f"`{_inline(default)}`", about.unit, about.description]
        )
    return _format_table(["key", "type and range", "default", "unit", "meaning"], rows)


def _format_presets() -> str:
    keys = list(dict.fromkeys(key for preset in PRESETS.values() for key in preset))
    rows = []
    for key in keys:
        values = [
            PostflopModelConfig.model_validate({"preset": name}).to_mapping()[key]
            for name in PRESETS
        ]
        rows.append([f"`{key}`", *(f"`{_inline(value)}`" for value in values)])
    return _format_table(["preset", *(f"`{name}`" for name in PRESETS)], rows)


def _inline(value: object) -> str:
    # Below a key, because YAML ends a scalar that stands alone with "...".
    return format_yaml({"key": value}).strip().removeprefix("key: ")


def _format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    _page = Path(sys.argv[1])
    _page.write_text(renew_reference(_page.read_text("utf-8")), "utf-8")
