"""The option ``--config`` and the two kinds of file that it may name."""

from pathlib import Path
from typing import Annotated

import typer

from runout.cli.options import read_path
from runout.config.load import load_postflop_config, load_run_config, load_yaml
from runout.config.postflop import SECTION as POSTFLOP_SECTION
from runout.config.postflop import PostflopModelConfig
from runout.config.preflop import SECTION as PREFLOP_SECTION
from runout.config.run import RunConfig
from runout.errors import ConfigError

ConfigOption = Annotated[
    Path,
    typer.Option("--config", "-c", metavar="FILE", parser=read_path, help="The config file, YAML."),
]


def load_config(path: Path) -> PostflopModelConfig | RunConfig:
    """Reads a config with the section ``preflop`` as that of a run, any other as that of flops.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    if PREFLOP_SECTION in load_yaml(path):
        return load_run_config(path)
    return load_postflop_config(path)


def load_flops_config(path: Path) -> PostflopModelConfig:
    """Reads which flops to solve and how; the config of a run may be given as well.

    Raises:
        ConfigError: if it cannot be read, has no postflop model, or no flop is ever seen.
    """
    config = load_config(path)
    return config if isinstance(config, PostflopModelConfig) else flops_of_run(path, config)


def flops_of_run(path: Path, config: RunConfig) -> PostflopModelConfig:
    """Returns the postflop model of a run, ``auto`` replaced by what its preflop tree reaches.

    Raises:
        ConfigError: if it has none, or no flop is ever seen.
    """
    from runout.pipeline.postflop_stage import postflop_config_for

    model = config.postflop_model
    if model is None:
        raise ConfigError(str(path), f"has no section {POSTFLOP_SECTION}")
    tree = config.preflop.tree
    if model.is_auto_sprs and not tree.flop_leaves():
        where = f"{POSTFLOP_SECTION}.postflop_sprs"
        raise ConfigError(where, "auto finds no ratio, this preflop tree sees no flop")
    return postflop_config_for(model, tree)
