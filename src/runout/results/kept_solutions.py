"""What is kept of solved flops besides their values: strategies, buckets, whatever a backend needs.

A backend says what it keeps of a flop as named arrays. On disk the arrays of one name, of all
flops, are one file, so that a bundle has few files however many flops it has.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from runout.arrays import AnyArray, IntArray
from runout.cache import Arrays

#: Of the arrays of a bundle that hold solutions: the numbers, and the shape on each flop.
_NUMBERS, _SHAPES = "solution", "solution_shape"


def join_solutions(
    solutions: Sequence[Sequence[Arrays]],
) -> dict[str, AnyArray]:
    """Returns solutions as the arrays of a bundle.

    Args:
        solutions: by stack-to-pot ratio and flop; every flop of a ratio has the same names.
    """
    joined: dict[str, AnyArray] = {}
    for number, of_flops in enumerate(solutions):
        for name in of_flops[0]:
            numbers = np.concatenate([np.ravel(arrays[name]) for arrays in of_flops])
            shapes = np.array([arrays[name].shape for arrays in of_flops], dtype=np.int64)
            first = joined.get(f"{_NUMBERS}_0_{name}")
            # What does not depend on the ratio, such as buckets, is there once.
            if first is None or not np.array_equal(first, numbers):
                joined[f"{_NUMBERS}_{number}_{name}"] = numbers
                joined[f"{_SHAPES}_{number}_{name}"] = shapes
    return joined


def split_solutions(
    joined: Mapping[str, AnyArray], num_ratios: int, num_flops: int
) -> tuple[tuple[Arrays, ...], ...]:
    """Returns what `join_solutions` wrote among the arrays of a bundle; empty if it did not.

    Raises:
        KeyError: if shapes are missing.
        ValueError: if they are not those of the numbers.
    """
    prefix = f"{_NUMBERS}_0_"
    names = [key.removeprefix(prefix) for key in joined if key.startswith(prefix)]
    if not names:
        return ()
    solutions = []
    for number in range(num_ratios):
        of_flops: list[dict[str, AnyArray]] = [{} for _ in range(num_flops)]
        for name in names:
            is_own = f"{_NUMBERS}_{number}_{name}" in joined
            key = f"{number if is_own else 0}_{name}"
            shapes = cast(IntArray, joined[f"{_SHAPES}_{key}"])
            parts = _split(joined[f"{_NUMBERS}_{key}"], shapes, num_flops)
            for arrays, part in zip(of_flops, parts, strict=True):
                arrays[name] = part
        solutions.append(tuple(of_flops))
    return tuple(solutions)


def _split(numbers: AnyArray, shapes: IntArray, num_flops: int) -> list[AnyArray]:
    if shapes.ndim != 2 or len(shapes) != num_flops or (shapes < 0).any():
        raise ValueError(f"shapes of solutions of {num_flops} flops")
    ends = np.cumsum(np.prod(shapes, axis=1))
    if numbers.ndim != 1 or ends[-1] != len(numbers):
        raise ValueError("solutions that have other shapes")
    plain: list[Any] = shapes.tolist()
    begins = [0, *ends[:-1].tolist()]
    return [
        numbers[begin:end].reshape(shape)
        for begin, end, shape in zip(begins, ends.tolist(), plain, strict=True)
    ]
