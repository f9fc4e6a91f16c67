"""Tests of `runout.config.section` and `runout.config.yaml_text`."""

import math
import pickle
from typing import Annotated, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.config.section import END, NOTHING, AllConfigErrors, ConfigSection
from runout.config.values import Count
from runout.config.yaml_text import format_yaml, parse_yaml, show_value
from runout.errors import ConfigError, suggest
from runout.trees.sizes import format_place


class Kitchen(ConfigSection):
    num_ovens: Count = 1
    heat: Annotated[float, END] = 300.0


class House(ConfigSection):
    presets: ClassVar = {"big": {"floors": 9}}

    floors: Count = 1
    kitchen: Kitchen
    second_kitchen: Annotated[Kitchen | None, NOTHING] = None


def problem_of(raw, section=Kitchen):
    with pytest.raises(ConfigError) as caught:
        section.parse(parse_yaml(raw) if isinstance(raw, str) else raw)
    return str(caught.value)


def test_errors_name_the_key_and_the_line_if_it_is_known():
    assert problem_of({"num_ovens": 0}) == "num_ovens: 0 should be greater than or equal to 1"
    assert problem_of("heat: 20\nnum_ovens: none") == (
        "num_ovens: 'none' is not a whole number (line 2)"
    )


def test_the_first_error_is_told_and_all_are_kept_in_the_order_of_the_file():
    with pytest.raises(AllConfigErrors) as caught:
        Kitchen.parse(parse_yaml("oven: 1\nheat: hot\nnum_ovens: 0"))
    assert str(caught.value) == (
        "oven: unknown key, did you mean num_ovens? (line 1); 2 more errors"
    )
    assert list(map(str, caught.value.errors)) == [
        "oven: unknown key, did you mean num_ovens? (line 1)",
        "heat: 'hot' is not a number (line 2)",
        "num_ovens: 0 should be greater than or equal to 1 (line 3)",
    ]


def test_unknown_keys_get_a_suggestion_or_a_list_or_their_place():
    assert problem_of({"number_ovens": 1}).endswith("did you mean num_ovens?")
    assert problem_of({"xyz": 1}) == "xyz: unknown key, allowed are num_ovens, heat"
    assert problem_of({"kitchen": {}, "heat": 1}, House) == (
        "heat: unknown key, write it below kitchen: or below second_kitchen:"
    )
    assert problem_of({"kitchen": {"floors": 2}}, House) == (
        "kitchen.floors: unknown key, write it at the top of the file"
    )


@pytest.mark.parametrize("name", ["kitchen", "second_kitchen"])
def test_errors_inside_a_section_name_the_whole_path(name):
    others = "kitchen: {}\n" if name == "second_kitchen" else "\n"
    assert problem_of(f"{others}{name}:\n  num_ovens: 0", House) == (
        f"{name}.num_ovens: 0 should be greater than or equal to 1 (line 3)"
    )
    assert problem_of(f"{others}{name}: 3", House).startswith(
        f"{name}: 3 is not a mapping of keys to values"
    )


def test_a_key_that_must_be_given_is_missed():
    assert problem_of({}, House) == "config: kitchen is missing"
    assert problem_of({"kitchen": {1: 2}}, House) == (
        "kitchen.1: unknown key, allowed are num_ovens, heat"
    )
    assert problem_of(3) == "config: 3 is not a mapping of keys to values"


def test_a_preset_fills_in_what_is_not_given():
    assert House.parse({"preset": "big", "kitchen": {}}).floors == 9
    assert House.parse({"preset": "big", "kitchen": {}, "floors": 2}).floors == 2
    assert problem_of("kitchen: {}\npreset: bgi", House) == (
        "preset: 'bgi' is not one of big, did you mean big? (line 2)"
    )


def test_a_digest_has_what_the_keys_decide():
    kitchen = Kitchen(num_ovens=2)
    assert kitchen.digest_mapping() == {"num_ovens": 2, "heat": 300.0}
    assert kitchen.game_mapping() == {"num_ovens": 2}
    house = House(kitchen=kitchen, second_kitchen=Kitchen())
    assert house.digest_mapping() == {"floors": 1, "kitchen": kitchen.to_mapping()}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (math.nan, ".nan"),
        (-math.inf, "-.inf"),
        (0.5, "0.5"),
        ("two\nlines", r"'two\nlines'"),
        ("x" * 1000, "'" + "x" * 59 + "..."),
        ([1, None, "a"], "[1, null, 'a']"),
        ([1] * 6, "a list of 6 values"),
        ([[1]], "a list of 1 values"),
        ({"a": 1}, "a mapping"),
    ],
)
def test_values_are_shown_as_yaml_spells_them_and_short(value, shown):
    assert show_value(value) == shown


def test_only_near_words_are_suggested():
    assert suggest("fats", ["fast", "slow"]) == ", did you mean fast?"
    assert suggest("xyz", ["fast", "slow"]) == ""
    assert suggest(3, ["fast"]) == ""


def test_a_part_of_a_name_is_nearer_than_a_name_that_looks_alike():
    assert suggest("sprs", ["preset", "postflop_sprs"]) == ", did you mean postflop_sprs?"


deterministic = settings(derandomize=True, deadline=None)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_categories=["Cc"]))
    | st.sampled_from(["1e5", "010", "yes", "on", "null", "~", ".inf", "0x1F", "1:30", "<<", "="])
)
KEYS = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
DOCUMENTS = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=8,
    ),
)


def problem_of_of_test_yaml_text(text, where="config"):
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, where)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@deterministic
@given(DOCUMENTS)
def test_what_is_written_reads_back_the_same(document):
    assert parse_yaml(format_yaml(document) if document else "{}") == document


@deterministic
@given(DOCUMENTS)
def test_what_is_written_on_one_line_reads_back_the_same(document):
    text = format_yaml({"document": document}, is_inline=True)
    assert text.count("\n") == 1
    assert parse_yaml(text) == {"document": document}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E5", 1e5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-0.5", -0.5),
        ("+3", 3),
        ("1_000", 1000),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
        ("true", True),
        ("", None),
        ("~", None),
        ("on", "on"),
        ("no", "no"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("3e200%", "3e200%"),
        ("2e", "2e"),
        ("33%", "33%"),
        ("2c3h4d", "2c3h4d"),
        ("'1'", "1"),
    ],
)
def test_scalars_are_read_by_the_rules_of_yaml_1_2(text, value):
    read = parse_yaml(f"key: {text}")["key"]
    assert (read, type(read)) == (value, type(value))


def test_not_a_number_is_read_as_such():
    assert math.isnan(parse_yaml("key: .nan")["key"])


def test_every_value_knows_its_line():
    document = parse_yaml("# comment\nmodel:\n  sizes:\n    - 1\n    - {flop: [2,\n       3]}\n")
    lines = {(): 2, ("sizes",): 3, ("sizes", 0): 4, ("sizes", 1, "flop", 1): 6}
    assert {place: document.line_of(("model", *place)) for place in lines} == lines


def test_a_path_without_a_line_has_that_of_the_part_that_is_there():
    document = parse_yaml("a:\n  b: 1\n")
    assert document.line_of(("a", "b", 3, "c")) == 2
    assert document.line_of(("a", "z")) == 1
    assert document.line_of(("z",)) is None
    assert document.line_of(()) is None


def test_values_that_a_merge_brings_have_the_line_of_what_uses_them():
    document = parse_yaml("base: &base {seed: 1}\nmodel:\n  <<: *base\n  x: 2\n")
    assert document["model"] == {"seed": 1, "x": 2}
    assert document.line_of(("model", "seed")) == 2


def test_a_document_survives_pickling():
    document = parse_yaml("a: {b: 1}")
    copy = pickle.loads(pickle.dumps(document))
    assert copy == document
    assert copy.line_of(("a", "b")) == 1


def test_paths_are_written_with_dots_and_brackets():
    assert format_place(("a",)) == "a"
    assert format_place(("a", "b", 1)) == "a.b[1]"


def test_a_key_that_comes_twice_is_an_error_with_both_lines():
    assert problem_of_of_test_yaml_text("m:\n  a: 1\n  b: 2\n  a: 3") == (
        "m.a: duplicate key (lines 2 and 4)"
    )
    assert problem_of_of_test_yaml_text("{a: 1, a: 1}") == "a: duplicate key (line 1)"
    assert problem_of_of_test_yaml_text("m: [{a: 1, 'a': 2}]").startswith("m[0].a: duplicate key")


@pytest.mark.parametrize("key", ["1", "true", "null", "1.5", "[a, b]", "{a: b}"])
def test_keys_are_text_of_test_yaml_text(key):
    assert "is not text (line 2)" in problem_of_of_test_yaml_text(f"m:\n  {key}: 1")


@pytest.mark.parametrize("text", ["", "# only a comment", "---"])
def test_an_empty_document_is_refused(text):
    assert problem_of_of_test_yaml_text(text, "run.yaml").startswith("run.yaml: is ")


@pytest.mark.parametrize("text", ["[1, 2]", "configs/smoke.yaml", "3"])
def test_the_top_of_a_document_is_a_mapping(text):
    assert problem_of_of_test_yaml_text(text) == (
        "config: is a list or a single value, expected a mapping of keys to values"
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "a: 1\nb: [1,",
            "is not YAML: a bracket is never closed (line 2",
        ),
        ("a: 1\n\tb: 2", "a tab begins the line, indent with spaces (line 2)"),
        ("a: b: c", "'a: b: c' has two colons or is indented more than its key (line 1)"),
        ("pot: 3\nstack 9\nip: 7", "'stack 9' has no colon, write key: value (line 2)"),
        ("a:1\nb:2", "write a space after the colon of a"),
        ("a: *b", "begins a value with a star, put it in quotes (line 1)"),
        ("--- {a: 1}\n--- {b: 1}", "but found another document (line 2)"),
        ("a: \x07", "unacceptable character"),
        ("a: !!python/object:os.system {}", "could not determine a constructor"),
        ("a: !!bool maybe", "is not YAML"),
        ("a: !!int ''", "is not YAML"),
        ("a: !!timestamp soon", "is not YAML"),
        (f"a: {'9' * 5000}", "4300 digits"),
        (f"a: {'[' * 50_000}", "recursion"),
        (f"a:\n{'- ' * 5000}", "recursion"),
    ],
)
def test_text_that_is_not_yaml_is_an_error_of_one_line(text, part):
    assert part in problem_of_of_test_yaml_text(text)


@pytest.mark.parametrize(
    "line", ["a{1}: &a{1} [*a{0}, *a{0}]", "a{1}: &a{1} {{<<: [*a{0}, *a{0}]}}"]
)
def test_aliases_and_merges_that_grow_without_bound_are_refused(line):
    levels = "\n".join(line.format(number - 1, number) for number in range(1, 30))
    with pytest.raises(ConfigError, match="more than 100,000 values, aliases spelled out"):
        parse_yaml(f"a0: &a0 {{b: 1}}\n{levels}\n")


def test_a_mapping_may_hold_itself():
    loop = parse_yaml("a: &a {b: *a}")
    assert loop["a"]["b"] is loop["a"]
