import json
import re

from runout.cards.canonical_hands import HAND_NAMES
from runout.cards.combos import NUM_COMBOS
from runout.ranges.notation import parse_range


def test_a_range_is_counted_and_written_back(run):
    lines = run("range", "AA,KK,QQ,AKs:0.5").stdout.splitlines()
    assert lines[0] == "20 combos, 1.51% of 1,326"
    assert lines[1] == "QQ+,AKs:0.5"


def test_the_grid_shows_weights_in_percent_and_dashes_elsewhere(run):
    rows = run("range", "QQ+,AKs:0.5").stdout.splitlines()[-13:]
    assert rows[0].split() == ["A", "100", "50.0", *["-"] * 11]
    assert rows[1].split()[:4] == ["K", "-", "100", "-"]


def test_a_board_removes_its_combos(run):
    document = json.loads(run("range", "AA,KK", "--board", "AhKsQd", "--json").stdout)
    assert document["num_combos"] == 6.0
    assert document["board"] == "AhKsQd"
    assert document["weight_by_hand"]["AA"] == 0.5
    assert document["weight_by_combo"]["AhAd"] == 0.0
    assert document["weight_by_combo"]["AsAd"] == 1.0


def test_json_lists_every_hand_and_every_combo(run):
    document = json.loads(run("range", "random", "--json").stdout)
    assert list(document["weight_by_hand"]) == list(HAND_NAMES)
    assert len(document["weight_by_combo"]) == NUM_COMBOS
    assert document["combos_fraction"] == 1.0


def test_the_json_text_reads_back_as_the_same_range(run):
    text = "22+,A2s+,KTo-K8o,AhKh,QJs:0.3"
    document = json.loads(run("range", text, "--json").stdout)
    assert parse_range(document["range"]) == parse_range(text)


def test_a_long_range_text_is_not_wrapped(run):
    combos = "AhKd,AhKc,QhJd,QhTd,9h8d,9h7c,9h6d,5h4d,5h3c,5h2d,KhQd,KhJc,JhTd,Th9c,8h7d,7h6c,6h5c"
    lines = run("range", f"{combos},AcKd,AcQd,AcJd,AcTd,Ac9d").stdout.splitlines()
    assert len(lines[1]) > 100
    assert lines[2] == ""


def test_an_unreadable_group_is_named(error_line):
    assert error_line("range", "AA,[bold]x").startswith("'[bold]x': ")


def test_a_range_that_the_board_blocks_is_named(error_line):
    assert error_line("range", "AA", "--board", "AhAsAd").startswith("'AA': the board AhAsAd")


def test_every_group_of_the_example_has_an_effect(run):
    (example,) = re.findall(r'Example: runout range "(.*)"', run("range", "--help").stdout)
    groups = example.split(",")
    for group in groups:
        shorter = ",".join(other for other in groups if other != group)
        assert parse_range(shorter) != parse_range(example), group
