import numpy as np
import pytest

from runout.results.kept_solutions import join_solutions, split_solutions


def make_solutions(num_ratios=2, num_flops=3):
    """Returns arrays of which one differs by flop and ratio, and one by flop only."""
    random = np.random.default_rng(5)
    shared = [random.integers(0, 9, (4, flop + 1)).astype(np.uint8) for flop in range(num_flops)]
    return tuple(
        tuple(
            {
                "table": random.integers(0, 65536, (flop + 2, 3)).astype(np.uint16),
                "buckets": shared[flop],
            }
            for flop in range(num_flops)
        )
        for _ in range(num_ratios)
    )


def join(solutions):
    """Returns the arrays that are written."""
    joined = {}

    def create(name, shape, dtype):
        joined[name] = np.zeros(shape, dtype)
        return joined[name]

    join_solutions(solutions, create)
    return joined


def test_solutions_survive_and_what_ratios_share_is_there_once():
    solutions = make_solutions()
    joined = join(solutions)
    assert "solution_0_buckets" in joined
    assert "solution_1_buckets" not in joined
    read = split_solutions(joined | {"flops": np.zeros(3)}, 2, 3)
    for of_flops, expected in zip(read, solutions, strict=True):
        for arrays, wanted in zip(of_flops, expected, strict=True):
            assert arrays.keys() == wanted.keys()
            for name, array in wanted.items():
                np.testing.assert_array_equal(arrays[name], array)
                assert arrays[name].dtype == array.dtype


def test_numbers_of_several_types_are_not_mixed():
    (first, *others) = make_solutions()[0]
    mixed = ({**first, "buckets": first["buckets"].astype(np.uint16)}, *others)
    with pytest.raises(ValueError, match="buckets are of several types"):
        join((mixed,))


def test_nothing_is_kept_of_nothing():
    assert join(()) == {}
    assert split_solutions({"flops": np.zeros(3)}, 2, 3) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"solution_0_table": np.zeros(5, np.uint16)},
        {"solution_shape_0_table": np.zeros((2, 2), np.int64)},
        {"solution_shape_0_table": np.full((3, 2), -1)},
        {"solution_shape_0_table": np.zeros(3, np.int64)},
    ],
)
def test_shapes_that_do_not_fit_are_refused(change):
    joined = join(make_solutions()) | change
    with pytest.raises(ValueError, match="solutions"):
        split_solutions(joined, 2, 3)
