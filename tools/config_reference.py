"""The tables of all config keys in docs/configuration.md, made from JSON Schema of the sections.

``python -m tools.config_reference docs/configuration.md`` renews the part of the page between the
two marks; the rest is written by hand.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from runout.config.flops import BACKENDS, FlopsConfig, JointConfig, PotSizesConfig
from runout.config.run import PreflopConfig, RunConfig
from runout.config.section import ALLOWED, END, NOTHING, ConfigSection
from runout.config.spot import SpotConfig
from runout.config.yaml_text import format_yaml

BEGIN_MARK = "<!-- begin: made by python -m tools.config_reference -->"
END_MARK = "<!-- end -->"


def format_reference() -> str:
    """Returns the keys and the presets of all sections as Markdown tables."""
    mccfr = BACKENDS["mccfr"]
    parts = [
        "### Keys of a run",
        format_keys(RunConfig),
        "### Keys of `joint`",
        format_keys(JointConfig),
        "### Keys of `limped`, `raised` and `reraised`",
        format_keys(PotSizesConfig),
        "### Keys of `preflop`",
        format_keys(PreflopConfig),
        _format_presets(PreflopConfig),
        "### Keys of `postflop_model`",
        format_keys(mccfr, FlopsConfig.model_fields),
        _format_presets(mccfr),
        *(part for kind in BACKENDS.values() for part in _format_backend(kind)),
        "### Keys of a spot",
        format_keys(SpotConfig, ["board", *SpotConfig.model_fields]),
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


def format_keys(section: type[ConfigSection], names: Iterable[str] | None = None) -> str:
    """Returns the table of some keys of a section, by default of all."""
    schema = section.model_json_schema(mode="serialization")  # with defaults as YAML has them
    keys, rows = schema["properties"], []
    for name in dict.fromkeys(section.model_fields if names is None else names):
        default = _inline(keys[name]["default"]) if "default" in keys[name] else "must be given"
        allowed = ", or ".join(dict.fromkeys(_allowed(keys[name], schema.get("$defs", {}))))
        text = " ".join(keys[name]["description"].split())
        if name == "solve_type":
            allowed, default = f"one of {', '.join(BACKENDS)}", "`mccfr`"
        decides = next((note for note in (END, NOTHING) if name in section.keys_with(note)), "game")
        rows.append([f"`{name}`", allowed, default, decides, text])
    return _format_table(["key", "type and range", "default", "decides", "meaning"], rows)


def _format_backend(kind: type[FlopsConfig]) -> list[str]:
    """Returns the keys that a backend adds, and what presets set of them."""
    own = [key for key in kind.model_fields if key not in FlopsConfig.model_fields]
    name = kind.model_fields["solve_type"].default
    about = f"{inspect.getdoc(kind)} `cfr_variant: null` is `{kind.best_variant}`."
    others = FlopsConfig.presets
    changed = {
        key: None
        for name, preset in kind.presets.items()
        for key, value in preset.items()
        if others[name].get(key) != value
    }
    presets = [_format_presets(kind, list(changed))] if changed else []
    return [f"### More keys with `solve_type: {name}`", about, format_keys(kind, own), *presets]


def _allowed(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    choices = schema.get("anyOf") or schema.get("oneOf")
    if not choices:
        yield allowed_by(schema)
    for choice in choices or ():
        yield from _allowed(choice, definitions)


_NOUNS = {
    "boolean": "true or false",
    "object": "a mapping of keys to values",
    "array": "a list",
    "string": "a text",
}


def allowed_by(schema: Mapping[str, Any]) -> str:
    """Returns what JSON Schema allows, as a noun phrase."""
    if ALLOWED in schema:
        return str(schema[ALLOWED])
    if words := [schema["const"]] if "const" in schema else schema.get("enum"):
        return f"one of {', '.join(map(str, words))}"
    low, high, above = map(schema.get, ("minimum", "maximum", "exclusiveMinimum"))
    match schema.get("type"):
        case "integer":
            step = schema.get("multipleOf")
            noun = "whole number" if step is None else f"multiple of {step}"
            return f"a {noun} from {low} {'up' if high is None else f'to {high}'}"
        case "number" if high is not None:
            start = f"above {above} and up" if low is None else f"from {low:,g}"
            return f"a number {start} to {high:,.10g}"
        case "number" if low is above is None:
            return "a number"
        case "number":
            return "a positive number" if low is None else "0 or a positive number"
        case kind:
            return _NOUNS.get(str(kind), str(kind))


def _format_presets(section: type[ConfigSection], keys: Sequence[str] | None = None) -> str:
    mappings = [section.model_validate({"preset": name}).to_mapping() for name in section.presets]
    given = dict.fromkeys(key for preset in section.presets.values() for key in preset)
    shown = [key for key in given if key in (section.model_fields if keys is None else keys)]
    rows = [[f"`{key}`", *(_inline(mapping[key]) for mapping in mappings)] for key in shown]
    return _format_table(["preset", *(f"`{name}`" for name in section.presets)], rows)


def _inline(value: object) -> str:
    # In a list, because YAML ends a scalar that stands alone with "...".
    return f"`{format_yaml([value], is_inline=True).strip()[1:-1]}`"


def _format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    _page = Path(sys.argv[1])
    _page.write_text(renew_reference(_page.read_text("utf-8")), "utf-8")
