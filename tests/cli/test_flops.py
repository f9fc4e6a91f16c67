import csv
import io
import json
from math import fsum

import pytest

from runout.cards.flops import SHIPPED_SUBSET_SIZES


def rows_of(result):
    return json.loads(result.stdout)["flops"]


def test_all_flops_stand_for_all_22100(run):
    rows = rows_of(run("flops", "--json"))
    assert len(rows) == 1755
    assert sum(row["multiplicity"] for row in rows) == 22_100
    assert fsum(row["weight_fraction"] for row in rows) == pytest.approx(1.0)


def test_the_table_ends_with_the_number_of_flops(run):
    assert run("flops").stdout.splitlines()[-1] == "1,755 flops"


def test_flops_of_your_own_are_described(run):
    document = json.loads(run("flops", "--flops", "AhKsQd,7h7s2c", "--json").stdout)
    assert document["num_flops"] == 2
    assert document["flops"][1] == {
        "flop": "7s7h2d",
        "suits": "rainbow",
        "ranks": "paired",
        "is_connected": False,
        "high_rank": "7",
        "multiplicity": 12,
        "weight_fraction": 12 / 36,
    }


def test_csv_json_and_table_list_the_same_flops(run):
    choice = ["flops", "--random", "20", "--seed", "7"]
    names = [row["flop"] for row in rows_of(run(*choice, "--json"))]
    assert rows_of(run(*choice, "--format", "json")) == rows_of(run(*choice, "--json"))
    read = list(csv.DictReader(io.StringIO(run(*choice, "--format", "csv").stdout)))
    assert [row["flop"] for row in read] == names
    assert fsum(float(row["weight_fraction"]) for row in read) == pytest.approx(1.0)
    lines = run(*choice, "--format", "table").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == names


def test_the_seed_decides_the_draw(run):
    first = rows_of(run("flops", "--random", "20", "--seed", "1", "--json"))
    assert first == rows_of(run("flops", "--random", "20", "--seed", "1", "--json"))
    assert first != rows_of(run("flops", "--random", "20", "--seed", "2", "--json"))


@pytest.mark.parametrize("size", SHIPPED_SUBSET_SIZES)
def test_shipped_subsets_have_their_size(run, size):
    assert len(rows_of(run("flops", "--subset", str(size), "--json"))) == size


def test_a_subset_that_is_not_shipped_is_named(error_line):
    assert "33" in error_line("flops", "--subset", "33")


@pytest.mark.parametrize("count", ["0", "-1", "1756"])
def test_an_impossible_number_of_random_flops_is_named(error_line, count):
    assert count in error_line("flops", "--random", count)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["--subset", "25", "--random", "3"], "--subset --random"),
        (["--random", "3", "--flops", "AhKsQd"], "--random --flops"),
        (["--json", "--format", "csv"], "--json --format csv"),
        (["--seed", "3"], "--seed"),
        (["--random", "3", "--seed", "-1"], "--seed"),
    ],
)
def test_options_that_clash_are_named(error_line, arguments, where):
    assert error_line("flops", *arguments).startswith(f"{where}: ")


@pytest.mark.parametrize("text", ["AhKs", "AhKsQdJc", "", "AhKsQd,", "AhKsQx"])
def test_a_flop_that_is_none_is_refused(error_line, text):
    error_line("flops", "--flops", text)


def test_the_same_flop_twice_is_refused(error_line):
    assert "AhKsQd" in error_line("flops", "--flops", "AhKsQd,AdKcQh")


def test_an_unknown_format_exits_with_2(run):
    assert run("flops", "--format", "xml").exit_code == 2


def test_one_of_a_thing_is_not_told_in_the_plural(run):
    assert run("flops", "--random", "1").stdout.splitlines()[-1] == "1 flop"
    assert run("range", "AhKh").stdout.startswith("1 combo, ")
    assert run("equity", "AhKh", "QsQd").stdout.splitlines()[-1] == "1 matchup before the flop"
