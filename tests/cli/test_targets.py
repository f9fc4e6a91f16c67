"""Tests of `runout.cli.targets`."""

import math
import shutil
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runout.abstraction.card_abstraction import AbstractionConfig
from runout.cli.buckets import estimate_build
from runout.cli.solve import describe_plan
from runout.cli.targets import (
    LongWork,
    announce,
    checkpoints_beside,
    count_checkpoints,
    describe_cost,
    remove_checkpoints,
    require_free,
    solving_into,
)
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.errors import BundleError, ExecutionError, OptionError
from runout.execution.context import RunContext
from runout.flops import backend
from runout.flops.backend import Cost
from runout.flops.solve import PostflopPlan
from runout.storage.ledger import Ledger, TaskId, TaskRecord
from runout.storage.writer import write_bundle
from tests.samples.solve_configs import FLOPS

SMALL = Cost(seconds=75.0, memory_bytes=900_000_000, disk_bytes=5, checkpoint_bytes=7)


def test_a_full_build_needs_about_its_tables():
    needs = estimate_build(AbstractionConfig(), 2)
    assert needs.disk_bytes == pytest.approx(31e6, rel=0.02)
    assert 10.0 < needs.seconds < 120.0
    assert needs.memory_bytes < 4e9


def test_more_workers_need_less_time():
    one, four = (estimate_build(AbstractionConfig(), count) for count in (1, 4))
    assert four.seconds < one.seconds


def test_small_samples_need_little_and_large_ones_memory():
    few, many = (
        estimate_build(AbstractionConfig(samples_per_street=n), 1) for n in (100, 10_000_000)
    )
    assert few.seconds < 5.0
    assert many.memory_bytes > 8e9


def test_needs_are_one_line_for_people():
    assert describe_cost(SMALL) == (
        "at most about 2 min, 900 MB of memory, 5 B of disk (12 B until done)"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.1, "10 s"), (41, "50 s"), (60, "60 s")])
def test_short_times_are_rounded_up_to_tens(seconds, text):
    assert f"about {text}," in describe_cost(Cost(seconds, 1, 1))


def test_a_full_disk_is_noticed_before_the_work(tmp_path, monkeypatch):
    usage = namedtuple("usage", ["total", "used", "free"])(100, 89, 11)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OptionError, match="b/c: needs 12 B of disk, but only 11 B is available"):
        announce("x", SMALL, tmp_path / "a/b/c")


def test_too_little_memory_is_noticed_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(backend, "available_memory_bytes", lambda: 800_000_000)
    line = "memory: the build needs 900 MB, 800 MB is available"
    with pytest.raises(ExecutionError, match=line):
        announce("x", SMALL, tmp_path, "the build")


def test_a_machine_that_does_not_tell_its_memory_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(backend, "available_memory_bytes", lambda: math.inf)
    announce("x", SMALL, tmp_path / "new")


COST = Cost(4_000.0, 1_200_000_000, 800_000_000, checkpoint_bytes=800_000_000)
PLAN = PostflopPlan.make(parse_config(FLOPS, FlopsConfig), 2)


def test_a_plan_is_two_short_lines_for_people(tmp_path, capsys):
    assert describe_plan(PLAN) == "2 flops at 2 SPRs"
    cost = "at most about 67 min, 1.2 GB of memory, 800 MB of disk (1.6 GB until done)"
    assert describe_cost(COST) == cost
    assert len(cost) <= 80


def test_work_is_announced_with_its_cost_if_that_is_known(tmp_path, capsys):
    announce(f"x.yaml: {describe_plan(PLAN)}", PLAN.cost, tmp_path / "x")
    first, second = capsys.readouterr().err.splitlines()
    assert first == "x.yaml: 2 flops at 2 SPRs"
    assert second.startswith("at most about 10 s, ")
    announce("x.yaml: none is solved", None, tmp_path / "x")
    assert capsys.readouterr().err == "x.yaml: none is solved\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.0, "10 s"), (60.0, "60 s"), (61.0, "2 min"), (36_000.0, "10 h")]
)
def test_times_are_rounded_up(seconds, text):
    assert f"about {text}," in describe_cost(Cost(seconds, 1, 1))


def test_a_machine_that_is_too_small_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(backend, "available_memory_bytes", lambda: 1e9)
    savings = {"exact_precision: 16": 600_000_000, "--workers 1": 300_000_000}
    cost = replace(COST, savings=savings | {"give fewer sizes": None})
    with pytest.raises(ExecutionError) as caught:
        announce("x", cost, Path("x"))
    assert str(caught.value) == (
        "memory: the solve needs 1.2 GB, 1.0 GB is available; exact_precision: 16 needs "
        "600 MB; --workers 1 needs 300 MB; give fewer sizes"
    )


def keep_two_flops(directory):
    ledger = Ledger(directory)
    for flop in ("AsKhQd", "2c3h4d"):
        id = TaskId(flop, flop * 3)
        ledger.save(id, {"values": np.zeros(3)}, TaskRecord.of_this_process(0.0))


class Result:
    def save(self, path, *, overwrite):
        pass


def carry_out(directory, work, resume=True):
    """Does work that keeps finished parts in a directory."""

    long_work = LongWork(
        directory.with_name("result"), lambda: None, None, resume, False, directory
    )
    with long_work.going_on() as found:
        assert found is None
        assert long_work.resume(RunContext()).checkpoints == directory
        work()
        long_work.save(Result(), RunContext())
    assert long_work.end.describe("x").startswith("wrote x, in 0.")


def test_results_of_another_kind_are_never_replaced(tmp_path):
    write_bundle(tmp_path / "b", kind="solution", schema_version=1, arrays={})
    for overwrite in (False, True):
        with pytest.raises(OptionError, match="is a bundle of kind solution, will not be overw"):
            require_free(tmp_path / "b", "postflop_values", overwrite)
    require_free(tmp_path / "b", "solution", True)


def test_a_result_of_the_same_kind_is_replaced_only_on_demand(tmp_path):
    write_bundle(tmp_path / "b", kind="solution", schema_version=1, arrays={})
    with pytest.raises(OptionError, match="exists already, give --overwrite to replace it"):
        require_free(tmp_path / "b", "solution", False)


def test_files_of_other_programs_are_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match=r"has files but no manifest\.json"):
        require_free(tmp_path, "solution", True)
    with pytest.raises(BundleError, match="is a file"):
        require_free(tmp_path / "notes.txt", "solution", True)


def test_finished_parts_go_when_the_work_ends_well(tmp_path):
    directory = tmp_path / "x.checkpoints"

    def work():
        keep_two_flops(directory)
        assert count_checkpoints(directory) == 2

    carry_out(directory, work)
    assert not directory.exists()


def interrupt():
    raise KeyboardInterrupt


def test_ctrl_c_keeps_finished_parts_and_says_how_to_go_on(tmp_path):
    directory = tmp_path / "x.checkpoints"
    with pytest.raises(KeyboardInterrupt) as interrupted:
        carry_out(directory, lambda: (keep_two_flops(directory), interrupt()))
    assert str(interrupted.value) == (
        f"interrupted; rerun the command to resume (2 finished parts kept in {directory})"
    )
    assert count_checkpoints(directory) == 2


def test_ctrl_c_before_anything_is_finished_leaves_nothing(tmp_path):
    directory = tmp_path / "x.checkpoints"
    with pytest.raises(KeyboardInterrupt, match="before any part was finished"):
        carry_out(directory, lambda: (Ledger(directory), interrupt()))
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_start_forgets_finished_parts_and_a_resumed_one_names_them(tmp_path, capsys):
    directory, found = tmp_path / "x.checkpoints", []

    def count():
        found.append(count_checkpoints(directory))

    keep_two_flops(directory)
    carry_out(directory, count)
    assert f"resuming from 2 finished parts kept in {directory}" in capsys.readouterr().err
    keep_two_flops(directory)
    carry_out(directory, count, resume=False)
    assert found == [2, 0]
    assert capsys.readouterr().err == ""


def test_a_result_that_is_there_is_not_made_again(tmp_path, capsys):
    path = tmp_path / "result"
    checkpoints = checkpoints_beside(path)
    keep_two_flops(checkpoints)
    work = LongWork(path, lambda: "result", {}, True, False)
    with work.going_on() as found:
        assert found == "result"
    assert work.end.describe("x") == "x, already complete"
    assert capsys.readouterr().err == f"{path}: already complete; use --overwrite to solve again\n"
    assert not checkpoints.exists()
    work.overwrite = True
    with work.going_on() as found:
        assert found is None
    assert not work.end.is_done_before


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
        (tmp_path / "a" / "values").mkdir(parents=True)
    assert (tmp_path / "a").is_dir()


@pytest.mark.parametrize(("num_kept", "names"), [(0, []), (2, ["x.checkpoints"])])
def test_a_failure_keeps_finished_parts_only(tmp_path, num_kept, names):
    directory = tmp_path / "x.checkpoints"

    def failing_work():
        Ledger(directory)
        if num_kept:
            keep_two_flops(directory)
        raise BundleError("x", "is broken")

    with pytest.raises(BundleError, match="x: is broken"):
        carry_out(directory, failing_work)
    assert [entry.name for entry in tmp_path.iterdir()] == names
    assert count_checkpoints(directory) == num_kept
