"""Tests of `runout.formats.upi`: two clients written for PioSOLVER drive the command.

What they read is held against the library, and each command against a transcript.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pious.pio.solver import Solver
from pokersolverquery.solver import LoadedTree, UPISolver

import runout
from runout.cards.deck import NUM_COMBOS, format_combo
from runout.cards.hand_classes import MadeHand, classify_hands
from runout.flops.spot_solution import SpotSolution
from runout.formats.upi import UpiServer
from runout.trees.paths import format_pio_id

PROGRAM = [sys.executable, "-c", "from runout.cli.app import main; main()"]
RIVER = {"board": "QsJh2h8c3d", "oop": "QQ:0.5,TT,99,AQs,KTs", "ip": "AA,KK,AQ,KQs,T9s"}
TURN = {"board": "QsJh2h8c", "oop": "TT,AQs,KTs", "ip": "KK,KQs,T9s"}
LINES = ["0 25", "0 50 150", "25 75 200", "100 200", "0 100"]
TURN_LINES = ["0 50", "50 50 150", "50 50 50 100", "0 0 100", "200"]


@pytest.fixture
def solver_file(tmp_path):
    """An executable as clients start it."""
    path = tmp_path / "runout.exe"
    path.write_text(f'#!/bin/sh\nexec "{PROGRAM[0]}" {PROGRAM[1]} "{PROGRAM[2]}" upi\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def pio(solver_file):
    solver = Solver(str(solver_file.parent), solver_file.stem)
    yield solver
    solver.process.stdin.close()
    solver.process.wait(60)
    solver.process.stdout.close()
    solver.process.stderr.close()


class Session:
    """A server in this process; an answer is the lines between two ends."""

    def __init__(self):
        self.text = ""
        self.server = UpiServer(self._write)
        self.server._end = "END"

    def _write(self, text):
        self.text += text

    def ask(self, *commands):
        """The answer to the last command, without what the solver says meanwhile."""
        for command in commands:
            self.text = ""
            answer = self.server._answer(*command.partition(" ")[::2])
            self.server._begin()
        return answer

    def rows(self, command):
        return np.array([[float(x) for x in line.split()] for line in self.ask(command)])


def weights_of(text):
    return " ".join(map(str, runout.Range(text).weights.tolist()))


def described(spot, lines, pot=100, stack=200):
    return [
        f"set_board {spot['board']}",
        f"set_range OOP {weights_of(spot['oop'])}",
        f"set_range IP {spot['ip']}",
        f"set_pot 0 0 {pot}",
        f"set_eff_stack {stack}",
        "clear_lines",
        *(f"add_line {line}" for line in lines),
    ]


def pure_strategy(action):
    """OOP's strategy that always takes one of three actions, as rows and as text."""
    held = runout.Range(RIVER["oop"]).without_cards(runout.parse_board(RIVER["board"])).weights > 0
    rows = np.zeros((3, NUM_COMBOS))
    rows[action, held] = 1.0
    return rows, " ".join(map(str, rows.ravel().astype(int)))


@pytest.fixture
def river():
    session = Session()
    for command in [*described(RIVER, LINES), "set_threads 1", "set_accuracy 0.2", "build_tree"]:
        assert session.ask(command) == [f"{command.split()[0]} ok!"]
    session.ask("go", "wait_for_solver")
    return session


def assert_equal_to_library(pio, view, ids, tolerance):
    """Compares all that a client can read of some nodes with our nodes."""
    for name in ids:
        node = view.node(name)
        shown = pio.show_node(name)
        assert shown.board == tuple(runout.cards.deck.format_card(card) for card in node.board)
        assert shown.pot == (*node.invested, view.spot.tree.stakes.pot)
        for player, position in enumerate(("OOP", "IP")):
            held = np.array(pio.show_range(position, name).range_array)
            assert held == pytest.approx(node.weights[player], abs=tolerance)
            evs, matchups = pio.calc_ev(position, name)
            assert evs == pytest.approx(node.ev[player], abs=tolerance * 100, nan_ok=True)
            assert matchups.shape == (NUM_COMBOS,)
            equities, _, total = pio.calc_eq_node(position, name)
            assert equities == pytest.approx(node.equity[player], abs=tolerance, nan_ok=True)
            assert total == pytest.approx(node.range_equity(player), abs=tolerance)
        if node.actor is None:
            continue
        strategy = np.array(pio.show_strategy(name))
        assert strategy == pytest.approx(np.nan_to_num(node.strategy[::-1]), abs=tolerance)
        steps = [child.node_id for child in pio.show_children(name)]
        codes = [node.path_after(action.code) for action in reversed(node.actions)]
        assert steps == [format_pio_id(view.spot.tree, code) for code in codes]


def test_pious_solves_a_river_and_reads_what_show_says(pio, tmp_path):
    pio.set_board(RIVER["board"])
    pio.set_range("OOP", weights_of(RIVER["oop"]))
    pio.set_range("IP", weights_of(RIVER["ip"]))
    pio.set_pot(0, 0, 100)
    pio.set_eff_stack(200)
    pio.clear_lines()
    for line in LINES:
        pio.add_line(line.split())
    assert pio.build_tree() == "build_tree ok!"
    pio.set_accuracy(0.2, "chips")
    assert "required accuracy reached" in pio.go(quiet=True)
    found = dict(line.split(": ") for line in pio.calc_results().splitlines())
    assert float(found["Exploitable for"]) <= 0.2
    assert float(found["EV OOP"]) + float(found["EV IP"]) == pytest.approx(100, abs=1e-3)
    pio.dump_tree(str(tmp_path / "saved"), "full")
    ids = [line for line in pio.show_all_lines() if line != "r"]
    view = SpotSolution.load(tmp_path / "saved").view
    tree = view.spot.tree
    assert set(ids) == {format_pio_id(tree, tree.path(node)) for node in range(tree.num_nodes)}
    assert_equal_to_library(pio, view, ids, 1e-6)
    # What `show --json` says of the saved spot has 16 bits.
    command = [*PROGRAM, "show", str(tmp_path / "saved"), "--node", "r:0:c:b50", "--json"]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    shown = json.loads(said)["node"]
    order = pio.show_hand_order()
    oop, ip = ([order.index(hand) for hand in hands] for hands in shown["hands"])
    strategy = np.array(pio.show_strategy("r:0:c:b50"))[::-1][:, oop]
    for action, row in zip(shown["actions"], strategy, strict=True):
        assert np.nan_to_num(np.array(action["strategy"], float)) == pytest.approx(row, abs=1e-4)
    evs = np.array(shown["ev"][1], float)
    assert evs == pytest.approx(pio.calc_ev("IP", "r:0:c:b50")[0][ip], abs=0.02, nan_ok=True)
    held = np.array(pio.show_range("IP", "r:0:c:b50").range_array)[ip]
    assert shown["weights"][1] == pytest.approx(held, abs=1e-4)


def test_pious_solves_a_turn_and_reads_it_again_from_the_bundle(pio, tmp_path):
    for command in described(TURN, TURN_LINES):
        pio._run(*command.split(" "))
    pio.build_tree()
    pio.set_accuracy(1.0)
    pio.go(60, "steps", quiet=True)
    pio.dump_tree(str(tmp_path / "saved"), "full")
    ids = ["r:0", "r:0:b50:c", "r:0:c:c:5d", "r:0:b50:c:As:c:b100", "r:0:c:c:2c:b100:c"]
    view = SpotSolution.load(tmp_path / "saved").view
    assert_equal_to_library(pio, view, ids, 1e-6)
    pio._run("free_tree")
    pio.load_tree(str(tmp_path / "saved"))
    assert_equal_to_library(pio, view, ids, 1e-6)
    pio.dump_tree(str(tmp_path / "small"), "no_rivers")
    pio.load_tree(str(tmp_path / "small"))
    assert_equal_to_library(pio, runout.open(tmp_path / "small"), ids, 1e-6)
    assert pio._run("calc_results").startswith("running time")


def test_pokersolverquery_reads_a_saved_spot(solver_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spot = {**RIVER, "pot": 100, "stack": 200, "bet_sizes": "50%", "max_iterations": 20}
    runout.solve_spot(**spot, directory=tmp_path / "a saved spot")
    solver = UPISolver(str(solver_file))
    assert not solver.tree_exists
    tree = LoadedTree(str(tmp_path / "a saved spot"), solver)
    assert solver.tree_exists
    assert "QdQc" in tree.opp_range
    assert "2d2c" not in tree.opp_range
    assert tree.ip_range.range_ == runout.Range(RIVER["ip"]).weights.tolist()
    assert tree.all_lines[:3] == ["r", "r:0", "r:0:c"]
    assert solver.command("show_node r")[2] == "Qs Jh 2h 8c 3d"
    with pytest.raises(Exception, match="ERROR: path 'r:0:b7'"):
        solver.command("show_node r:0:b7")
    assert solver.command("is_ready") == ["is_ready ok!", "END"]
    solver.write_line("exit")
    solver.process.wait(60)
    solver.process.stdin.close()
    solver.process.stdout.close()


def test_every_command_answers_as_its_protocol_says(river, tmp_path):
    saved, script = tmp_path / "saved", tmp_path / "script.txt"
    script.write_text("# a remark\nis_ready\nnonsense\necho one two\n")
    zeros = " ".join(["0"] * NUM_COMBOS)
    transcript = {
        "is_ready": ["is_ready ok!"],
        "echo one  two": ["one  two"],
        "show_version": [runout.__version__],
        "set_threads 1": ["set_threads ok!"],
        "set_accuracy 0.5 fraction": ["set_accuracy ok!"],
        "set_recalc_accuracy 0.1 0.2 0.3": ["set_recalc_accuracy ok!"],
        "set_always_recalc 0 60000": ["set_always_recalc ok!"],
        "set_info_freq 0": ["set_info_freq ok!"],
        "set_isomorphism 1 0": ["set_isomorphism ok!"],
        "set_rake 0.05 4": ["set_rake ok!"],
        "remove_line 0 100": ["remove_line ok!"],
        "estimate_tree": [..., "estimate_tree ok!"],
        "is_tree_present": ["true"],
        "show_node r:0": ["r:0", "OOP_DEC", "Qs Jh 2h 8c 3d", "0 0 100", "3 children", ...],
        "show_node r:0:c:b50:b150:c": [
            *("r:0:c:b50:b150:c", "END_NODE", "Qs Jh 2h 8c 3d", "150 150 100", "0 children", ...),
        ],
        "show_children r:0:c:b25": [
            *("child 0:", "r:0:c:b25:c", "END_NODE", "Qs Jh 2h 8c 3d", "25 25 100"),
            *("0 children", "flags: PIO_CFR", ""),
            *("child 1:", "r:0:c:b25:f", "END_NODE", "Qs Jh 2h 8c 3d", "0 25 100"),
            *("0 children", "flags: PIO_CFR", ""),
        ],
        "show_effective_stack": ["200"],
        "add_info_line #Note#1": ["add_info_line ok!"],
        "show_tree_info": ["#Type#NoLimit", ..., ..., ..., "#Pot#100", ..., "#Note#1"],
        "reset_tree_info": ["reset_tree_info ok!"],
        "show_categories QsJh2h8c3d": [..., ...],
        "calc_results": [...] * 6,
        "calc_ev OOP r:0": [..., ...],
        "calc_eq OOP": [..., ..., ...],
        "calc_eq_node IP r:0:c": [..., ..., ...],
        "calc_line_freq r:0": ["1"],
        "calc_global_freq r:0": ["1"],
        f"set_strategy r:0 {zeros} {zeros} {zeros.replace('0', '1')}": ["set_strategy ok!"],
        "lock_node r:0": ["lock_node ok!"],
        f"combo_lock_node r:0 {zeros.replace('0', '1')}": ["combo_lock_node ok!"],
        "unlock_node r:0": ["unlock_node ok!"],
        f'dump_tree "{saved}"': ["dump_tree ok!"],
        f'load_tree "{saved}"': ["load_tree ok!"],
        f'load_script "{script}"': [
            *("is_ready ok!", "ERROR: nonsense: is not a command", "one two", "load_script ok!"),
        ],
        f"load_script_silent {script}": [
            *("ERROR: nonsense: is not a command", "load_script_silent ok!"),
        ],
        "go 3": ["SOLVER: started", "go ok!"],
        "wait_for_solver": ["wait_for_solver ok!"],
        "go 0.01 seconds": ["SOLVER: started", "go ok!"],
        "stop": ["stop ok!"],
        "free_tree": ["free_tree ok!"],
        "set_end_string STOP": ["set_end_string ok!"],
        "reset_end_string": ["reset_end_string ok!"],
    }
    for command, expected in transcript.items():
        answer = river.ask(command)
        assert len(answer) == len(expected), (command[:60], answer)
        for came, line in zip(answer, expected, strict=True):
            assert line is ... or came == line, command[:60]
    assert river.ask("is_tree_present") == ["false"]
    order = river.ask("show_hand_order")[0].split(" ")
    assert order == [format_combo(combo) for combo in range(NUM_COMBOS)]
    assert order[:6] == ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h"]


def test_the_end_string_ends_every_answer_and_exit_the_server():
    text = []
    commands = ["is_ready", "set_end_string END", "is_ready", "", "foo", "reset_end_string"]
    UpiServer(text.append).serve([*commands, "echo", "exit", "is_ready"])
    assert "".join(text).splitlines()[1:] == [
        *("is_ready ok!", "set_end_string ok!", "END", "is_ready ok!", "END"),
        *("ERROR: foo: is not a command", "END", "reset_end_string ok!", ""),
    ]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("bild_tree", "bild_tree: is not a command, did you mean build_tree?"),
        ("set_board QsJ", "'J': a card is a rank and a suit"),
        ("set_range BB AA", "player: 'BB' is neither OOP nor IP"),
        ("set_range OOP AX", "'AX': 'X' is not a rank"),
        ("set_range OOP 1 1 1", "'1' is not a hand"),
        ("set_pot 40", "set_pot: takes 3 numbers, 1 came"),
        ("set_pot 0 0 -1", "set_pot: '-1' is not a number from 0 up"),
        ("set_eff_stack x", "set_eff_stack: 'x' is not a number from 0 up"),
        ("set_accuracy 1 percent", "set_accuracy: 'percent' is neither chips nor fraction"),
        ("go fast", "go: 'fast' is not a number"),
        ("go 5 minutes", "go: 'minutes' is neither seconds nor steps"),
        ("show_node r:0:b33", "'b33' is not an action at the root; possible: x, b25, b100"),
        ("show_strategy r:0:c:c", "r:0:c:c: not a decision but a showdown"),
        ("lock_node r:0:c:c", "not a decision but a showdown"),
        ("set_strategy r:0 1 2", "set_strategy: takes 3,978 numbers, 2 came"),
        ("combo_lock_node r:0 1", "combo_lock_node: takes 1,326 numbers, 1 came"),
        ("load_tree /nowhere", "/nowhere"),
        ("load_tree", "file: is missing"),
        ("load_script /nowhere", "/nowhere"),
        ("dump_tree x most", "dump_tree: 'most' is none of full, no_rivers, no_turns"),
        ("show_categories Qs", "board"),
        ("calc_ev r:0", "player: 'r:0' is neither OOP nor IP"),
    ],
)
def test_wrong_commands_answer_with_an_error_and_the_server_goes_on(river, command, problem):
    (answer,) = river.ask(command)
    assert answer.startswith("ERROR: ")
    assert problem in answer
    assert river.ask("is_ready") == ["is_ready ok!"]


def test_the_example_is_answered_as_the_documentation_says():
    text, root = [], Path(__file__).parents[2]
    UpiServer(text.append).serve((root / "examples" / "upi.txt").read_text().splitlines())
    (block,) = re.findall(
        r"```text\n(r:0\n.*?)```", (root / "docs" / "formats.md").read_text(), re.S
    )
    said = "".join(text)
    assert block in said
    assert "ERROR" not in said
    assert "SOLVER: stopped (required accuracy reached)" in said
    assert len(said.splitlines()[-2].split(" ")) == NUM_COMBOS


def test_without_a_tree_commands_say_how_to_get_one():
    session = Session()
    for name in ("go", "show_node r:0", "calc_results", "show_all_lines", "dump_tree x"):
        assert session.ask(name) == [
            "ERROR: tree: there is none, give build_tree or load_tree first"
        ]
    assert session.ask("set_board QsJh2h", "build_tree") == [
        "ERROR: tree: not described, it takes set_board, set_range OOP, set_range IP, set_pot, "
        "set_eff_stack"
    ]
    assert session.ask("show_range IP") == ["ERROR: show_range: IP has no range, set_range"]
    session.ask("set_pot 10 10 40", *described(RIVER, [])[:3], "set_eff_stack 5")
    assert session.ask("build_tree")[0].startswith("ERROR: set_pot: bets on the table")


def test_a_locked_node_stays_as_it_was_set_and_learns_again_after_unlocking(river, tmp_path):
    def results():
        return [float(line.split(": ")[1]) for line in river.ask("calc_results")]

    free, (bets, given) = results(), pure_strategy(0)
    river.ask(f"set_strategy r:0 {given}", "lock_node r:0")
    assert river.rows("show_strategy r:0") == pytest.approx(bets)
    river.ask("go", "wait_for_solver")
    assert river.rows("show_strategy r:0") == pytest.approx(bets)
    assert river.ask("calc_global_freq r:0:b100") == ["1"]
    river.ask(f"dump_tree {tmp_path / 'locked'}")
    config = SpotSolution.load(tmp_path / "locked").config
    (lock,) = config.locks
    assert dict(lock.strategy[0][1]) == {"x": 0.0, "b25": 0.0, "b100": 1.0}
    # The spot with the same lock in its config has the same value.
    again, locked = runout.solve_spot(config, target=0.002), results()
    evs = [again.node().range_ev(player) for player in (0, 1)]
    assert locked[1:3] == pytest.approx(evs, abs=0.4)
    assert locked[1] < free[1] - 1.0
    river.ask("unlock_node r:0", "go", "wait_for_solver")
    assert results()[1] == pytest.approx(free[1], abs=0.4)
    assert results()[5] <= 0.2


def test_what_is_set_and_not_locked_is_only_where_learning_goes_on(river):
    bets, given = pure_strategy(0)
    river.ask(f"set_strategy r:0 {given}")
    assert river.rows("show_strategy r:0") == pytest.approx(bets)
    worth = float(river.ask("calc_results")[1].split(": ")[1])
    river.ask("go", "wait_for_solver")
    assert float(river.ask("calc_results")[5].split(": ")[1]) <= 0.2
    assert float(river.ask("calc_results")[1].split(": ")[1]) > worth + 1.0


def test_some_hands_can_be_locked_alone(river):
    aces = runout.Range("TT").weights
    before = river.rows("show_strategy r:0")
    river.ask(f"combo_lock_node r:0 {' '.join(map(str, aces.astype(int)))}", "set_accuracy 0.05")
    river.ask("go", "wait_for_solver")
    after = river.rows("show_strategy r:0")
    assert after[:, aces > 0] == pytest.approx(before[:, aces > 0], abs=1e-6)
    assert np.abs(after - before).max() > 1e-5


def test_tables_are_read_while_a_solve_runs_and_a_stop_ends_it():
    session = Session()
    session.ask(*described(TURN, TURN_LINES), "set_threads 1", "set_accuracy 0", "build_tree", "go")
    assert "the solver is running already" in session.ask("go")[0]
    strategies = [session.rows("show_strategy r:0") for _ in range(3)]
    assert session.server._is_solving
    assert all(np.isfinite(strategy).all() for strategy in strategies)
    assert session.ask("lock_node r:0") == [
        "ERROR: lock_node: the solver is running, stop it first"
    ]
    session.text = ""
    assert session.server._answer("stop", "") == ["stop ok!"]
    assert session.text == "SOLVER: stopped (stopped by the user)\n"
    steps = session.server._solution.outcome.iterations
    assert steps > 0
    session.ask("go 7", "wait_for_solver")
    assert session.server._solution.outcome.iterations == steps + 7


def test_the_end_of_the_input_stops_the_solve():
    text = []
    commands = [*described(TURN, TURN_LINES), "set_accuracy 0", "build_tree", "set_info_freq 1"]
    UpiServer(text.append).serve([*commands, "go"])
    lines = "".join(text).splitlines()
    assert lines[-1] == "SOLVER: stopped (stopped by the user)"


def test_frequencies_of_lines_add_up_over_cards(river):
    total = sum(
        float(river.ask(f"calc_global_freq r:0:{step}")[0]) for step in ("b100", "b25", "c")
    )
    assert total == pytest.approx(1.0, abs=1e-6)
    session = Session()
    session.ask(*described(TURN, ["0 0 100"]), "set_threads 1", "build_tree", "go 4")
    session.ask("wait_for_solver")
    ids = [line for line in session.ask("show_children r:0:c:c") if line.startswith("r:0")]
    assert len(ids) == 48
    shares = [float(session.ask(f"calc_global_freq {name}")[0]) for name in ids]
    assert sum(shares) == pytest.approx(1.0, abs=1e-6)
    each = [float(session.ask(f"calc_global_freq {name}:b100")[0]) for name in ids]
    line = float(session.ask("calc_line_freq r:0:c:c:5d:b100")[0])
    assert line == pytest.approx(sum(each), abs=1e-6)
    assert session.ask("calc_line_freq r:0:c:c:5d") == ["1"]


def test_categories_are_those_of_our_classes(river):
    made, draws = river.rows("show_categories QsJh2h")
    names = [line.split(" ") for line in river.ask("show_category_names")]
    classes = classify_hands(runout.parse_board("QsJh2h"))
    assert made.tolist() == classes.made.tolist()
    assert names[0] == [each.label for each in MadeHand]
    for combo, draw in enumerate(draws.astype(int)):
        has = classes.draws[combo]
        labels = [each.label for each in runout.cards.hand_classes.Draw]
        assert (names[1][draw] == "no-draw") == (not has.any())
        assert draw == 0 or has[labels.index(names[1][draw])]


def test_equities_without_a_tree_are_those_of_the_ranges():
    session = Session()
    session.ask(*described(TURN, [])[:3])
    equities, matchups, total = session.ask("calc_eq IP")
    found = runout.equity(TURN["oop"], TURN["ip"], TURN["board"])
    assert float(total) == pytest.approx(1.0 - found.equity, abs=1e-7)
    combo = session.ask("show_hand_order")[0].split(" ").index("KdKc")
    assert float(equities.split()[combo]) == pytest.approx(found.villain.equity[combo], abs=1e-7)
    # TT, and AQs and KTs without the queen of spades, one king of diamonds and one of clubs.
    assert float(matchups.split()[combo]) == 6 + 3 + 2


def test_mutated_commands_answer_with_one_line_or_what_was_asked(river, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(28)
    commands = [
        *described(RIVER, LINES),
        *("build_tree", "estimate_tree", "show_node r:0:c", "show_children r:0", "calc_ev OOP r:0"),
        *(
            "calc_line_freq r:0:b100",
            "set_accuracy 1 chips",
            "set_rake 0.05 2",
            "show_range IP r:0",
        ),
        *("remove_line 0 100", "set_isomorphism 1 0", "show_categories QsJh2h", "calc_eq OOP"),
        *("lock_node r:0", "unlock_node r:0", "show_strategy r:0:c", "set_threads 1"),
    ]
    commands = [command for command in commands if len(command) < 200]
    errors = 0
    for _ in range(1500):
        letters = list(rng.choice(commands))
        for _ in range(rng.randrange(3)):
            place = rng.randrange(len(letters))
            letters[place : place + rng.randrange(3)] = rng.choice(
                ["", "0", "-", "x", ":", "é ", "9"]
            )
            letters = letters or ["x"]
        name, _, rest = "".join(letters).strip().partition(" ")
        if not name:
            continue
        answer = river.server._answer(name, rest)
        errors += answer[0].startswith("ERROR")
        assert not answer[0].startswith("ERROR") or len(answer) == 1
    assert 300 < errors < 1400
