"""Saving and opening preflop solutions; opening needs no solver and no kernel."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import NUM_HANDS
from runout.cfr.reach import NUM_PLAYERS
from runout.results.preflop_solution import (
    FlopLeafSource,
    PreflopReport,
    PreflopSolution,
    RangesRound,
)
from runout.results.solve_report import ExploitabilityMeaning
from runout.results.value_book import ValueSource
from runout.storage.bundle import load_bundle, reading_contents
from runout.storage.writer import write_bundle
from runout.trees.preflop_betting import BB, SB, PreflopRules
from runout.trees.preflop_sizing import format_sizes_by_depth
from runout.trees.preflop_tree import PreflopTree
from runout.version import __version__

KIND = "preflop_solution"
SCHEMA_VERSION = 1

_EARLIER = "earlier_strategies"


def save_solution(
    path: Path | str,
    solution: PreflopSolution,
    config_text: str,
    config_digest: str,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a solution as a bundle, all of it or nothing.

    Raises:
        BundleError: if it cannot be written, or exists and is not to be overwritten.
    """
    arrays = {"strategy": solution.strategy, "ev_bb": solution.ev_bb}
    if solution.earlier_strategies:
        arrays[_EARLIER] = np.stack(solution.earlier_strategies)
    write_bundle(
        path,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        package_version=__version__,
        arrays=arrays,
        documents={
            "rules": _rules_to_mapping(solution.tree.rules),
            "report": asdict(solution.report),
        },
        config_text=config_text,
        config_digest=config_digest,
        overwrite=overwrite,
    )


def note_real_exploitability(path: Path | str, mbb: float) -> None:
    """Adds to a saved solution what it loses in the real game, and changes nothing else.

    Raises:
        BundleError: if it is missing or damaged, or cannot be written.
    """
    bundle, solution = load_bundle(path, KIND, SCHEMA_VERSION), load_solution(path)
    report = replace(solution.report, real_exploitability_mbb=mbb)
    save_solution(
        path,
        replace(solution, report=report),
        bundle.config_text or "",
        bundle.manifest.config_digest or "",
        overwrite=True,
    )


def load_solution(path: Path | str) -> PreflopSolution:
    """Opens a saved solution.

    Raises:
        BundleError: if it is missing, damaged, or of another kind or version.
    """
    bundle = load_bundle(path, KIND, SCHEMA_VERSION)
    with reading_contents(path):
        tree = PreflopTree.build(_rules_from_mapping(bundle.documents["rules"]))
        size = (tree.num_nodes, NUM_HANDS)
        report = _report_from_mapping(bundle.documents["report"])
        earlier: tuple[FloatArray, ...] = ()
        if _EARLIER in bundle.arrays:
            of_rounds = (len(report.ranges_rounds), *size)
            stacked = bundle.require_array(_EARLIER, np.float64, of_rounds)
            earlier = tuple(cast(FloatArray, strategy) for strategy in stacked)
        return PreflopSolution(
            tree=tree,
            strategy=cast(FloatArray, bundle.require_array("strategy", np.float64, size)),
            ev_bb=cast(FloatArray, bundle.require_array("ev_bb", np.float64, (NUM_PLAYERS, *size))),
            report=report,
            earlier_strategies=earlier,
        )


def _rules_to_mapping(rules: PreflopRules) -> dict[str, Any]:
    return {
        "stacks_bb": list(rules.stacks_bb),
        "raise_sizes": {
            "sb": format_sizes_by_depth(rules.raise_sizes[SB]),
            "bb": format_sizes_by_depth(rules.raise_sizes[BB]),
        },
        "small_blind_bb": rules.small_blind_bb,
        "big_blind_bb": rules.big_blind_bb,
        "ante_bb": rules.ante_bb,
        "raise_cap": rules.raise_cap,
        "allow_limp": rules.allow_limp,
        "always_offer_all_in": rules.always_offer_all_in,
        "force_all_in_threshold": rules.force_all_in_threshold,
    }


def _rules_from_mapping(facts: Mapping[str, Any]) -> PreflopRules:
    sb, bb = facts["stacks_bb"]
    return PreflopRules.parse(**{**facts, "stacks_bb": (sb, bb)})


def _report_from_mapping(facts: Mapping[str, Any]) -> PreflopReport:
    return PreflopReport(
        iterations=facts["iterations"],
        exploitability_mbb=facts["exploitability_mbb"],
        seconds=facts["seconds"],
        flop_leaves={
            path: FlopLeafSource(ValueSource(leaf["source"]), leaf["detail"])
            for path, leaf in facts["flop_leaves"].items()
        },
        curve_mbb=tuple((int(iteration), mbb) for iteration, mbb in facts["curve_mbb"]),
        ranges_rounds=tuple(map(_round_from_mapping, facts["ranges_rounds"])),
        real_exploitability_mbb=facts.get("real_exploitability_mbb"),
    )


def _round_from_mapping(facts: Mapping[str, Any]) -> RangesRound:
    meaning = ExploitabilityMeaning(facts["flop_exploitability_meaning"])
    return RangesRound(**{**facts, "flop_exploitability_meaning": meaning})
