"""Configs of all kinds, as text: broken YAML, wrong values, bombs, and what belongs elsewhere."""

import random

from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from tools.fuzzing.campaign import Kind
from tools.fuzzing.mutations import EXTREME_NUMBERS, ODD_TEXTS, mutate_text
from tools.fuzzing.text_kinds import BET_SIZES, BOARDS, RAISE_SIZES, RANGES, SPOT

RUN = """\
preflop:
  stacks_bb: [12, 10]
  small_blind_bb: 0.5
  ante_bb: 0.1
  raise_sizes: {sb: [[2bb], [3x]], bb: [[3bb], [allin]]}
  raise_cap: 3
  allow_limp: true
iterations: 200
preflop_exploitability_threshold_mbb: 0.5
cfr_variant: {alpha: 1.5, beta: 0, gamma: 2}
print_every: 0
ranges_rounds: 0
ranges_damping: 0.5
flop_values: solved
postflop_model:
  preset: fast
  postflop_sprs: auto
"""
PUSH_FOLD = """\
preflop: {preset: pushfold, stacks_bb: 10}
preflop_exploitability_threshold_mbb: 0.01
"""
FLOPS = """\
postflop_model:
  solve_type: mccfr
  mccfr_sampling: external
  mccfr_sample_fraction: 0.01
  fixed_flops: [AhKsQd, 2c3h4d]
  postflop_sprs: [1.0, 3.5]
  bet_sizes: {flop: [0.5, 1.0], turn: {oop: [50%], ip: [75%, a]}, river: [e]}
  raise_sizes: [2.5x]
  max_raises_per_street: 2
  postflop_solve_iterations: 4
  cfr_variant: linear
  cfr_exploitability_threshold: null
  seed: 7
"""
BUCKETS = """\
postflop_model:
  solve_type: bucketed
  flop_subset: 25
  num_hand_buckets_flop: 50
  num_hand_buckets_turn: 100
  num_hand_buckets_river: 100
  bucket_metric: emd
  rebucket_rounds: 2
  rebucket_delta_threshold: 0.001
"""
EXACT = """\
postflop_model: {solve_type: exact, max_flop_boards: 3, exact_precision: 16, postflop_spr: 2}
"""
SPOT_WITH_LOCKS = """\
board: QsJh2h7c
oop: &all 22+,A2s+
ip: *all
pot: 180
stack: 910.5
bet_sizes: {turn: {oop: 50%, ip: 75%}, river: 75%, flop: 33%}
raise_sizes: 2.5x
donk_sizes: []
max_raises_per_street: 2
add_all_in_threshold: .inf
rake_rate: 0.05
rake_cap: 3
target: 0.5%
max_seconds: 60
precision: 16
locks:
  - {node: r:0, strategy: {x: 100%}}
  - node: x
    strategy:
      AA,KK: {x: 30%, b90: 0.7}
"""
CONFIGS = (RUN, PUSH_FOLD, FLOPS, BUCKETS, EXACT, SPOT, SPOT_WITH_LOCKS)

_VALUES = (*RANGES, *BOARDS, *BET_SIZES, *RAISE_SIZES, *EXTREME_NUMBERS, *ODD_TEXTS, "[]", "{}")
_DEPTHS = (3, 30, 300, 3000)

_READERS = (RunConfig, FlopsConfig, SpotConfig)


def config_kinds() -> list[Kind]:
    """Returns the kind of all configs, an input being a text and the number of its reader."""
    return [Kind("configs", 0.08, _make, _read)]


def _make(rng: random.Random) -> tuple[int, str]:
    text = rng.choice(CONFIGS)
    # Mostly to the reader it is for, and now and then to another one.
    is_spot, is_run = text.startswith("board"), text.startswith("preflop")
    reader = 2 if is_spot else 0 if is_run else 1
    if rng.random() < 0.1:
        reader = rng.randrange(len(_READERS))
    match rng.randrange(10):
        case 0:
            return reader, _add_bomb(rng, text)
        case 1 | 2 | 3 | 4:
            return reader, _replace_value(rng, text)
        case 5:
            return reader, _replace_value(rng, _replace_value(rng, text))
        case _:
            return reader, mutate_text(rng, text, CONFIGS)


def _read(given: tuple[int, str]) -> object:
    number, text = given
    kind = _READERS[number]
    config = parse_config(text, kind)
    again = config.to_yaml()
    if number != 1 or "auto" not in again:
        assert parse_config(again, kind).to_yaml() == again
    return config.digest_mapping()


def _replace_value(rng: random.Random, text: str) -> str:
    """Puts another value behind one of the keys."""
    lines = text.splitlines()
    at = rng.randrange(len(lines))
    key, colon, _ = lines[at].partition(": ")
    value = rng.choice(_VALUES)
    if rng.random() < 0.2:
        value = f"[{', '.join(rng.choices(_VALUES, k=rng.randrange(4)))}]"
    lines[at] = f"{key}{colon}{value}"
    return "\n".join(lines) + "\n"


def _add_bomb(rng: random.Random, text: str) -> str:
    """Adds what grows when it is read: aliases of aliases, deep nesting, long merges."""
    depth = rng.choice(_DEPTHS)
    match rng.randrange(6):
        case 0:
            levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 20)]
            return "\n".join(["l0: &l0 [x, x, x]", *levels, text])
        case 1:
            return text + "deep: " + "[" * depth + "]" * depth + "\n"
        case 2:
            return text + "deep: " + "{a: " * depth + "1" + "}" * depth + "\n"
        case 3:
            levels = [f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}], k{n}: 1}}" for n in range(1, 25)]
            return "\n".join(["m0: &m0 {a: 1}", *levels, text])
        case 4:
            return text.replace("\n", f"\n  &self {'- ' * depth}", 1)
        case _:
            return f"&top\n{text}again: *top\n"
