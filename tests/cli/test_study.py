"""Tests of `runout.cli.study`, and of `solve-spot --lock`."""

import json

import pytest

RIVER = ["--board", "QsJh2h8c3d", "--oop", "22+,A2s+,QJs", "--ip", "22+,A8s+,QTs+"]
MONEY = ["--pot", "180", "--stack", "910", "--bets", "33%,75%", "--raises", "2.5x"]


@pytest.fixture(scope="module")
def river(tmp_path_factory):
    from typer.testing import CliRunner

    from runout.cli.program import app

    path = tmp_path_factory.mktemp("study") / "river"
    words = ["solve-spot", *RIVER, *MONEY, "--target", "0.5%", "-o", str(path)]
    assert CliRunner().invoke(app, words).exit_code == 0
    return str(path)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("runout.cli.study.cache_directory", lambda: tmp_path)
    return tmp_path


def test_answers_are_graded(run, river):
    words = ["drill", river, "--node", "x:b59", "--hands", "3", "--seed", "4", "--json"]
    result = run(*words, stdin="c\nhello\nf\nc\n")
    document = json.loads(result.stdout)
    assert [answer["answer"] for answer in document["answers"]] == ["c", "f", "c"]
    assert document["mistakes"] == sum(answer["is_mistake"] for answer in document["answers"])
    assert all(answer["lost_chips"] >= 0.0 for answer in document["answers"])
    assert "answer with one of f, c, r148, or q to stop" in result.stderr


def test_a_session_can_be_stopped_and_repeated(run, river):
    words = ["drill", river, "--seed", "4", "--hands", "5", "--forget"]
    first, second = run(*words, stdin="x\nq\n"), run(*words, stdin="x\n")
    assert first.stdout == second.stdout
    assert first.stdout.startswith("1 decision, ")


def test_missed_hands_are_kept_unless_forgotten(run, river, own_cache):
    words = ["drill", river, "--node", "x:b59", "--hands", "20", "--seed", "1"]
    run(*words, "--forget", stdin="f\n" * 20)
    assert not (own_cache / "drill.json").exists()
    run(*words, stdin="f\n" * 20)
    assert json.loads((own_cache / "drill.json").read_text())["missed"]


def test_a_lock_is_solved_again(run, river, tmp_path):
    locked = str(tmp_path / "locked")
    lines = tmp_path / "locks.txt"
    lines.write_text("# a calling station\nx:b59 raise=0  # never raises\n")
    words = ["solve-spot", "-c", river, "--lock-file", str(lines), "--lock", "x fold=0"]
    assert run(*words).exit_code == 2  # x is not faced with a bet
    assert run(*words[:-2], "-o", locked).exit_code == 0
    node = json.loads(run("show", locked, "--node", "x:b59", "--json").stdout)
    text = json.dumps(node)
    assert '"locked": true' in text
    root = run("show", locked, "--node", "x:b59").stdout
    assert "raise 2.5x (to 148)       0.00%" in root


def test_two_locks_of_one_node_are_one_line(error_line, river):
    line = error_line("solve-spot", "-c", river, "--lock", "x pure", "--lock", "x b59=0")
    assert line == "--lock: x is locked twice, give its changes in one --lock"


def test_a_lock_needs_a_solution(error_line):
    line = error_line("solve-spot", "-c", "configs/spot_river.yaml", "--lock", "x pure")
    assert line == "--lock: changes a solution, give its directory by --config"


def test_a_drill_begins_at_a_decision(error_line, river):
    assert error_line("drill", river, "--node", "x:x").startswith("--node: x:x is not a decision")
