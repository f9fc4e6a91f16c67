from pathlib import Path

import pytest

from runout.cli.app import main

PUSH_OR_FOLD = "preflop:\n  preset: pushfold\n  stacks_bb: {}\n"


def solve(tmp_path, stack, *options):
    config = tmp_path / "config.yaml"
    config.write_text(PUSH_OR_FOLD.format(stack))
    with pytest.raises(SystemExit) as ended:
        main(["solve-preflop", "-c", str(config), "-o", str(tmp_path / "run"), *options])
    return ended.value.code or 0


def test_results_of_another_config_are_refused_with_the_difference(tmp_path, capsys):
    assert solve(tmp_path, 10) == 0
    capsys.readouterr()
    assert solve(tmp_path, 12) == 2
    refusal = capsys.readouterr().err
    assert "belongs to another config" in refusal
    assert "10" in refusal
    assert "12" in refusal
    assert solve(tmp_path, 12, "--overwrite") == 0


def test_results_of_the_same_config_are_kept(tmp_path, capsys):
    assert solve(tmp_path, 10) == 0
    assert solve(tmp_path, 10) == 0
    assert "already complete; use --overwrite to solve again" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["show", "x"], ["show", "x", "--check"]])
def test_what_may_not_be_looked_at_is_one_line(command, tmp_path, monkeypatch, capsys):
    def refuse(*_arguments, **_options):
        raise PermissionError(13, "Permission denied", "x/manifest.json")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "is_file", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
