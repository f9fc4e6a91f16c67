"""Tiny configs that the tests of the solve commands write to files."""

FLOPS = """\
postflop_model:
  solve_type: exhaustive
  fixed_flops: [AhKsQd, 2c3h4d]
  postflop_sprs: [1.0, 2.0]
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 4
"""
SAMPLED_FLOPS = FLOPS.replace("exhaustive", "mccfr")
PUSH_FOLD = """\
preflop: {preset: pushfold, stacks_bb: 10}
preflop_exploitability_threshold_mbb: 0.01
"""
#: Limps, two raise sizes, a 3-bet, and a flop behind each.
LIMPS = """\
preflop:
  stacks_bb: 10
  raise_sizes: [[2bb, 3bb], [3x]]
  raise_cap: 2
iterations: 60
postflop_model:
  solve_type: exhaustive
  fixed_flops: [AhKsQd]
  postflop_sprs: auto
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 4
"""
RAW_EQUITY = LIMPS.partition("postflop_model")[0] + "flop_values: raw_equity\n"
#: Limp or all-in, then check or all-in on one flop with real cards, as one game.
JOINT = """\
preflop: {stacks_bb: 6, raise_sizes: [[allin]], raise_cap: 1}
method: joint
iterations: 6
postflop_model:
  solve_type: exact
  bet_sizes: {flop: [a], turn: [a], river: [a]}
  max_raises_per_street: 0
  fixed_flops: [QsTs5s]
"""


def write_config(directory, text, name="config.yaml"):
    """Writes a config and returns its path as text."""
    (directory / name).write_text(text)
    return str(directory / name)
