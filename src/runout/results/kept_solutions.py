"""What is kept of solved flops besides their values: strategies, buckets, whatever a backend needs.

A backend says what it keeps of a flop as named arrays. On disk the arrays of one name, of all
flops, are one file, so that a bundle has few files however many flops it has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from runout.arrays import AnyArray, IntArray
from runout.cache import Arrays

#: Returns a new array of a name, shape and type, to be filled.
CreateArray = Callable[[str, Sequence[int], np.dtype[Any]], AnyArray]

#: Of the arrays of a bundle that hold solutions: the numbers, and the shape on each flop.
_NUMBERS, _SHAPES = "solution", "solution_shape"


def join_solutions(solutions: Sequence[Sequence[Arrays]], create: CreateArray) -> None:
    """Writes solutions as the arrays of a bundle, flop by flop.

    Args:
        solutions: by stack-to-pot ratio and flop; every flop of a ratio has the same names.
        create: returns a new array of a name, shape and type; that it lives in a file, such as
            those of `BundleWriter.create_array`, saves a second copy in memory.

    Raises:
        ValueError: if what has one name is of several types.
    """
    for number, of_flops in enumerate(solutions):
        for name, example in of_flops[0].items():
            # What does not depend on the ratio, such as buckets, is there once.
            if number > 0 and _are_equal(solutions[0], of_flops, name):
                continue
            if {arrays[name].dtype for arrays in of_flops} != {example.dtype}:
                raise ValueError(f"solutions whose {name} are of several types")
            shapes = np.array([arrays[name].shape for arrays in of_flops], dtype=np.int64)
            ends = np.cumsum(np.prod(shapes, axis=1)).tolist()
            numbers = create(f"{_NUMBERS}_{number}_{name}", (ends[-1],), example.dtype)
            for begin, end, arrays in zip([0, *ends[:-1]], ends, of_flops, strict=True):
                numbers[begin:end] = np.ravel(arrays[name])
            create(f"{_SHAPES}_{number}_{name}", shapes.shape, shapes.dtype)[:] = shapes


def _are_equal(first: Sequence[Arrays], other: Sequence[Arrays], name: str) -> bool:
    return all(np.array_equal(a[name], b[name]) for a, b in zip(first, other, strict=True))


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
