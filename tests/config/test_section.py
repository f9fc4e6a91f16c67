import math
from typing import Annotated, ClassVar

import pytest
from pydantic import Field
from pydantic_core import PydanticCustomError

from runout.config.section import About, ConfigSection, as_number, show_value, suggest, take_preset
from runout.config.yaml_text import parse_yaml
from runout.errors import ConfigError


class Kitchen(ConfigSection):
    aliases: ClassVar = {"ovens": "num_ovens"}
    later_keys: ClassVar = {"dishwasher": "not available yet"}

    num_ovens: Annotated[int, Field(ge=1), About("How many.", "a whole number from 1 up")] = 1
    heat: Annotated[float, Field(allow_inf_nan=False), About("How hot.", "a number", "K")] = 300.0


class House(ConfigSection):
    floors: Annotated[int, Field(ge=1), About("How many.", "a whole number from 1 up")] = 1
    kitchen: Annotated[Kitchen, About("The main one.", "a mapping")]
    second_kitchen: Annotated[Kitchen | None, About("Another one.", "a mapping")] = None


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
    assert problem_of({"dishwasher": 1}) == "kitchen.dishwasher: not available yet"


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


def test_a_preset_is_taken_out_of_the_keys():
    given = {"preset": "big", "heat": 1}
    assert take_preset(given, {"big": {"num_ovens": 9}}) == {"num_ovens": 9}
    assert given == {"heat": 1}
    assert take_preset(given, {}) == {}
    with pytest.raises(PydanticCustomError, match="'bgi' is not one of big, did you mean big"):
        take_preset({"preset": "bgi"}, {"big": {}})


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
