"""Tests of `runout.config.section` and `runout.config.yaml_text`."""

import math
import pickle
from typing import Annotated, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.config.section import (
    ConfigSection,
    Form,
    Key,
    as_number,
    number,
    whole,
)
from runout.config.yaml_text import (
    YamlMapping,
    format_yaml,
    join_path,
    list_differences,
    parse_yaml,
    show_value,
    suggest,
)
from runout.errors import ConfigError


def test_all_differences_are_listed_with_their_paths():
    found = {"a": 1, "b": {"c": 2, "d": [1, 2]}, "only": 3, "long": list(range(20)), "m": {"x": 1}}
    wanted = {"a": 1, "b": {"c": 5, "d": [1, 3]}, "new": None, "long": [0] * 30, "m": 4}
    assert list(list_differences(found, wanted)) == [
        "b.c is 2 there and 5 here",
        "b.d is [1, 2] there and [1, 3] here",
        "only is 3 there and missing here",
        "long is a list of 20 there and a list of 30 here",
        "m is given there and 4 here",
        "new is missing there and None here",
    ]


class Kitchen(ConfigSection):
    aliases: ClassVar = {"ovens": "num_ovens"}

    num_ovens: Annotated[int, whole(1), Key("game")] = 1
    heat: Annotated[float, number("a number", lambda _: True), Key("end", "K")] = 300.0


class House(ConfigSection):
    presets: ClassVar = {"big": {"floors": 9}}

    floors: Annotated[int, whole(1), Key("game")] = 1
    kitchen: Annotated[Kitchen, Form("a mapping"), Key("game", means="cooking")]
    second_kitchen: Annotated[Kitchen | None, Form("a mapping"), Key("nothing")] = None

    def meanings(self):
        return {"cooking": self.kitchen.digest_mapping()} if self.kitchen.heat else {}


def problem_of(raw, where="kitchen", section=Kitchen):
    with pytest.raises(ConfigError) as caught:
        section.parse(raw, where)
    return str(caught.value)


def test_a_section_reads_its_keys_and_other_names():
    assert Kitchen.parse({"ovens": 2}, "kitchen") == Kitchen(num_ovens=2)
    assert Kitchen.parse({}, "") == Kitchen()


def test_errors_name_the_key_as_it_stands_in_the_file():
    assert problem_of({"ovens": 0}) == "kitchen.ovens: 0 is not a whole number from 1 up"
    assert problem_of({"num_ovens": 0}, "") == "num_ovens: 0 is not a whole number from 1 up"
    assert problem_of({"ovens": 1, "num_ovens": 1}) == (
        "kitchen.ovens: given together with num_ovens, use only num_ovens"
    )


def test_errors_name_the_line_if_it_is_known():
    raw = parse_yaml("kitchen:\n  heat: 20\n  num_ovens: none")["kitchen"]
    assert problem_of(raw) == "kitchen.num_ovens: 'none' is not a whole number from 1 up (line 3)"


def test_the_first_error_of_the_file_is_told_and_the_others_are_counted():
    assert problem_of({"heat": "hot", "num_ovens": 0}) == (
        "kitchen.heat: 'hot' is not a number (1 more error)"
    )
    assert problem_of({"oven": 1, "heat": "hot", "num_ovens": 0}) == (
        "kitchen.oven: unknown key, did you mean ovens? (2 more errors)"
    )


def test_unknown_keys_get_a_suggestion_or_a_list():
    assert problem_of({"number_ovens": 1}).endswith("did you mean num_ovens?")
    assert problem_of({"HEAT": 1}).endswith("did you mean heat?")
    assert problem_of({"xyz": 1}) == (
        "kitchen.xyz: unknown key, allowed are num_ovens, heat, ovens"
    )


def problem_of_house(raw):
    return problem_of(parse_yaml(raw) if isinstance(raw, str) else raw, "", House)


def test_a_section_may_hold_sections():
    house = House.parse({"kitchen": {"ovens": 2}}, "")
    assert house == House(kitchen=Kitchen(num_ovens=2)) == House(kitchen={"num_ovens": 2})
    assert House.section_of("kitchen") is House.section_of("second_kitchen") is Kitchen
    assert House.section_of("floors") is House.section_of("attic") is None
    kitchen = {"num_ovens": 2, "heat": 300.0}
    assert house.to_mapping() == {"floors": 1, "kitchen": kitchen, "second_kitchen": None}
    assert House.parse(house.to_mapping(), "") == house


@pytest.mark.parametrize("name", ["kitchen", "second_kitchen"])
def test_errors_inside_a_section_name_the_whole_path(name):
    others = "kitchen: {}\n" if name == "second_kitchen" else "\n"
    start = f"{others}{name}:\n"
    assert problem_of_house(f"{start}  ovens: 0") == (
        f"{name}.ovens: 0 is not a whole number from 1 up (line 3)"
    )
    assert problem_of_house(f"{start}  heat: 1\n  oven: 0") == (
        f"{name}.oven: unknown key, did you mean ovens? (line 4)"
    )
    assert problem_of_house(f"{start}  ovens: 1\n  num_ovens: 1") == (
        f"{name}.ovens: given together with num_ovens, use only num_ovens (line 3)"
    )
    assert problem_of_house(f"{others}{name}: 3") == f"{name}: 3 is not a mapping (line 2)"


def test_the_first_error_of_the_file_comes_first_across_sections():
    assert problem_of_house("second_kitchen: {heat: x}\nfloors: 0\nkitchen: {heat: x}") == (
        "second_kitchen.heat: 'x' is not a number (line 1; 2 more errors)"
    )
    assert problem_of_house("kitchen: {heat: x, num_ovens: 0}\nfloors: 0") == (
        "kitchen.heat: 'x' is not a number (line 1; 2 more errors)"
    )


def test_a_key_that_must_be_given_is_missed():
    assert problem_of_house({}) == "config: kitchen is missing"
    assert problem_of({}, "house", House) == "house: kitchen is missing"
    assert problem_of_house("kitchn: {}") == (
        "kitchn: unknown key, did you mean kitchen? (line 1; 1 more error)"
    )


def test_keys_of_sections_inside_are_text_as_well():
    assert problem_of_house({"kitchen": {1: 2}}) == "kitchen: the key 1 is not text"


def test_a_preset_fills_in_what_is_not_given():
    assert House.parse({"preset": "big", "kitchen": {}}, "").floors == 9
    assert House.parse({"preset": "big", "kitchen": {}, "floors": 2}, "").floors == 2
    assert problem_of_house("kitchen: {}\npreset: bgi") == (
        "preset: 'bgi' is not one of big, did you mean big? (line 2)"
    )
    assert problem_of({"preset": "big"}).startswith("kitchen.preset: unknown key")


def test_a_digest_has_what_the_keys_decide_and_mean():
    kitchen = Kitchen(num_ovens=2)
    assert kitchen.digest_mapping() == {"num_ovens": 2, "heat": 300.0}
    assert kitchen.game_mapping() == {"num_ovens": 2}
    house = House(kitchen=kitchen, second_kitchen=Kitchen())
    assert house.digest_mapping() == {"floors": 1, "cooking": kitchen.digest_mapping()}
    assert House(kitchen={"heat": 0}).digest_mapping() == {"floors": 1}


@pytest.mark.parametrize(
    ("raw", "shown"), [(None, "null"), (3, "3"), ("text", "'text'"), ([1], "[1]")]
)
def test_a_section_is_a_mapping(raw, shown):
    assert problem_of(raw) == f"kitchen: {shown} is not a mapping of keys to values"


def test_keys_are_text():
    assert problem_of({1: 2}, "") == "config: the key 1 is not text"


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


@pytest.mark.parametrize("value", [True, None, "1", math.nan, math.inf, 10**400, [1]])
def test_only_finite_numbers_are_numbers(value):
    assert as_number(value) is None
    assert as_number(3) == 3.0


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
    model = document["model"]
    assert isinstance(model, YamlMapping)
    lines = {"model": 2, "model.sizes": 3, "model.sizes[0]": 4, "model.sizes[1].flop[1]": 6}
    assert {path: model.line_of(path) for path in lines} == lines


def test_a_path_without_a_line_has_that_of_the_part_that_is_there():
    document = parse_yaml("a:\n  b: 1\n")
    assert document.line_of("a.b[3].c") == 2
    assert document.line_of("a.z") == 1
    assert document.line_of("z") is None
    assert document.line_of("") is None


def test_values_that_a_merge_brings_have_the_line_of_what_uses_them():
    document = parse_yaml("base: &base {seed: 1}\nmodel:\n  <<: *base\n  x: 2\n")
    assert document["model"] == {"seed": 1, "x": 2}
    assert document["model"].line_of("model.seed") == 2


def test_a_document_survives_pickling():
    document = parse_yaml("a: {b: 1}")
    copy = pickle.loads(pickle.dumps(document))
    assert copy == document
    assert copy["a"].line_of("a.b") == 1


def test_paths_are_written_with_dots_and_brackets():
    assert join_path("", "a") == "a"
    assert join_path("a", "b") == "a.b"
    assert join_path("a.b", 1) == "a.b[1]"
    assert join_path("a", "two\nlines") == r"a.'two\nlines'"


def test_a_key_that_comes_twice_is_an_error_with_both_lines():
    assert problem_of_of_test_yaml_text("m:\n  a: 1\n  b: 2\n  a: 3") == (
        "m.a: comes twice, a key may come once (lines 2 and 4)"
    )
    assert (
        problem_of_of_test_yaml_text("{a: 1, a: 1}")
        == "a: comes twice, a key may come once (line 1)"
    )
    assert problem_of_of_test_yaml_text("m: [{a: 1, 'a': 2}]").startswith("m[0].a: comes twice")


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
            "is not YAML: expected the node content, but found '<stream end>' (line 2",
        ),
        ("a: 1\n\tb: 2", "(line 2)"),
        ("a: b: c", "mapping values are not allowed here (line 1)"),
        ("a: *b", "found undefined alias 'b' (line 1)"),
        ("--- {a: 1}\n--- {b: 1}", "but found another document (line 2)"),
        ("a: \x07", "unacceptable character"),
        ("a: !!python/object:os.system {}", "could not determine a constructor"),
        ("a: !!bool maybe", "is not YAML"),
        ("a: !!int ''", "is not YAML"),
        ("a: !!timestamp soon", "is not YAML"),
        (f"a: {'9' * 5000}", "4300 digits"),
        (f"a: {'[' * 50_000}", "more than 50 brackets inside each other"),
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
