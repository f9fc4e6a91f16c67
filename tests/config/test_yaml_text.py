import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.config.yaml_text import YamlMapping, format_yaml, join_path, parse_yaml
from runout.errors import ConfigError

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


def problem_of(text, where="config"):
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
    assert problem_of("m:\n  a: 1\n  b: 2\n  a: 3") == (
        "m.a: comes twice, a key may come once (lines 2 and 4)"
    )
    assert problem_of("{a: 1, a: 1}") == "a: comes twice, a key may come once (line 1)"
    assert problem_of("m: [{a: 1, 'a': 2}]").startswith("m[0].a: comes twice")


@pytest.mark.parametrize("key", ["1", "true", "null", "1.5", "[a, b]", "{a: b}"])
def test_keys_are_text(key):
    assert "is not text (line 2)" in problem_of(f"m:\n  {key}: 1")


@pytest.mark.parametrize("text", ["", "# only a comment", "---"])
def test_an_empty_document_is_refused(text):
    assert problem_of(text, "run.yaml").startswith("run.yaml: is ")


@pytest.mark.parametrize("text", ["[1, 2]", "configs/smoke.yaml", "3"])
def test_the_top_of_a_document_is_a_mapping(text):
    assert problem_of(text) == (
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
    assert part in problem_of(text)


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
