"""The config reference, made from the typed fields, so that it cannot fall behind them.

``python -m runout.config.describe docs/configuration.md`` renews the part of the page between the
two marks; the rest is written by hand.
"""

import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from runout.config.backends import BACKENDS, load_config_class
from runout.config.joint import SECTION as JOINT_SECTION
from runout.config.joint import JointConfig, PotSizesConfig
from runout.config.postflop import SECTION as POSTFLOP_SECTION
from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import FlopKeys
from runout.config.preflop import SECTION as PREFLOP_SECTION
from runout.config.preflop import PreflopConfig
from runout.config.presets import PREFLOP_PRESETS, PRESETS
from runout.config.run import RunConfig
from runout.config.section import ConfigSection
from runout.config.spot import SpotConfig
from runout.config.yaml_text import format_yaml

BEGIN_MARK = "<!-- begin: made by python -m runout.config.describe -->"
END_MARK = "<!-- end -->"


def format_reference() -> str:
    """Returns the keys and the presets of all sections as Markdown tables."""
    parts = [
        "### Keys of a run",
        _format_keys(RunConfig),
        f"### Keys of `{JOINT_SECTION}`",
        _format_keys(JointConfig),
        "### Keys of `limped`, `raised` and `reraised`",
        _format_keys(PotSizesConfig),
        f"### Keys of `{PREFLOP_SECTION}`",
        _format_keys(PreflopConfig),
        _format_presets(PreflopConfig, PREFLOP_PRESETS),
        f"### Keys of `{POSTFLOP_SECTION}`",
        _format_keys(FlopKeys),
        _format_presets(PostflopModelConfig, PRESETS),
        *(part for name in BACKENDS for part in _format_backend(name)),
        "### Keys of a spot",
        _format_keys(SpotConfig),
    ]
    return "\n\n".join(parts) + "\n"


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


def _format_backend(name: str) -> list[str]:
    """Returns the keys that a backend adds, and what presets set of them."""
    kind: type[PostflopModelConfig] = load_config_class(name)
    about = f"{inspect.getdoc(kind)} `cfr_variant: null` is `{kind.best_variant}`."
    presets = [_format_presets(kind, kind.presets)] if kind.presets else []
    heading = f"### More keys with `solve_type: {name}`"
    return [heading, about, _format_keys(kind, kind.own_keys()), *presets]


def _format_keys(section: type[ConfigSection], keys: Sequence[str] | None = None) -> str:
    defaults = section.model_construct().to_mapping()  # without the keys that must be given
    rows = []
    for key in section.model_fields if keys is None else keys:
        about = section.about(key)
        default = _inline(defaults[key]) if key in defaults else "must be given"
        rows.append([f"`{key}`", about.allowed, default, about.unit, about.description])
    return _format_table(["key", "type and range", "default", "unit", "meaning"], rows)


def _format_presets(
    section: type[ConfigSection], presets: Mapping[str, Mapping[str, object]]
) -> str:
    mappings = [section.model_validate({"preset": name}).to_mapping() for name in presets]
    keys = dict.fromkeys(key for preset in presets.values() for key in preset)
    rows = [[f"`{key}`", *(_inline(mapping[key]) for mapping in mappings)] for key in keys]
    return _format_table(["preset", *(f"`{name}`" for name in presets)], rows)


def _inline(value: object) -> str:
    # In a list, because YAML ends a scalar that stands alone with "...".
    return f"`{format_yaml([value], is_inline=True).strip()[1:-1]}`"


def _format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    _page = Path(sys.argv[1])
    _page.write_text(renew_reference(_page.read_text("utf-8")), "utf-8")
