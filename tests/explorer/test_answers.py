import json

from runout.explorer.answers import AnswerCache, encode, json_bytes, make_etag


def test_an_answer_is_made_once():
    made = []

    def make():
        made.append(1)
        return {"a": 1}

    cache = AnswerCache()
    first, second = cache.get("x", make), cache.get("x", make)
    assert first is second
    assert len(made) == 1
    assert json.loads(first.plain()) == {"a": 1}


def test_the_oldest_answers_are_forgotten_when_they_are_too_many():
    size = len(encode(json_bytes(["x" * 100]), "0").compressed)
    cache = AnswerCache(max_bytes=3 * size)
    for number in range(100):
        cache.get(str(number), lambda: ["x" * 100])
        assert cache.num_bytes <= 3 * size
    made = []
    cache.get("99", lambda: made.append(1))
    assert not made


def test_names_of_answers_differ_with_every_part():
    assert (
        len({make_etag("a", "b"), make_etag("ab", ""), make_etag("", "ab"), make_etag("a\0b")}) >= 3
    )
