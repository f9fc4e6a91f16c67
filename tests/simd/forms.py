"""Calls of pieces in both forms: the one that kernels call, and the plain body."""

from functools import cache

import numba
import pytest

both_forms = pytest.mark.parametrize("form", ["chosen", "plain"])


@cache
def in_form(piece, form):
    """Returns a function that Python can call, once compiled; a kernel is its own plain form."""
    plain = getattr(piece, "plain", piece)
    if form == "plain" or plain is piece:
        return plain

    @numba.njit(nogil=True, error_model="numpy")
    def call(*args):
        piece(*args)

    return call
