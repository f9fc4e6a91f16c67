"""The postflop stage: which stack-to-pot ratios the preflop tree needs, and values of before."""

from collections.abc import Sequence
from pathlib import Path

from runout.config.load import load_postflop_config
from runout.config.postflop import PostflopModelConfig
from runout.errors import BundleError, ConfigError
from runout.results.value_book import SPR_TOLERANCE
from runout.results.value_bundle import ValueBundle
from runout.trees.preflop_tree import PreflopTree


def merge_sprs(sprs: Sequence[float]) -> list[float]:
    """Returns ascending ratios such that each given one is within 2 % of one of them."""
    merged: list[float] = []
    group: list[float] = []
    for spr in sorted(sprs):
        if group and spr > group[0] * (1.0 + SPR_TOLERANCE):
            merged.append(_middle(group))
            group = []
        group.append(spr)
    return [*merged, _middle(group)] if group else merged


def postflop_config_for(config: PostflopModelConfig, tree: PreflopTree) -> PostflopModelConfig:
    """Returns the postflop config with ``postflop_sprs: auto`` made concrete for a tree."""
    if not config.is_auto_sprs:
        return config
    return config.with_sprs(merge_sprs([leaf.spr for leaf in tree.flop_leaves()]))


def open_postflop_model(path: Path) -> ValueBundle | PostflopModelConfig:
    """Returns what ``postflop_model_path`` points at: solved values, or a config to solve.

    Raises:
        BundleError: if it is a directory that holds no values, or values for given ranges.
        ConfigError: if it is a file that is no config, or there is nothing.
    """
    if path.is_dir():
        bundle = ValueBundle.load(path)
        _require_all_hands(path, bundle)
        return bundle
    if not path.exists():
        raise ConfigError("postflop_model_path", f"{path} does not exist")
    return load_postflop_config(path, allow_auto_sprs=True)


def _require_all_hands(path: Path, bundle: ValueBundle) -> None:
    """Refuses values that hold only for the ranges of one leaf of some preflop game.

    Raises:
        BundleError: naming the ratios that were solved for given ranges.
    """
    sprs = [f"{values.spr:g}" for values in bundle.values if values.ranges is not None]
    if sprs:
        problem = f"SPR {', '.join(sprs)} was solved for given ranges, a game needs all hands"
        raise BundleError(str(path), problem)


def _middle(group: Sequence[float]) -> float:
    return (group[0] + group[-1]) / 2.0
