from runout.config.differences import list_differences


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
