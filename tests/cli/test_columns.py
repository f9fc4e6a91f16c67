"""Whatever `show` shows fits 80 columns, and paths to copy are whole."""

import random

import pytest

import runout
from runout.cards.deck import format_card
from runout.solutions.node import NodeKind

#: Results with nodes, and how many walks to take down the tree of each.
WITH_NODES = {
    **dict.fromkeys(("raw_equity", "two_rounds", "turn", "many_bets", "rare_bet"), 2),
    **dict.fromkeys(("joint", "joint_compact", "flop_exact", "flop_compact"), 3),
}
OTHERS = ("flops", "values_bucketed", "report", "buckets")


@pytest.fixture
def lines_of(run, stored, samples, monkeypatch):
    """Returns the lines that `show` prints of a sample in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def show(name, *options):
        folder = stored if (stored / name).is_dir() else samples
        monkeypatch.chdir(folder)
        result = run("show", name, *options)
        assert result.exit_code == 0, result.stderr
        return result.stdout.splitlines()

    return show


def too_long(lines):
    """Returns lines of more than 80 columns, but those that are there to be copied."""
    return [line for line in lines if len(line) > 80 and not line.startswith(("node ", "$ "))]


def choose_node(view, rng):
    """Returns a node on a walk of random steps."""
    nodes = [view.node()]
    while nodes[-1].actions or nodes[-1].next_cards or nodes[-1].flops:
        node = nodes[-1]
        cards = [format_card(card) for card in node.next_cards]
        steps = [action.code for action in node.actions] or cards or list(node.flops)
        nodes.append(view.node(node.path_after(rng.choice(steps))))
    return rng.choice(nodes[1:])


def modes_of(node, rng):
    """Yields options that say what to show of a node."""
    yield ()
    yield ("--show", rng.choice(("ev", "equity", "eqr", "reach")))
    yield ("--compare", node.path)
    yield ("--by", "equity" if node.street is None else rng.choice(("class", "equity")))
    if node.actor is not None and node.is_held[node.actor].any():
        yield ("--hand", node.hand_space.names[rng.choice(node.held_columns(node.actor).tolist())])
    if node.next_cards:
        yield ("--by", "card")


@pytest.mark.parametrize(
    ("name", "seed"), [(name, seed) for name, walks in WITH_NODES.items() for seed in range(walks)]
)
def test_nodes_fit_eighty_columns_and_their_paths_are_whole(lines_of, name, seed):
    lines_of(name)  # goes to the samples
    rng = random.Random(seed)
    node = choose_node(runout.open(name), rng)
    for options in modes_of(node, rng):
        lines = lines_of(name, "--node", node.path, *options)
        assert not too_long(lines), options
        place = node.path_after("CARD") if "card" in options else node.path
        assert f"node {place}" in lines
    if node.kind is NodeKind.DECISION and node.street is None:
        assert not too_long(lines_of(name, "--trace", "AKs,72o"))


@pytest.mark.parametrize("name", [*WITH_NODES, *OTHERS])
def test_results_and_their_origin_fit_eighty_columns(lines_of, name):
    assert not too_long(lines_of(name))
    assert not too_long(lines_of(name, "--check"))


@pytest.mark.parametrize("name", ["flops", "values_bucketed"])
def test_lists_of_flops_fit_eighty_columns(lines_of, name):
    assert not too_long(lines_of(name, "--flops"))
    assert not too_long(lines_of(name, "--check", "--flops"))
