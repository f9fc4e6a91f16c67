"""Typical mistakes of players and researchers: each is answered by one line that helps."""

import shlex
from pathlib import Path

import pytest

import runout

SPOT = "solve-spot -b QsJh2h8c3d --oop 22+ --ip 22+ --pot 100 --stack 300 -o out"

#: What was typed, and what the answer has to say. ``DATA`` holds stored results, ``CONFIGS`` the
#: configs of the repository.
MISTAKES = {
    # Cards and ranges.
    "equity AA KX": "'X' is not a rank, use one of 23456789TJQKA",
    "equity '[50]AA' KK": "[50]: is not closed, write [/50] after its hands",
    "equity AKs@0.5 KK": "@ takes percent, write :0.5 or @50",
    "equity 'Ah Kh' KK": "Ah is one card, a combo is two without a space: AhKh",
    "range AA --notation pious": "'pious'",
    "equity AAs KK": "write AA",
    "equity AA KK --board AhAh2c": "Ah",
    "equity AA KK --board AhKs": "2 cards, a board has 3 (flop), 4 (turn) or 5 (river)",
    "equity AA KK --board AhKsQd2c3d4h": "6 cards, a board has 3",
    "equity": "HERO: is missing, runout equity needs HERO [VILLAIN]",
    "equity AA vs KK": "runout equity takes HERO [VILLAIN]",
    "equity --hero AA --villain KK": "give HERO without a name: runout equity HERO [VILLAIN]",
    "range '22+/AKs'": "commas separate groups",
    "range AKs:1.5": "weight '1.5' is not a number from 0 to 1",
    "range ''": "write hands such as 22+,AKs:0.5",
    "eval AhKh": "2 cards, a hand to rank has 5, 6 or 7",
    "flops --subset 30": "8, 13, 25, 50, 100, 200",
    "strength --board AhKsQd --hand AhKh": "Ah",
    "import": "FILE: is missing",
    "import nowhere.txt": "nowhere.txt: cannot be read (No such file or directory)",
    "import CONFIGS/spot_river.yaml": "is a file of none of PioSOLVER, TexasSolver",
    "import FORMATS/postflop_configurations.json": "choose one of 'Cash/SRP 100bb', '3bet'",
    "import FORMATS/texas_sample.txt --board AhAh2c": "board: Ah: dealt twice",
    "import FORMATS/texas_sample.txt --pick flop": "--pick: 'flop' is not in the file",
    "solve-spot -c FORMATS/texas_sample.txt -o out": "convert it: runout import",
    # The command line.
    "solve": "did you mean solve-spot?",
    "gui": "did you mean explore?",
    "flops --seeds 3": "did you mean --seed?",
    "explore --port 99999": "use 1 to 65535",
    "export DATA/raw_equity --format xlsx -o x": "'xlsx' is not one of 'json', 'csv'",
    f"{SPOT} --threads 2": "did you mean --workers?",
    f"{SPOT} --workers 0": "0 is not a positive number",
    f"{SPOT} --max-iterations 1e3": "'1e3' is not a whole number",
    SPOT.replace("-o out", "-o s3://bucket/x"): "is a URL, use a local path",
    # Spots and configs.
    "solve-spot": "--board: is missing",
    "solve-spot -c nowhere.yaml -o out": "nowhere.yaml: no such file",
    "solve-spot -c typo.yaml -o out": "bet_size: unknown key, did you mean bet_sizes? (line 6)",
    "solve-spot -c tab.yaml -o out": "(line 2)",
    "solve-spot -c CONFIGS/pushfold_10bb.yaml -o out": "runout solve-preflop",
    "solve-preflop -c CONFIGS/spot_river.yaml -o out": "runout solve-spot",
    f"{SPOT} --bets 0.5": "50%",
    f"{SPOT} --target 0.005": "has no unit",
    f"{SPOT} --pot 0": "--pot",
    f"{SPOT} --rake 5": "5.0 should be less than or equal to 1",
    f"{SPOT} --rivers bucketed": "'bucketed' is not one of auto, exact, compact",
    f"{SPOT} --precision 64": "64 is not one of 32, 16",
    "solve-spot -b QsJh2h --oop QsQh --ip 22+ --pot 9 --stack 9 -o out": "QsJh2h",
    # Results.
    "show nowhere": "nowhere: does not exist",
    "show typo.yaml": "typo.yaml: is a config, solve it first",
    "show DATA/raw_equity --node b99": "possible:",
    "report CONFIGS --sort ev": "CONFIGS",
    "report -c CONFIGS/report_srp.yaml --flops 30 -o out": "8, 13, 25, 50, 100, 200",
    "report -c CONFIGS/report_srp.yaml --flops AhKd -o out": "is no flop such as AhKd7s",
    "report -c CONFIGS/report_srp.yaml": "--output: missing, the directory to write the report to",
    "lab exploit -c CONFIGS/lab_exploit.yaml --solve-type magic": "'magic' is not mccfr, ",
    "tree show": "--config: is missing, runout tree show needs --config FILE",
}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A directory with two broken configs, in which the commands are typed."""
    spot = "board: QsJh2h\noop: 22+\nip: 22+\npot: 10\nstack: 100\n"
    (tmp_path / "typo.yaml").write_text(f"{spot}bet_size: 50%\n")
    (tmp_path / "tab.yaml").write_text("board: QsJh2h\n\toop: 22+\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_one_line_that_helps(typed, run, desk, stored, request):
    configs = str(request.config.rootpath / "configs")
    line = typed.replace("DATA", str(stored)).replace("CONFIGS", configs)
    line = line.replace("FORMATS", str(Path(__file__).parents[1] / "data" / "formats"))
    result = run(*shlex.split(line))
    # Kernels that are not in the cache yet are compiled first, and that is reported.
    (said,) = (told for told in result.stderr.splitlines() if "ompil" not in told)
    assert (result.exit_code, result.stdout, said[:7]) == (2, "", "error: ")
    assert MISTAKES[typed].replace("CONFIGS", configs) in said
    assert len(said) < 400
    assert not (desk / "out").exists()
    assert not list(desk.glob("s3:*"))


#: The same from Python: an expression, and what its error has to say.
PYTHON = {
    "Range('10s')": "Ts is one card",
    "Range('AA:2')": "from 0 to 1",
    "parse_board('AhAhKs')": "Ah",
    "parse_board('Ah')": "a board has 3 (flop), 4 (turn) or 5 (river)",
    "load_config('nowhere.yaml')": "nowhere.yaml: no such file",
    "load_config('board: QsJh2h')": "no such file",
    "solve_spot(board='QsJh2h', oop='22+', ip='22+', pot=10)": "stack",
    "sweep('nowhere.yaml')": "nowhere.yaml: no such file",
    "sweep({})": "is missing",
    "solve_flop('AhKd')": "a board has 3",
}


@pytest.mark.parametrize("expression", PYTHON)
def test_a_mistake_in_python_is_one_line_that_helps(expression, desk):
    with pytest.raises(runout.RunoutError) as raised:
        eval(f"runout.{expression}", {"runout": runout})
    assert PYTHON[expression] in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", sorted(runout._REPLACED.keys() - set(runout.__all__)))
def test_a_name_of_before_says_what_replaces_it(name):
    with pytest.raises(AttributeError, match=rf"'{name}'.* was replaced by runout\."):
        getattr(runout, name)


def test_there_are_forty():
    assert len(MISTAKES) + len(PYTHON) >= 40
