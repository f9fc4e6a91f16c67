import tracemalloc
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from runout.cards.deck import format_cards, matchup_weights, parse_board
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.errors import ConfigError
from runout.events import FlopSolved, FlopSolving, PhaseAdvanced, PhaseStarted
from runout.execution.context import RunContext
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CardBackend
from runout.flops.hands import HandBackend
from runout.flops.solve import PostflopPlan, solve_flop
from runout.flops.values import RunoutSample
from runout.holdem.tables import Precision
from runout.runs.compare import (
    PHASE,
    BackendRow,
    all_labels,
    compare_backends,
    label_backend,
    mean_by_backend,
    nuts_apart,
    value_errors,
)
from runout.solutions.values import ExploitabilityMeaning
from tests.event_streams import check_stream
from tests.samples.judging import judge_strategy
from tests.samples.toy_flops import flop_game, ignore_progress, make_tree

FLOP = parse_board("Qh7h2h")
FEW_BOARDS = RunoutSample(num_turns=6, num_rivers=3)
BUCKETS = {f"num_hand_buckets_{street}": 8 for street in ("flop", "turn", "river")}


@pytest.mark.parametrize(("turn_buckets", "share"), [(None, 1.0), (1, 0.0)])
def test_nuts_are_apart_on_turns_unless_they_share_a_bucket(turn_buckets, share):
    keys = {"bet_sizes": "a", "max_raises_per_street": 0, "river_buckets": 16, "max_iterations": 3}
    config = FlopsConfig(solve_type="compact", turn_buckets=turn_buckets)
    solved = solve_flop("JhTc9d", config, spr=1, **keys)
    assert nuts_apart(solved.spot, solved.strategy) == share


def make_config(**keys):
    mapping = {
        "postflop_sprs": [1.0],
        "bet_sizes": [1.0],
        "max_raises_per_street": 0,
        "postflop_solve_iterations": 10,
    }
    return FlopsConfig.parse(mapping | keys)


def make_all_tested(*labels, **keys):
    """Returns backends whose values are taken from few boards, to be quick."""
    backends = []
    for label in labels:
        tested = label_backend(make_config(**keys), label)
        backend = tested.backend
        if isinstance(backend, CardBackend):
            backend = replace(backend, sample=FEW_BOARDS)
        if isinstance(backend, BucketedBackend):
            backend = replace(backend, sample=FEW_BOARDS)
        backends.append(replace(tested, backend=backend))
    return backends


def compare(*labels, flops=(FLOP,), on_event=ignore_progress, **keys):
    trees = PostflopPlan.make(make_config(**keys)).trees
    return compare_backends(make_all_tested(*labels, **keys), flops, trees, RunContext(1, on_event))


@pytest.fixture(scope="module")
def compared():
    """The rows and events of all backends on one flop."""
    events = []
    rows = compare(*all_labels(), on_event=events.append, solve_type="bucketed", **BUCKETS)
    return list(rows), events


def test_every_backend_has_a_row_in_the_order_given(compared):
    rows, _ = compared
    assert [row.label for row in rows] == list(all_labels())
    assert {(row.flop, row.spr) for row in rows} == {("Qh7h2h", 1.0)}
    iterations = {row.label: row.iterations for row in rows}
    assert iterations.pop("bucketed:2") == 20  # of both rounds
    assert set(iterations.values()) == {10}
    assert all(row.seconds > 0.0 and row.judging_seconds > 0.0 for row in rows)


def test_only_the_exact_backend_loses_what_it_says(compared):
    rows, _ = compared
    for row in rows:
        assert sum(row.real_gains_pot) / 2 == pytest.approx(row.real_exploitability_pot)
        assert min(row.real_gains_pot) > 0.0
    by_label = {row.label: row for row in rows}
    exact, exhaustive = by_label["exact"], by_label["exhaustive"]
    assert exact.real_exploitability_pot == pytest.approx(exact.own_exploitability_pot, abs=2e-6)
    # Whoever sees the turn and the river can do what 169 hands do, and more.
    assert exhaustive.real_exploitability_pot > exhaustive.own_exploitability_pot


def test_errors_are_measured_against_the_exact_backend(compared):
    rows, _ = compared
    (exact,) = [row for row in rows if row.label == "exact"]
    others = [row for row in rows if row is not exact]
    assert exact.hand_error_pot is None
    assert exact.pair_error_pot is None
    for row in others:
        assert 0.0 < row.hand_error_pot < row.pair_error_pot < 1.0


def test_events_tell_iterations_solves_and_flops(compared):
    _, events = compared
    assert events[0] == PhaseStarted(PHASE, len(all_labels()))
    check_stream(events)
    advanced = [e.done for e in events if isinstance(e, PhaseAdvanced) and e.phase == PHASE]
    assert advanced == list(range(1, len(all_labels()) + 1))
    solving = [event for event in events if isinstance(event, FlopSolving)]
    assert {event.flop for event in solving} == {"Qh7h2h"}
    (solved,) = [event for event in events if isinstance(event, FlopSolved)]
    rows, _ = compared
    assert solved.exploitability_pot == max(row.real_exploitability_pot for row in rows)
    assert (solved.num_done, solved.num_flops) == (1, 1)


def test_a_row_is_the_solve_and_its_judgement():
    (row,) = compare("exhaustive")
    (tested,) = make_all_tested("exhaustive")
    tree = make_tree(1.0, (1.0,), 0)
    solution = tested.backend.solve(flop_game("Qh7h2h"), tree, ignore_progress, Team())
    assert row.own_exploitability_pot == solution.report.exploitability_pot
    loss = judge_strategy(FLOP, tree, solution.strategy)
    assert row.real_gains_pot == loss.gains_pot


def test_without_the_exact_backend_there_are_no_errors():
    (row,) = compare("exhaustive")
    assert row.hand_error_pot is None
    assert row.pair_error_pot is None


def test_rows_come_flop_by_flop_and_whoever_stops_has_the_finished_ones():
    flops, events = (FLOP, parse_board("9s6s2s")), []
    rows = compare(
        "exhaustive", "mccfr", flops=flops, on_event=events.append, postflop_sprs=[1.0, 2.0]
    )
    places = [(row.label, row.spr, row.flop) for row in islice(rows, 3)]
    assert places == [
        ("exhaustive", 1.0, "Qh7h2h"),
        ("mccfr", 1.0, "Qh7h2h"),
        ("exhaustive", 2.0, "Qh7h2h"),
    ]
    rows.close()
    assert not any(isinstance(event, FlopSolved) for event in events)
    # A worker goes on with the next flop while rows are looked at, and ends with the rows.
    assert next(e.flop for e in events if isinstance(e, FlopSolving)) == format_cards(FLOP)


@pytest.mark.parametrize(
    ("label", "name", "backend"),
    [
        ("exhaustive", "exhaustive", HandBackend),
        ("mccfr", "mccfr", HandBackend),
        ("bucketed", "bucketed:1", CardBackend),
        ("bucketed:3", "bucketed:3", CardBackend),
        ("exact", "exact", CardBackend),
    ],
)
def test_a_label_names_a_backend(label, name, backend):
    tested = label_backend(make_config(solve_type="exact"), label)
    assert tested.label == name
    assert isinstance(tested.backend, backend)
    assert tested.is_exact == (label == "exact")


def test_keys_are_those_of_the_label_and_of_the_config_where_the_backend_has_them():
    config = make_config(solve_type="bucketed", **BUCKETS, rebucket_rounds=7)
    tested = label_backend(config, "bucketed:2")
    assert tested.backend.rounds == 2
    assert tested.backend.num_buckets == (8, 8, 8)
    assert tested.backend.rule.max_iterations == 10
    assert label_backend(config, "bucketed").label == "bucketed:7"
    exact = label_backend(config, "exact:exact_precision=16")
    assert (exact.label, exact.backend.precision) == ("exact:exact_precision=16", Precision.HALF)
    assert exact.backend.rule.max_iterations == 10
    many = label_backend(config, "bucketed:rebucket_rounds=3:num_hand_buckets_flop=5")
    assert many.label == "bucketed:3:num_hand_buckets_flop=5"
    assert many.backend.num_buckets == (5, 8, 8)


def test_all_backends_are_compared_and_rounds_of_one_of_them():
    assert all_labels() == ["mccfr", "exhaustive", "bucketed:1", "bucketed:2", "exact", "compact"]


@pytest.mark.parametrize("label", ["", "exakt", "bucketed:", "exact:2", "exact:seed=", "all"])
def test_other_labels_are_refused(label):
    with pytest.raises(ConfigError) as error:
        label_backend(make_config(), label)
    assert str(error.value) == (
        f"solve_type: {label!r} is not mccfr, exhaustive, bucketed, exact, compact, or one of "
        "them with keys such as bucketed:rebucket_rounds=2"
    )


def test_a_key_that_the_backend_refuses_is_told_with_the_label():
    for label, key in (("bucketed:0", "rebucket_rounds"), ("mccfr:cfr_updates=x", "cfr_updates")):
        with pytest.raises(ConfigError) as error:
            label_backend(make_config(), label)
        assert error.value.where == f"postflop_model.{key}"
        assert error.value.problem.endswith(f"(with {label})")


def random_values(seed):
    values = np.random.default_rng(seed).normal(0.5, 0.2, (2, 169, 169)).astype(np.float32)
    values[:, matchup_weights(FLOP) == 0] = np.nan
    return values


def test_errors_are_those_of_a_slow_count():
    mine, exact, weights = random_values(1), random_values(2), matchup_weights(FLOP)
    hands, pairs, num_deals = 0.0, 0.0, 0.0
    for position in (0, 1):
        for hand in range(169):
            met = [other for other in range(169) if weights[hand, other] > 0]
            if not met:
                continue
            counts = weights[hand, met].astype(float)
            off = mine[position, hand, met].astype(float) - exact[position, hand, met]
            hands += counts.sum() * ((counts * off).sum() / counts.sum()) ** 2
            pairs += (counts * off**2).sum()
            num_deals += counts.sum()
    expected = (np.sqrt(hands / num_deals), np.sqrt(pairs / num_deals))
    assert value_errors(FLOP, mine, exact) == pytest.approx(expected)


def test_equal_values_have_no_error_and_a_shift_is_its_own():
    values = random_values(0)
    assert value_errors(FLOP, values, values) == (0.0, 0.0)
    assert value_errors(FLOP, values + 0.25, values) == pytest.approx((0.25, 0.25), abs=1e-6)


def test_what_pairs_win_from_each_other_may_differ_where_hands_are_worth_the_same():
    """Only who pays changes: in the sum over all opponents it is nothing."""
    weights, exact = matchup_weights(FLOP), random_values(0)
    mine = exact.copy()
    hero, (first, second) = 0, np.flatnonzero(weights[0] > 0)[:2]
    mine[0, hero, first] += 0.1 / weights[hero, first]
    mine[0, hero, second] -= 0.1 / weights[hero, second]
    hand_error, pair_error = value_errors(FLOP, mine, exact)
    assert hand_error == pytest.approx(0.0, abs=1e-9)
    assert pair_error > 1e-6


def make_row(label, real, error):
    meaning, gains = ExploitabilityMeaning.OWN_GAME, (0.0, 2 * real)
    return BackendRow(label, "Qh7h2h", 1.0, 10, real / 2, meaning, real, gains, 3.0, 1.0, error)


def test_means_are_taken_by_backend_over_what_is_known():
    rows = [make_row("mccfr", 0.1, 0.2), make_row("exact", 0.01, None), make_row("mccfr", 0.3, 0.4)]
    means = mean_by_backend(rows)
    (num_rows, mccfr), (_, exact) = means["mccfr"], means["exact"]
    assert (list(means), num_rows) == (["mccfr", "exact"], 2)
    assert mccfr.real_exploitability_pot == pytest.approx(0.2)
    assert mccfr.own_exploitability_pot == pytest.approx(0.1)
    assert mccfr.real_gains_pot == pytest.approx((0.0, 0.4))
    assert mccfr.hand_error_pot == pytest.approx(0.3)
    assert mccfr.pair_error_pot is None
    assert (exact.hand_error_pot, exact.seconds) == (None, 3.0)


@pytest.mark.usefixtures("compared")  # has made the tables that are made only once
def test_an_exact_solve_with_its_judge_takes_no_more_memory_than_foretold():
    tree = make_tree(1.0, (1.0,), 0)
    foretold = label_backend(make_config(), "exact").estimate(FLOP, tree, 1).memory_bytes
    tracemalloc.start()
    list(compare("exact"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert foretold / 3 < peak <= foretold


def test_sixteen_bits_more_workers_and_more_suits_are_foretold():
    tree = make_tree(2.0, (1.0,), 0)
    exact = label_backend(make_config(), "exact")
    need = exact.estimate(FLOP, tree, 1)
    half = label_backend(make_config(), "exact:exact_precision=16").estimate(FLOP, tree, 1)
    assert half.memory_bytes == need.savings["exact_precision: 16"] < need.memory_bytes
    assert exact.estimate(FLOP, tree, 2).memory_bytes > need.memory_bytes
    rainbow = exact.estimate(parse_board("AsKd7h"), tree, 1)
    assert rainbow.memory_bytes > 2 * need.memory_bytes
