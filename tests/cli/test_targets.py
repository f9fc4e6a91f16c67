import numpy as np
import pytest

from runout.cli.options import OptionError
from runout.cli.targets import (
    count_checkpoints,
    keeping_checkpoints,
    remove_checkpoints,
    require_free,
    solving_into,
)
from runout.errors import BundleError
from runout.storage.claim import claiming
from runout.storage.ledger import Ledger, TaskId, TaskRecord
from runout.storage.writer import write_bundle


def keep_two_flops(directory):
    ledger = Ledger(directory)
    for flop in ("AsKhQd", "2c3h4d"):
        id = TaskId(flop, flop * 3)
        ledger.save(id, {"values": np.zeros(3)}, TaskRecord.of_this_process(0.0))


@pytest.fixture
def claim(tmp_path_factory):
    with claiming(tmp_path_factory.mktemp("claims") / "result") as claim:
        yield claim


def test_results_of_another_kind_are_never_replaced(tmp_path):
    write_bundle(tmp_path / "b", kind="solution", schema_version=1, package_version="0", arrays={})
    for overwrite in (False, True):
        with pytest.raises(OptionError, match="is a bundle of kind solution, will not be overw"):
            require_free(tmp_path / "b", "postflop_values", overwrite)
    require_free(tmp_path / "b", "solution", True)


def test_a_result_of_the_same_kind_is_replaced_only_on_demand(tmp_path):
    write_bundle(tmp_path / "b", kind="solution", schema_version=1, package_version="0", arrays={})
    with pytest.raises(OptionError, match="exists already, give --overwrite to replace it"):
        require_free(tmp_path / "b", "solution", False)


def test_files_of_other_programs_are_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match=r"has files but no manifest\.json"):
        require_free(tmp_path, "solution", True)
    with pytest.raises(BundleError, match="is a file"):
        require_free(tmp_path / "notes.txt", "solution", True)


def test_finished_parts_go_when_the_work_ends_well(tmp_path, claim):
    directory = tmp_path / "x.checkpoints"
    with keeping_checkpoints(directory, resume=True, claim=claim):
        keep_two_flops(directory)
        assert count_checkpoints(directory) == 2
    assert not directory.exists()


def test_ctrl_c_keeps_finished_parts_and_says_how_to_go_on(tmp_path, claim):
    def interrupted_work():
        with keeping_checkpoints(tmp_path, resume=True, claim=claim):
            keep_two_flops(tmp_path)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupt:
        interrupted_work()
    assert str(interrupt.value) == (
        f"interrupted; give the same command again to go on, {tmp_path} keeps 2 finished flops"
    )
    assert count_checkpoints(tmp_path) == 2


def test_ctrl_c_before_anything_is_finished_leaves_nothing(tmp_path, claim):
    def interrupted_work():
        with keeping_checkpoints(tmp_path / "x.checkpoints", resume=True, claim=claim):
            Ledger(tmp_path / "x.checkpoints")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="nothing was kept"):
        interrupted_work()
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_start_forgets_finished_parts_and_a_resumed_one_names_them(tmp_path, capsys, claim):
    keep_two_flops(tmp_path)
    with keeping_checkpoints(tmp_path, resume=True, claim=claim):
        assert count_checkpoints(tmp_path) == 2
    assert f"using what fits of 2 finished flops in {tmp_path}" in capsys.readouterr().err
    keep_two_flops(tmp_path)
    with keeping_checkpoints(tmp_path, resume=False, claim=claim):
        assert count_checkpoints(tmp_path) == 0
    assert capsys.readouterr().err == ""


def test_files_of_other_programs_stay_where_finished_parts_go(tmp_path):
    keep_two_flops(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    remove_checkpoints(tmp_path)
    assert [file.name for file in tmp_path.rglob("*.*")] == ["notes.txt"]
    remove_checkpoints(tmp_path / "nothing")


def test_finding_out_whether_a_place_is_free_makes_no_directory(tmp_path):
    require_free(tmp_path / "a" / "b" / "c", "solution", False)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine").mkdir()
    require_free(tmp_path / "mine", "solution", False)
    assert (tmp_path / "mine").is_dir()


def fail_in(path, *made):
    with solving_into(path, None):
        for directory in made:
            directory.mkdir(parents=True)
        raise BundleError("x", "is broken")


def test_a_failed_solve_removes_empty_directories_that_it_made(tmp_path):
    (tmp_path / "mine").mkdir()
    path = tmp_path / "mine" / "runs" / "a"
    with pytest.raises(BundleError, match="x: is broken"):
        fail_in(path, path)
    assert list(tmp_path.iterdir()) == [tmp_path / "mine"]
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_failed_solve_leaves_what_was_there_and_what_is_of_value(tmp_path):
    with pytest.raises(BundleError):
        fail_in(tmp_path / "a", tmp_path / "a" / "values")
    assert (tmp_path / "a" / "values").is_dir()
    (tmp_path / "empty").mkdir()
    with pytest.raises(BundleError):
        fail_in(tmp_path / "empty")
    assert (tmp_path / "empty").is_dir()


def test_a_solve_that_ends_well_keeps_its_directories(tmp_path):
    with solving_into(tmp_path / "a", None):
        (tmp_path / "a").mkdir()
    assert (tmp_path / "a").is_dir()


@pytest.mark.parametrize(("num_kept", "names"), [(0, []), (2, ["x.checkpoints"])])
def test_a_failure_keeps_finished_parts_only(tmp_path, num_kept, names, claim):
    directory = tmp_path / "x.checkpoints"

    def failing_work():
        with keeping_checkpoints(directory, resume=True, claim=claim):
            Ledger(directory)
            if num_kept:
                keep_two_flops(directory)
            raise BundleError("x", "is broken")

    with pytest.raises(BundleError, match="x: is broken"):
        failing_work()
    assert [entry.name for entry in tmp_path.iterdir()] == names
    assert count_checkpoints(directory) == num_kept
