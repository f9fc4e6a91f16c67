import pytest
import typer

from runout.cli import program
from runout.cli.app import COMMANDS, RETIRED, main
from runout.cli.program import USAGE_ERROR, describe_error, describe_usage_error


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            "equity AA KK --bord 2c3c4c",
            "--bord: not an option of runout equity, did you mean --board?",
        ),
        (
            "equity -x AA KK",
            "-x: not an option of runout equity, allowed are --board, --grid, --json, --help",
        ),
        ("--verson", "--verson: not an option of runout, did you mean --version?"),
        ("shw x", "'shw': not a command of runout, did you mean show?"),
        ("lab xyz", "'xyz': not a command of runout lab, allowed are exploit, sweep"),
        ("equity", "HERO: is missing, runout equity needs HERO [VILLAIN]"),
        ("tree show", "--config: is missing, runout tree show needs --config FILE"),
        ("equity AA KK QQ JJ", "'QQ JJ': too many arguments, runout equity takes HERO [VILLAIN]"),
        ("warmup now", "'now': too many arguments, runout warmup takes options only"),
        ("equity AA KK --board", "--board: requires an argument"),
        ("flops --json=yes", "--json: does not take a value"),
        ("flops --random x", "--random: 'x' is not a whole number"),
        ("flops --random 2.5", "--random: '2.5' is not a whole number"),
        ("tree show -c x --spr deep", "--spr: 'deep' is not a number"),
        ("flops --format xml", "--format: 'xml' is not one of 'table', 'csv'"),
    ],
)
def test_a_wrong_command_line_is_one_line_of_where_what_and_what_is_allowed(
    error_line, arguments, line
):
    assert error_line(*arguments.split()) == line


def test_an_unknown_command_without_a_neighbour_points_to_the_list(error_line):
    assert error_line("xyz") == "'xyz': not a command of runout, see runout help --all"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("equity --hero AA", "give HERO without a name: runout equity HERO [VILLAIN]"),
        ("strength --hero AA", "did you mean --hand?"),
        ("solve-spot --threads 2", "did you mean --workers?"),
        ("solve-spot --iterations 9", "did you mean --max-iterations?"),
        ("equity AA KK --flop AsKs2d", "did you mean --board?"),
        ("gui", "did you mean explore?"),
        ("solve", "did you mean solve-spot?"),
    ],
)
def test_another_word_for_the_same_suggests_it(error_line, arguments, meant):
    assert error_line(*arguments.split()).endswith(f", {meant}")


def test_a_command_that_was_replaced_says_what_to_type_now(error_line, monkeypatch):
    for name in ("trace-it", "lab trace-it"):
        monkeypatch.setitem(RETIRED, name, "runout show DIR --trace HAND")
        line = f"{name}: was replaced, use runout show DIR --trace HAND"
        assert error_line(*name.split(), "x") == line
    assert not RETIRED.keys() & COMMANDS.keys()


def test_an_argument_that_is_empty_or_of_two_lines_stays_one_line(error_line):
    assert error_line("").startswith("'': not a command of runout, ")
    assert error_line("flops", "--random", "1\nx") == "--random: '1\\nx' is not a whole number"
    assert error_line("flops", "--a\nb").startswith("--a b: not an option of runout flops, ")


def test_the_first_screen_has_eight_commands_in_four_groups(run):
    text = run("--help").stdout
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert shown == [name for name, command in COMMANDS.items() if command.is_first]
    assert len(shown) == 8
    assert all(f"\n{group}\n" in text for group in ("Solve", "Study", "Tools", "Research"))
    assert run().stdout == run("help").stdout == text
    assert max(map(len, text.splitlines())) <= 80


def test_all_commands_are_one_step_away(run):
    text = run("help", "--all").stdout
    assert all(f"\n  {name} " in text for name in COMMANDS if " " not in name)
    assert "--install-completion" in text
    assert max(map(len, text.splitlines())) <= 80
    assert run("help", "equity").stdout == run("equity", "--help").stdout


def test_lines_of_the_list_are_short():
    for name, command in COMMANDS.items():
        if " " in name:
            assert not command.help
        else:
            assert len(command.help.split()) <= 10, name
            assert command.help.endswith(".")


def commands_of(command, name):
    """Yields the commands of a group, or the command, with their names."""
    for inner, each in getattr(command, "commands", {}).items():
        yield from commands_of(each, f"{name} {inner}")
    if not hasattr(command, "commands"):
        yield name, command


@pytest.mark.parametrize("name", sorted({name.split()[0] for name in COMMANDS}))
def test_options_and_the_first_sentence_of_a_help_have_at_most_ten_words(name):
    for place, command in commands_of(program._load(name), name):
        texts = [getattr(parameter, "help", None) or "" for parameter in command.params]
        for text in (command.help.partition("\n")[0], *texts):
            assert len(text.split()) <= 10, f"{place}: {text}"


def test_each_command_has_a_place_and_an_example_and_a_group_has_members():
    for name, command in COMMANDS.items():
        if command.place:
            assert command.examples, name
        else:
            assert any(other.startswith(f"{name} ") for other in COMMANDS)


STARTS_WITHOUT = """
import sys
from runout.cli.app import COMMANDS, RETIRED, main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code
heavy = {"numpy", "pydantic", "typer", "rich", "numba"} & set(sys.modules)
print(sorted(heavy), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", ["", "--help", "help --all", "--version"])
def test_the_first_screen_imports_nothing_heavy(run_python, arguments):
    assert run_python(STARTS_WITHOUT, *arguments.split()).stderr == "[]\n"


def test_the_program_itself_does_the_same(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--verson"])
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: --verson: not an option of runout, did you mean --version?\n"


def test_what_is_not_known_keeps_its_own_words():
    assert describe_usage_error(USAGE_ERROR("Too\nlate.")) == "command line: Too late."
    assert describe_usage_error(typer.BadParameter("Too late.")) == "value: Too late"


def test_only_a_group_without_a_command_calls_for_help():
    assert issubclass(typer.BadParameter, USAGE_ERROR)
    assert describe_error(USAGE_ERROR("x")) == "command line: x"
