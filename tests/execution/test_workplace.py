"""Finished tasks are kept, found again, and never mistaken for those of another job."""

import pickle
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from runout.errors import ExecutionError
from runout.execution.tasks import Task, TaskResult
from runout.execution.threads import ThreadExecutor
from runout.execution.workplace import Workplace
from runout.storage.ledger import Ledger

TASKS = [Task(name, number) for number, name in enumerate("abc")]


@dataclass
class Squares:
    """Squares numbers, and notes which."""

    facts: dict = field(default_factory=dict)
    computed: list = field(default_factory=list)

    def run(self, item, worker):
        self.computed.append(item)
        return TaskResult({"number": np.array(item * item)})


def squares_of(workplace, job, tasks=TASKS):
    return {done.task.key: int(done.entry.arrays["number"]) for done in workplace.run(job, tasks)}


def test_without_a_directory_everything_is_computed():
    job = Squares()
    for _ in range(2):
        assert squares_of(Workplace(1), job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2, 0, 1, 2]


def test_a_finished_task_is_found_by_the_next_run(tmp_path):
    job = Squares()
    for _ in range(2):
        assert squares_of(Workplace(1, checkpoints=tmp_path), job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2]


def test_jobs_of_other_facts_share_nothing(tmp_path):
    workplace, first, other = Workplace(1, checkpoints=tmp_path), Squares(), Squares({"spr": 4.0})
    squares_of(workplace, first)
    squares_of(workplace, other, [replace(task, item=task.item + 1) for task in TASKS])
    assert other.computed == [1, 2, 3]
    assert squares_of(workplace, other) == {"a": 1, "b": 4, "c": 9}
    assert squares_of(workplace, first) == {"a": 0, "b": 1, "c": 4}


def test_a_damaged_result_is_computed_again(tmp_path):
    workplace, job = Workplace(1, checkpoints=tmp_path), Squares()
    squares_of(workplace, job)
    (file,) = tmp_path.glob("b-*.result")
    file.write_bytes(file.read_bytes()[:-1])
    assert squares_of(workplace, job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2, 1]


@pytest.mark.parametrize("num_workers", [1, 2, 4])
def test_any_number_of_threads_finds_the_same(tmp_path, num_workers):
    squares_of(Workplace(num_workers, checkpoints=tmp_path), Squares())
    digests = {entry.id.key: entry.sha256 for entry in Ledger(tmp_path).entries()}
    squares_of(Workplace(1, checkpoints=tmp_path / "alone"), Squares())
    alone = Ledger(tmp_path / "alone").entries()
    assert digests == {entry.id.key: entry.sha256 for entry in alone}


def test_results_wait_for_the_disk_as_often_as_asked_for(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("runout.storage.files.sync", lambda path: synced.append(path))
    tasks = [Task(str(number), number) for number in range(6)]
    squares_of(Workplace(1, checkpoints=tmp_path, checkpoint_every=3), Squares(), tasks)
    assert len(synced) == 2


def test_a_given_executor_is_used():
    executor = ThreadExecutor(3)
    assert Workplace(1, executor=executor).chosen_executor is executor
    assert Workplace(2).chosen_executor.num_workers == 2


def test_a_number_of_workers_that_nobody_can_have_is_refused():
    with pytest.raises(ExecutionError, match="workers: 0 is not a positive number"):
        squares_of(Workplace(0), Squares())


def test_tasks_can_travel():
    assert pickle.loads(pickle.dumps(TASKS)) == TASKS
