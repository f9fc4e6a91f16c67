"""The rules by which pages are compared with what their snippets give."""

import numpy as np
import pytest

from tests.integration.snippets import (
    find_broken_promise,
    find_difference,
    is_alike,
    read_blocks,
    read_commands,
    read_statements,
    run_statement,
)

PAGE = """
Text.

<!-- slow --> <!-- about 30% -->
```console
$ runout one --long \\
    option   # a remark
first

...
$ runout two > "a file"
```

* A list:

  ```python
  number = 1  # an assignment
  (number +
   1)  # 2
  ```
"""


@pytest.fixture
def blocks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    return read_blocks(page)


def test_blocks_have_a_language_a_line_and_what_was_remarked(blocks):
    console, python = blocks
    assert (console.language, console.line) == ("console", 5)
    assert (console.is_slow, console.share) == (True, 0.3)
    assert (python.language, python.line) == ("python", 16)
    assert (python.is_slow, python.share) == (False, 0.0)


def test_commands_have_words_and_quoted_lines(blocks):
    (_, one, quoted), (_, two, nothing) = read_commands(blocks[0])
    assert one == ["runout", "one", "--long", "option"]
    assert quoted == ["first", "", "..."]
    assert two == ["runout", "two", ">", "a file"]
    assert nothing == []


def test_statements_come_with_the_comment_at_their_end(blocks):
    statements = list(read_statements(blocks[1]))
    names = {}
    assert [comment for _, _, comment in statements] == ["an assignment", "2"]
    assert [run_statement(statement, names) for _, statement, _ in statements] == [1, 2]


@pytest.mark.parametrize(
    ("quoted", "is_same"),
    [
        (["a", "b", "c"], True),
        (["a", "", "b", "c"], True),
        (["a", "..."], True),
        (["...", "c"], True),
        (["a", "...", "c"], True),
        ([], True),
        (["a", "b"], False),
        (["a", "c"], False),
        (["b", "..."], False),
        (["...", "b"], False),
        (["a", "b", "c", "d"], False),
    ],
)
def test_lines_are_compared_in_order_and_dots_stand_for_any(quoted, is_same):
    assert (find_difference(quoted, ["a", "b", "c"], share=0.0) is None) == is_same


@pytest.mark.parametrize(
    ("quoted", "printed", "share", "is_same"),
    [
        ("done in 0.1 s", "done in 20.8 s", 0.0, True),
        ("done in 0:01:18", "done in 0.3 s", 0.0, True),
        ("EV +0.057 bb", "EV +0.058 bb", 0.0, False),
        ("EV +0.057 bb", "EV +0.058 bb", 0.01, True),
        ("EV +0.057 bb", "EV -0.057 bb", 0.1, False),
        ("1,234 nodes", "1,300 nodes", 0.1, True),
        ("1,234 nodes", "1,400 nodes", 0.1, False),
        ("1,234 nodes", "1,234 hands", 0.1, False),
        ("A R69 C" + "     R" * 12, "A R73 C" + "     R" * 12, 0.0, False),
        ("A R69 C" + "     R" * 12, "A R73 C" + "     R" * 12, 0.1, True),
        ("A R69 C" + "     R" * 12, "A C69 R" + "     R" * 12, 0.1, False),
        ("A R98 C" + "     R" * 12, "A     R" + "     R" * 12, 0.1, True),
        ("A     R" + "     -" * 12, "A     C" + "     -" * 12, 0.1, False),
    ],
)
def test_times_are_free_and_numbers_may_differ_by_a_share(quoted, printed, share, is_same):
    assert is_alike(quoted, printed, share) == is_same


@pytest.mark.parametrize(
    ("comment", "value", "is_kept"),
    [
        ("0.583", 0.58312, True),
        ("0.583", 0.59, False),
        ("0.819461...", 0.8194612, True),
        ("-0.04537, what the small blind wins", np.float32(-0.045371), True),
        ("1286792", 1286792, True),
        ("1286792", 1286793, False),
        ("below 0.005", 0.004, True),
        ("below 0.005", 0.006, False),
        ("about 0.25", np.array([0.26]), True),
        ("about 0.25", 0.3, False),
        ("'royal flush'", "royal flush", True),
        ("'royal flush'", "flush", False),
        ("{'iterations': 200}", {"iterations": 200}, True),
        ("[2, 169] memory-mapped", np.zeros((2, 169)), True),
        ("[A, 169] by action", np.zeros((5, 169)), True),
        ("[169]", np.zeros((2, 169)), False),
        ("[169]", np.zeros(168), False),
        ("a CanonicalBoard", 1, False),
        ("how often each hand calls", None, True),
        ("2 cards each", None, True),
    ],
)
def test_a_comment_is_a_promise_if_it_begins_like_one(comment, value, is_kept):
    assert (find_broken_promise(comment, value, share=0.0) is None) == is_kept
