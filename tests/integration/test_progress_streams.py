"""The events of whole solves: no bar that is made of them can lie."""

import pytest

from runout.abstraction.card_abstraction import AbstractionConfig, build_card_abstraction
from runout.config.flops import FlopsConfig
from runout.events import Phase, PhaseAdvanced, PhaseStarted
from runout.execution.context import RunContext
from runout.flops.solve import solve_flops
from tests.event_streams import check_stream

SMALL = {"bet_sizes": [1.0], "max_raises_per_street": 0, "postflop_sprs": [1.0]}


def events_of(num_workers, **keys):
    config = FlopsConfig(**SMALL | keys)
    events = []
    solve_flops(config, RunContext(num_workers, events.append))
    return events


def steps_of(events, phase, flop):
    return [
        event.done
        for event in events
        if isinstance(event, PhaseAdvanced) and event.phase == phase and event.place.flop == flop
    ]


@pytest.mark.parametrize(
    ("num_workers", "num_samples"),
    [(1, 450_000), (2, 450_000), pytest.param(2, 20_000_000, marks=pytest.mark.slow)],
)
def test_sampled_values_of_mccfr_tell_every_batch_of_deals(num_workers, num_samples):
    flops = ["AhKd7s", "Tc9h2d", "5s5h3c"]
    events = events_of(
        num_workers,
        solve_type="mccfr",
        fixed_flops=flops,
        postflop_solve_iterations=5,
        value_extraction_samples=num_samples,
    )
    checker = check_stream(events)
    for flop in flops:
        assert [phase for phase, _ in checker.phases_of(flop)] == [
            Phase.EQUITY_TABLE,
            Phase.LAYOUT,
            Phase.SOLVING,
            Phase.ESTIMATING_EV,
            Phase.VALUES,
            Phase.PACKING,
        ]
        batches = [*range(100_000, num_samples, 100_000), num_samples]
        assert steps_of(events, Phase.ESTIMATING_EV, flop) == batches
    assert checker.finished[0] == (Phase.TREES, None)
    assert checker.finished[-1] == (Phase.FLOPS, None)


@pytest.mark.parametrize(
    "config",
    [
        AbstractionConfig(samples_per_street=40),
        pytest.param(AbstractionConfig(), marks=pytest.mark.slow),
    ],
    ids=["sampled", "exhaustive"],
)
def test_a_build_of_an_abstraction_tells_every_street_and_what_follows(config):
    events = []
    build_card_abstraction(config, context=RunContext(2, events.append))
    finished = [phase for phase, _ in check_stream(events).finished]
    streets = [phase for phase in finished if phase.endswith(" strengths")]
    assert streets == ["flop strengths", "turn strengths", "river strengths"]
    assert finished[-1] == "bucket statistics"
    for street in streets:
        done = [e.done for e in events if isinstance(e, PhaseAdvanced) and e.phase == street]
        total = next(e.total for e in events if isinstance(e, PhaseStarted) and e.phase == street)
        assert done[-1] == total


@pytest.mark.slow
def test_two_rounds_of_four_flops_on_two_workers_tell_every_phase():
    flops = ["AhKd7s", "Tc9h2d", "5s5h3c", "QhJh2h"]
    buckets = {f"num_hand_buckets_{street}": 4 for street in ("flop", "turn", "river")}
    events = events_of(
        2,
        solve_type="bucketed",
        fixed_flops=flops,
        postflop_solve_iterations=4,
        rebucket_rounds=2,
        **buckets,
    )
    checker = check_stream(events)
    of_round = [Phase.LAYOUT, Phase.SOLVING, Phase.VALUES]
    for flop in flops:
        assert checker.phases_of(flop) == [
            (Phase.EQUITY_TABLE, 1),
            (Phase.HAND_BUCKETS, 1),
            *((phase, 1) for phase in of_round),
            (Phase.EXTRACTING_EV, 2),
            (Phase.REBUCKETING, 2),
            *((phase, 2) for phase in of_round),
            (Phase.PACKING, 1),
        ]
        assert len(steps_of(events, Phase.HAND_BUCKETS, flop)) > 10
    assert len([e for e in events if isinstance(e, PhaseStarted) and e.place is None]) == 2
