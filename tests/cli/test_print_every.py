import pytest

from runout.cli.app import main


def test_matrices_are_shown_every_so_many_iterations(tmp_path, capsys):
    config = tmp_path / "config.yaml"
    config.write_text("preflop:\n  preset: pushfold\n  stacks_bb: 10\nprint_every: 10\n")
    with pytest.raises(SystemExit) as ended:
        main(["solve-preflop", "-c", str(config), "-o", str(tmp_path / "run")])
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert shown.index("after 10 iterations") < shown.index("after 20 iterations")
    assert shown.count("all-in 10") > 3
