"""`runout config`: starter files, all errors of a file, and JSON Schema for editors."""

import itertools
import json
from pathlib import Path

import pytest

from runout.cli.app import COMMANDS
from runout.config.load import load_yaml, parse_config
from runout.config.spot import ReportConfig, SpotConfig

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
KINDS = ["preflop", "flops", "spot", "report", "sweep"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_starter_file_is_a_commented_config(run, tmp_path, kind):
    text = run("config", "init", kind).stdout
    first, _, *lines = text.splitlines()
    command = first.removeprefix("# runout ").partition(" -c ")[0]
    assert command in COMMANDS
    assert max(map(len, lines)) <= 100
    for above, line in itertools.pairwise(lines):
        assert above.lstrip().startswith("#") != line.lstrip().startswith("#")
    config = parse_config(text)
    if kind in ("spot", "report"):
        assert type(config) is {"spot": SpotConfig, "report": ReportConfig}[kind]
    path = tmp_path / "new.yaml"
    assert run("config", "init", kind, "-o", str(path)).exit_code == 0
    assert run("config", "validate", str(path)).exit_code == 0
    assert "--overwrite" in run("config", "init", kind, "-o", str(path)).stderr


def test_configs_that_ship_are_listed_and_written(run, tmp_path):
    lines = run("config", "init").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert names == [*KINDS, *(path.stem for path in CONFIGS)]
    assert all(len(line.split(maxsplit=1)[1]) > 10 for line in lines)
    path = tmp_path / "mine.yaml"
    assert run("config", "init", "smoke", "-o", str(path)).exit_code == 0
    assert path.read_text() == next(p for p in CONFIGS if p.stem == "smoke").read_text()


def test_an_unknown_config_is_named_with_those_there_are(error_line):
    line = error_line("config", "init", "smok")
    assert line.startswith("NAME: 'smok' is not one of preflop, ")
    assert "smoke" in line


def test_all_errors_of_a_file_are_reported_with_their_lines(run, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("board: QsJh2h\noop: AX\nip: [77]\npot: 0\nstak: 9\ntarget: 0.5\nstack: 5\n")
    result = run("config", "validate", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert [line.rpartition("(line ")[2] for line in lines] == ["2)", "3)", "4)", "5)", "6)"]
    assert all(line.startswith(f"error: {path}: ") for line in lines)


def test_a_file_that_is_no_yaml_has_one_error(run, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("board: QsJh2h\n\toop: AA\n")
    result = run("config", "validate", str(path))
    assert result.exit_code == 2
    assert result.stderr == f"error: {path}: is not YAML: a tab begins the line, " + (
        "indent with spaces (line 2)\n"
    )


def test_all_configs_that_are_shipped_are_valid(run):
    result = run("config", "validate", *map(str, CONFIGS))
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == len(CONFIGS)


def test_a_kind_that_does_not_exist_is_refused(run):
    assert "'spto' is not one of preflop, flops, spot, report, sweep, did you mean spot?" in (
        run("config", "schema", "spto").stderr
    )


def fits(value, schema, root):
    """Whether a value fits a schema: types, enums, ranges, keys and choices."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        num_fits = sum(fits(value, choice, root) for choice in choices)
        return num_fits == 1 if "oneOf" in schema else num_fits > 0
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return False
    names = {bool: "boolean", str: "string", type(None): "null", list: "array", int: "integer"}
    name = names.get(type(value), "object" if isinstance(value, dict) else "number")
    types = schema.get("type", name)
    types = [types] if isinstance(types, str) else types
    if name not in types and not (name == "integer" and "number" in types):
        return False
    if name in ("integer", "number"):
        low, above = schema.get("minimum", value), schema.get("exclusiveMinimum", value - 1)
        return low <= value <= schema.get("maximum", value) and value > above
    if isinstance(value, list):
        return all(fits(entry, schema.get("items", {}), root) for entry in value)
    if isinstance(value, dict) and "properties" in schema:
        keys = schema["properties"]
        is_closed = schema.get("additionalProperties") is False
        if set(schema.get("required", ())) - set(value) or (is_closed and set(value) - set(keys)):
            return False
        return all(fits(part, keys.get(key, {}), root) for key, part in value.items())
    return True


def test_every_shipped_config_fits_the_schema_of_its_kind_and_no_mistake_does(run):
    schemas = {kind: json.loads(run("config", "schema", kind).stdout) for kind in KINDS}
    kinds = {"postflop": "flops", "lab": "flops", "spot": "spot", "report": "report"}
    for path in CONFIGS:
        start = path.name.partition("_")[0]
        if start == "sweep":
            continue
        schema, document = schemas[kinds.get(start, "preflop")], load_yaml(path)
        assert fits(document, schema, schema), path
        assert not fits({**document, "strange": 1}, schema, schema), path
    for schema in schemas.values():
        assert schema["$schema"].endswith("2020-12/schema")
        assert all("description" in key for key in schema["properties"].values())
    spot = schemas["spot"]["properties"]
    assert spot["target"]["default"] == "0.5%"
    assert spot["rivers"]["enum"] == ["auto", "exact", "compact"]


def test_all_errors_of_files_are_one_document(run, tmp_path):
    (tmp_path / "bad.yaml").write_text("sweep: {grid: {seed: [1]}}\npostflop_model: {seeed: 1}\n")
    result = run("config", "validate", str(CONFIGS[0]), str(tmp_path / "bad.yaml"), "--json")
    good, bad = json.loads(result.stdout)["files"]
    assert result.exit_code == 2
    assert good["errors"] == []
    assert good["kind"] is not None
    assert len(bad["errors"]) == 2
    assert (
        "sweep.grid.seed: is repeated for every choice, write seeds beside grid" in bad["errors"][0]
    )
    assert bad["kind"] is None


FORMATS = Path(__file__).parents[1] / "data" / "formats"


def test_a_file_of_another_program_becomes_a_config_that_says_what_it_lacks(run, tmp_path):
    source, target = FORMATS / "postflop_configurations.json", tmp_path / "spot.yaml"
    chosen = ["import", str(source), "--pick", "3bet"]
    result = run(*chosen, "--board", "Td9d6h", "-o", str(target))
    assert result.exit_code == 0
    lines = [
        "oopFlopRaise: '100c3r' is no size of ours",
        "the file has no range of OOP, oop is random",
        "the file has no range of IP, ip is random",
    ]
    assert result.stderr.splitlines() == [*lines, f"wrote {target}"]
    assert target.read_text().splitlines()[1:5] == [
        *(f"# {each}" for each in lines),
        ("board: Td9d6h"),
    ]
    config = parse_config(target.read_text())
    assert (config.pot, config.stack, config.board) == (220, 890, "Td9d6h")
    assert "--overwrite" in run(*chosen, "-o", str(target)).stderr
    text = run("import", str(target)).stderr
    assert "is a file of none of" in text


def test_a_file_is_read_from_stdin_and_printed_as_json(run):
    source = FORMATS / "texas_sample.txt"
    document = json.loads(run("import", str(source), "--json").stdout)
    assert document["program"] == "TexasSolver"
    (item,) = document["items"]
    assert item["config"]["raise_sizes"]["river"] == ["60%", "100%", "a"]
    assert item["left_out"] == []
    assert (
        run("import", "-", stdin="AA-QQ,[25]AK[/25]").stdout == "range: 'QQ+,AKs:0.25,AKo:0.25'\n"
    )


def test_commands_that_read_configs_name_import(run):
    problem = run("solve-spot", "-c", str(FORMATS / "texas_sample.txt"), "-o", "out").stderr
    assert "is a file of another program, convert it: runout import" in problem
