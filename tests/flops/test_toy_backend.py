"""A new backend, added by two lines, works wherever backends do."""

from typing import Annotated

import numpy as np
import pytest

from runout.cli.tools import small_jobs
from runout.config.flops import BACKENDS, FlopsConfig, FlopsFile, PostflopModel
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import ConfigError
from runout.execution.context import RunContext
from runout.flops.settings import MAKERS, make_backend
from runout.flops.solve import PostflopPlan, kept_strategy, solve_flops
from runout.runs.compare import all_labels, label_backend
from tests.samples.toy_backend import ToyBackend, ToyConfig

KEYS = {"solve_type": "toy", "fixed_flops": ["9s6s2s"], "bet_sizes": [1.0], "toy_action": 1}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """The two lines; the first of them, after the classes were made."""
    monkeypatch.setitem(BACKENDS, "toy", ToyConfig)
    monkeypatch.setitem(MAKERS, "toy", lambda config: ToyBackend(config.toy_action))
    union = PostflopModel.__origin__ | ToyConfig
    of_run = Annotated[union, *PostflopModel.__metadata__] | None
    fields = {FlopsFile: union, RunConfig: of_run}
    with monkeypatch.context() as patch:
        for section, annotation in fields.items():
            patch.setattr(section.model_fields["postflop_model"], "annotation", annotation)
            section.model_rebuild(force=True)
        yield
    for section in fields:
        section.model_rebuild(force=True)


def test_its_config_is_read_written_and_digested():
    config = FlopsConfig.parse(KEYS)
    assert type(config) is ToyConfig
    assert parse_config(config.to_yaml(), FlopsConfig) == config
    assert config.digest_mapping()["toy_action"] == 1
    assert make_backend(config) == ToyBackend(1)


def test_its_keys_are_its_own():
    with pytest.raises(ConfigError) as caught:
        FlopsConfig.parse({"toy_action": 1})
    assert str(caught.value) == "postflop_model.toy_action: needs solve_type: toy"
    with pytest.raises(ConfigError, match="rebucket_rounds: needs solve_type: bucketed"):
        FlopsConfig.parse(KEYS | {"rebucket_rounds": 2})
    with pytest.raises(ConfigError, match=r"toy_action: 'x' is not a whole number"):
        RunConfig.parse({"preflop": {}, "postflop_model": KEYS | {"toy_action": "x"}})


def test_a_run_may_ask_for_it():
    run = RunConfig(preflop={}, postflop_model=KEYS)
    assert run.postflop_model == FlopsConfig(**KEYS)
    assert RunConfig.parse(run.to_mapping()) == run


def test_it_solves_flops():
    solved = solve_flops(FlopsConfig(**KEYS), RunContext(1))
    values = solved.values[0].value_pot[0]
    assert np.nanmax(np.abs(values[0] + values[1].T - 1.0)) == 0.0
    assert set(np.unique(kept_strategy(solved, 0).table)) == {0.0, 1.0}


def test_its_needs_are_told_before():
    plan = PostflopPlan.make(FlopsConfig(**KEYS), 1)
    assert 1_000 * plan.trees[0].num_nodes < plan.cost.memory_bytes < 1e9


def test_its_kernels_are_compiled_by_the_warm_up():
    jobs = len(small_jobs())
    BACKENDS.pop("toy")
    assert len(small_jobs()) == jobs - 1


def test_the_lab_compares_it():
    assert "toy" in all_labels()
    tested = label_backend(FlopsConfig(), "toy:toy_action=2")
    assert tested.backend == ToyBackend(2)
