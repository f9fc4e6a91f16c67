"""A small joint game on the command line, from its config to what it loses with real cards."""

import json

import pytest
from typer.testing import CliRunner

from runout.cli.program import app
from runout.solutions.preflop import load_solution
from tests.samples.solve_configs import JOINT


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    file = tmp_path_factory.mktemp("joint") / "joint.yaml"
    file.write_text(JOINT)
    return file


@pytest.fixture(scope="module")
def joint_run(config):
    """The directory of a joint run, and what its solve said."""
    path = config.parent / "run"
    arguments = ["solve-preflop", "-c", str(config), "-o", str(path)]
    return path, CliRunner(env={"COLUMNS": "100"}).invoke(app, arguments, catch_exceptions=False)


def test_the_size_of_the_game_is_told_before_and_its_end_after(joint_run):
    _, result = joint_run
    assert "one game, 1 way to see 1 flop" in result.stderr
    assert "of memory" in result.stderr
    assert "joint, played on 1 flop at SPR 2.5" in result.stdout


def test_strategies_of_all_streets_are_kept_and_the_checkpoint_is_not(joint_run):
    path, _ = joint_run
    kept = {file.name for file in (path / "flops").iterdir()}
    assert {"flop0_leaf0_shares.npy", "flop0_leaf0_values.npy"} <= kept
    assert not (path / "checkpoints").exists()


def test_a_finished_run_given_again_is_a_note(run, joint_run, config):
    path, _ = joint_run
    assert "already complete" in run("solve-preflop", "-c", str(config), "-o", str(path)).stderr


def test_what_it_loses_with_real_cards_is_measured_and_kept(run, joint_run):
    path, _ = joint_run
    said = run("judge", str(path)).stdout
    facts = json.loads(run("judge", str(path), "--json").stdout)
    own = load_solution(path / "preflop").report.exploitability_mbb
    # The exact engine plays real cards, so both games are the same.
    assert facts["real_exploitability_mbb"] == pytest.approx(own, rel=0.05)
    assert "real game" in said
    assert load_solution(path / "preflop").report.real_exploitability_mbb is not None
    assert "with real cards, on its flops:" in run("show", str(path)).stdout


def test_a_game_that_does_not_fit_is_refused_with_advice(error_line, config, tmp_path):
    huge = tmp_path / "huge.yaml"
    huge.write_text(
        JOINT.replace("fixed_flops: [QsTs5s]", "bet_sizes: [0.3, 0.6]")
        .replace("  bet_sizes: {flop: [a], turn: [a], river: [a]}\n", "")
        .replace("stacks_bb: 6", "stacks_bb: 100")
    )
    line = error_line("solve-preflop", "-c", str(huge), "-o", str(tmp_path / "run"))
    assert line.startswith("memory: the solve needs")
    assert "exact_precision: 16 needs" in line
    assert "give fewer flops, fewer sizes, or solve_type: compact" in line
