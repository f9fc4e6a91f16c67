"""Whether the results in a run's directory belong to the game of a config, and if not, why not.

A solution on top of values of another game would be wrong without looking wrong, so nothing is
mixed: a directory holds the results of one config.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runout.config.differences import list_differences
from runout.config.load import load_postflop_config, load_run_config
from runout.config.postflop import PostflopModelConfig
from runout.config.run import RunConfig
from runout.errors import BundleError
from runout.pipeline.plan import RunPlan
from runout.results import preflop_bundle
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import has_bundle, load_bundle


def require_own_solution(path: Path, config: RunConfig) -> None:
    """Refuses a solution that belongs to another config; there may be none.

    Raises:
        BundleError: naming every key that differs, with both values, or if it cannot be opened.
    """
    if has_bundle(path):
        bundle = load_bundle(path, preflop_bundle.KIND, preflop_bundle.SCHEMA_VERSION)
        found = load_run_config(bundle.config_text or "").digest_mapping()
        _require_equal(path, found, config.digest_mapping())


def require_own_values(path: Path, plan: RunPlan) -> None:
    """Refuses values of flops that belong to another config; there may be none.

    Raises:
        BundleError: naming every key that differs, with both values, or if they cannot be opened.
    """
    if has_bundle(path):
        text = ValueBundle.load(path, verify=False).config_text
        wanted = {} if plan.model is None else plan.model.digest_mapping()
        _require_equal(path, load_postflop_config(text).digest_mapping(), wanted)


def find_finished_values(path: Path, config: PostflopModelConfig) -> ValueBundle | None:
    """Returns the values of a config's flops if they are at a path, None if nothing is there.

    Raises:
        BundleError: naming every key that differs, with both values, or if they cannot be opened.
    """
    if not has_bundle(path):
        return None
    values = ValueBundle.load(path)
    found = load_postflop_config(values.config_text).digest_mapping()
    _require_equal(path, found, config.digest_mapping())
    return values


def _require_equal(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    differences = list(list_differences(found, wanted))
    if differences:
        problem = f"belongs to another config: {'; '.join(differences)}"
        raise BundleError(str(path), problem)
