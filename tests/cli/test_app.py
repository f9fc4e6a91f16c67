import pytest
import typer

from runout.cli.app import USAGE_ERROR, describe_error, describe_usage_error, main


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            "equity AA KK --bord 2c3c4c",
            "--bord: is no option of runout equity, did you mean --board?",
        ),
        (
            "equity -x AA KK",
            "-x: is no option of runout equity, allowed are --board, --grid, --json, --help",
        ),
        ("--verson", "--verson: is no option of runout, did you mean --version?"),
        ("inspct x", "'inspct': is no command of runout, did you mean inspect?"),
        ("table xyz", "'xyz': is no command of runout table, allowed are rebuild, verify"),
        ("equity AA", "VILLAIN: is missing, runout equity needs HERO VILLAIN"),
        ("tree show", "--config: is missing, runout tree show needs --config FILE"),
        ("equity AA KK QQ JJ", "'QQ JJ': is too much, runout equity takes HERO VILLAIN"),
        ("warmup now", "'now': is too much, runout warmup takes options only"),
        ("equity AA KK --board", "--board: comes without a value, but needs one"),
        ("flops --json=yes", "--json: comes with a value, but takes none"),
        ("flops --random x", "--random: 'x' is not a whole number"),
        ("flops --random 2.5", "--random: '2.5' is not a whole number"),
        ("tree show -c x --spr deep", "--spr: 'deep' is not a number"),
        ("flops --format xml", "--format: 'xml' is not one of 'table', 'json', 'csv'"),
    ],
)
def test_a_wrong_command_line_is_one_line_of_where_what_and_what_is_allowed(
    error_line, arguments, line
):
    assert error_line(*arguments.split()) == line


def test_an_unknown_command_without_a_neighbour_names_them_all(error_line):
    line = error_line("xyz")
    assert line.startswith("'xyz': is no command of runout, allowed are equity, ")
    assert line.endswith("table")


def test_an_argument_that_is_empty_or_of_two_lines_stays_one_line(error_line):
    assert error_line("").startswith("'': is no command of runout, ")
    assert error_line("flops", "--random", "1\nx") == "--random: '1\\nx' is not a whole number"
    assert error_line("flops", "--a\nb").startswith("--a b: is no option of runout flops, ")


def test_the_program_itself_does_the_same(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--verson"])
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: --verson: is no option of runout, did you mean --version?\n"


def test_what_is_not_known_keeps_its_own_words():
    assert describe_usage_error(USAGE_ERROR("Too\nlate.")) == "command line: Too late."
    assert describe_usage_error(typer.BadParameter("Too late.")) == "value: Too late"


def test_only_a_group_without_a_command_calls_for_help():
    assert issubclass(typer.BadParameter, USAGE_ERROR)
    assert describe_error(USAGE_ERROR("x")) == "command line: x"
