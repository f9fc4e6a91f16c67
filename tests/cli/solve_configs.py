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


def write_config(directory, text, name="config.yaml"):
    """Writes a config and returns its path as text."""
    (directory / name).write_text(text)
    return str(directory / name)
