import sys

import pytest

from runout.errors import ExecutionError
from runout.execution.choice import opening_executor


@pytest.mark.parametrize("text", ["", "thread", "ray:", "ray://", "dask"])
def test_an_unknown_executor_is_refused_with_those_there_are(text):
    allowed = "is not threads, processes, ray, ray://ADDRESS"
    with pytest.raises(ExecutionError, match=allowed), opening_executor(text):
        pass


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_the_number_of_workers_is_the_one_given(name):
    with opening_executor(name, 3) as executor:
        assert (executor.name, executor.num_workers) == (name, 3)
    with pytest.raises(ExecutionError, match="workers: 0 is not"), opening_executor(name, 0):
        pass


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "runout.execution.ray_executor", raising=False)
    with pytest.raises(ExecutionError) as caught, opening_executor("ray"):
        pass
    assert str(caught.value) == (
        "--executor ray: needs Ray, which is not installed; pip install 'runout[dist]' adds it"
    )
