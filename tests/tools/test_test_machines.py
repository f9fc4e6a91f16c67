from pathlib import Path

import numpy as np
import pytest

from tests.samples.small_results import RESULTS
from tools import test_machines
from tools.test_machines import Machine, machines, short_machines

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("all_machines", [machines(), short_machines()])
def test_machines_name_tests_and_results_that_exist(all_machines):
    assert all_machines[0].name == "this one"
    assert len({machine.name for machine in all_machines}) == len(all_machines)
    for machine in all_machines:
        assert all((ROOT / test).exists() for test in machine.tests)
        assert set(machine.results) <= set(RESULTS)
    assert any(machine.tests for machine in all_machines)


def test_kernels_with_one_rounding_must_agree_in_every_bit():
    expected = {"a": np.array([1.0, 2.0]), "a value": np.array([0.5, 0.01])}
    got = {"a": np.array([1.0, np.nextafter(2.0, 3.0)]), "a value": np.array([0.5, 0.01])}
    assert test_machines._compare(Machine("same"), expected, expected) == ""
    assert test_machines._compare(Machine("same"), expected, got) == "a: bits differ"
    assert test_machines._compare(Machine("other", rounds_once=False), expected, got) == ""


def test_values_may_differ_by_what_best_responses_gain():
    other = Machine("other", rounds_once=False)
    expected = {"a value": np.array([0.5, 0.01])}
    near, far = {"a value": np.array([0.52, 0.02])}, {"a value": np.array([0.54, 0.02])}
    assert test_machines._compare(other, expected, near) == ""
    assert "a value is 0.54" in test_machines._compare(other, expected, far)


def test_a_machine_on_which_no_test_passes_has_failed(tmp_path):
    (tmp_path / "test_nothing.py").write_text("")
    machine = Machine("empty", tests=[str(tmp_path)], num_workers=0)
    problem, num_passed = test_machines._run_tests(machine)
    assert "no tests ran" in problem
    assert num_passed == 0


def test_a_machine_tells_how_many_tests_passed(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    machine = Machine("one", tests=[str(tmp_path)], num_workers=0)
    assert test_machines._run_tests(machine) == ("", 1)
