import json

import pytest

from runout.errors import BundleError
from runout.explorer import answers
from runout.explorer.answers import make_etag


@pytest.fixture
def asked(monkeypatch):
    """The arguments of the answers that were made, in this order."""
    asked, answer = [], answers.answer

    def count(opened, question, argument, can_solve):
        asked.append(argument)
        return answer(opened, question, argument, can_solve)

    monkeypatch.setattr(answers, "answer", count)
    return asked


def test_an_answer_is_made_once(explorer, ids, asked):
    opened = answers.OpenedRun(explorer.library.get(ids["river"]))
    first, second = (opened.get_answer("node", "x", False) for _ in range(2))
    assert first is second
    assert asked == ["x"]
    assert json.loads(first.plain())["path"] == "x"


def test_the_oldest_answers_are_forgotten_when_they_are_too_many(explorer, ids, asked, monkeypatch):
    monkeypatch.setattr(answers, "MAX_KEPT_ANSWERS", 2)
    opened = answers.OpenedRun(explorer.library.get(ids["river"]))
    for path in ("", "x", "b59", "b59", ""):
        opened.get_answer("node", path, False)
    assert asked == ["", "x", "b59", ""]


def test_a_refusal_is_not_kept(explorer, ids, asked):
    opened = answers.OpenedRun(explorer.library.get(ids["flop_values"]))
    for _ in range(2):
        with pytest.raises(BundleError, match="have no nodes"):
            opened.get_answer("node", "", False)
    assert len(asked) == 2


def test_names_of_answers_differ_with_every_part():
    names = {make_etag("a", "b"), make_etag("ab", ""), make_etag("", "ab"), make_etag("a\0b")}
    assert len(names) >= 3
