"""Finished pieces are kept, found again, and never mistaken for those of another config."""

from threading import Barrier

import numpy as np
import pytest

from runout.execution.local import map_tasks
from runout.pipeline.workplace import Workplace
from runout.storage.checkpoint import ENTRY_ENDING

FACTS = {"spr": 3.5}


def ask(recall, key, number):
    """Asks for a piece; returns its number, and whether it had to be computed."""
    computed = []

    def compute():
        computed.append(key)
        return {"number": np.array([number])}

    return int(recall(key, compute)["number"][0]), bool(computed)


def count_files(path):
    return len(list(path.rglob(f"*{ENTRY_ENDING}")))


def test_without_a_directory_everything_is_computed():
    with Workplace().recalling("flops", FACTS) as recall:
        assert ask(recall, "a", 1) == (1, True)
        assert ask(recall, "a", 2) == (2, True)


def test_a_finished_piece_is_found_by_the_next_run(tmp_path):
    for number, is_computed in [(1, True), (2, False)]:
        with Workplace(checkpoints=tmp_path).recalling("flops", FACTS) as recall:
            assert ask(recall, "a", number) == (1, is_computed)


@pytest.mark.parametrize(
    ("part", "facts"), [("flops", {"spr": 4.0}), ("round-1-c-x", FACTS), ("flops", {})]
)
def test_other_facts_and_other_parts_share_nothing(tmp_path, part, facts):
    workplace = Workplace(checkpoints=tmp_path)
    with workplace.recalling("flops", FACTS) as recall:
        ask(recall, "a", 1)
    with workplace.recalling(part, facts) as recall:
        assert ask(recall, "a", 2) == (2, True)
    with workplace.recalling("flops", FACTS) as recall:
        assert ask(recall, "a", 3) == (1, False)


def test_a_damaged_piece_is_computed_again(tmp_path):
    workplace = Workplace(checkpoints=tmp_path)
    with workplace.recalling("flops", FACTS) as recall:
        ask(recall, "a", 1)
    [file] = tmp_path.rglob(f"*{ENTRY_ENDING}")
    file.write_bytes(file.read_bytes()[:-1])
    for number, is_computed in [(2, True), (3, False)]:
        with workplace.recalling("flops", FACTS) as recall:
            assert ask(recall, "a", number) == (2, is_computed)


def test_pieces_are_written_as_often_as_asked_for(tmp_path):
    with Workplace(checkpoints=tmp_path, checkpoint_every=3).recalling("flops", FACTS) as recall:
        written = []
        for number, key in enumerate("abcdefg"):
            ask(recall, key, number)
            written.append(count_files(tmp_path))
    assert written == [0, 0, 3, 3, 3, 6, 6]
    assert count_files(tmp_path) == 7


def test_by_default_each_piece_is_written_at_once(tmp_path):
    with Workplace(checkpoints=tmp_path).recalling("flops", FACTS) as recall:
        ask(recall, "a", 1)
        assert count_files(tmp_path) == 1


def stop_after_one_piece(workplace):
    with workplace.recalling("flops", FACTS) as recall:
        ask(recall, "a", 1)
        raise KeyboardInterrupt


def test_pieces_that_wait_are_written_when_the_work_is_interrupted(tmp_path):
    workplace = Workplace(checkpoints=tmp_path, checkpoint_every=100)
    with pytest.raises(KeyboardInterrupt):
        stop_after_one_piece(workplace)
    with workplace.recalling("flops", FACTS) as recall:
        assert ask(recall, "a", 2) == (1, False)


def test_threads_may_finish_pieces_at_the_same_time(tmp_path):
    num_threads = 4
    together = Barrier(num_threads)
    with Workplace(checkpoints=tmp_path, checkpoint_every=3).recalling("flops", FACTS) as recall:

        def work(number):
            together.wait()
            return ask(recall, str(number), number)

        assert list(map_tasks(work, range(8), num_threads)) == [(n, True) for n in range(8)]
    assert count_files(tmp_path) == 8
