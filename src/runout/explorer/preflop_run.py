"""A preflop solution for the page: its nodes, all its lines, and where its flops come from."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from runout.cards.textures import describe_texture
from runout.config.load import load_run_config
from runout.config.run import RunConfig
from runout.errors import RunoutError
from runout.results import preflop_bundle
from runout.results.preflop_solution import PreflopSolution
from runout.results.run_folders import SOLUTION_FOLDER, find_bundle
from runout.results.value_book import ValueSource
from runout.storage.bundle import load_bundle
from runout.trees.actions import format_amount
from runout.trees.layout import NO_NODE
from runout.trees.postflop_tree import PLAYER_NAMES as POSTFLOP_NAMES
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.card_report import CardReport, report_cards
from runout.views.node import Node, Unit
from runout.views.node_json import node_summary_to_json, rounded
from runout.views.quality import Quality
from runout.views.run_view import RunView, open_run

Json = dict[str, Any]

#: Of trees with more nodes only lines that are played at least this often are listed.
MAX_LINES = 600
SMALLEST_REACH = 1e-4

_GUESSED = (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)


@dataclass(frozen=True, eq=False)
class PreflopRun:
    """A preflop solution that is open.

    Attributes:
        view: what answers, one thread at a time: it keeps what it has looked at last.
        config_text: the config as it was given.
    """

    view: RunView
    config_text: str
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, path: Path) -> "PreflopRun":
        """Opens the directory of a run, or the bundle itself.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        bundle = load_bundle(
            find_bundle(path, SOLUTION_FOLDER), preflop_bundle.KIND, preflop_bundle.SCHEMA_VERSION
        )
        return cls(open_run(path), bundle.config_text or "")

    @property
    def solution(self) -> PreflopSolution:
        """What was solved."""
        return self.view.solution

    @property
    def title(self) -> str:
        """The stacks, and how flops were solved."""
        stacks = sorted({format_amount(stack) for stack in self.solution.tree.rules.stacks_bb})
        config = self.config
        if config is None:
            return f"{' and '.join(stacks)} bb"
        model = config.postflop_model
        is_played = bool(self.solution.tree.flop_leaves())
        unsolved = "flops checked down" if is_played else "no flops"
        number = 0 if model is None else len(model.flop_list())
        solved = "1 flop" if number == 1 else f"{number} flops"
        flops = unsolved if model is None else solved
        return f"{' and '.join(stacks)} bb, {flops}"

    @cached_property
    def config(self) -> RunConfig | None:
        """The config, None if an older version wrote it and it cannot be read any more."""
        try:
            return load_run_config(self.config_text)
        except RunoutError:
            return None

    @property
    def quality(self) -> Quality:
        """How well it is solved."""
        return self.view.quality

    def node(self, path: str) -> Node:
        """Returns what is known about a node, before the flop or on one that was kept.

        Raises:
            RunoutError: naming the first step that is no action, flop or card.
        """
        with self._lock:
            return self.view.node(path)

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last.

        Raises:
            RunoutError: if there is no such node, or no card is dealt on the way.
        """
        with self._lock:
            return report_cards(self.view, path)

    def flops(self) -> list[Json]:
        """Returns the flops that stand for all, with the share of each."""
        model = None if self.config is None else self.config.postflop_model
        if model is None:
            return []
        flops = model.flop_list()
        shares = flops.weights.tolist()
        return [
            {"flop": name, "share": share} for name, share in zip(flops.names, shares, strict=True)
        ]

    def flop_report(self, path: str) -> Json:
        """Returns one row per flop that was kept, with what is done first behind a line.

        Raises:
            RunoutError: if there is no such node, or what was kept is damaged.
        """
        node = self.node(path)
        shares = {row["flop"]: row["share"] for row in self.flops()}
        rows = []
        for flop in node.flops:
            first = self.node(node.path_after(flop))
            rows.append(
                {
                    "flop": flop,
                    "path": first.path,
                    "run": None,
                    "pot": rounded(first.pot),
                    "more": {},
                    "share": shares.get(flop, 1.0 / len(node.flops)),
                    **describe_texture(first.board).labels(),
                    "actions": node_summary_to_json(first)["actions"],
                    "ev": [rounded(first.range_ev(player)) for player in (0, 1)],
                    "equity": [rounded(first.range_equity(player)) for player in (0, 1)],
                    "eqr": [rounded(first.eqr(player)) for player in (0, 1)],
                    "exploitability": None,
                }
            )
        return {
            "path": node.path,
            "choices": [],
            "choice": "",
            "more": [],
            "title": node.label,
            "unit": node.unit.value,
            "players": list(POSTFLOP_NAMES),
            "flops": rows,
        }

    def leaves(self) -> list[Json]:
        """Returns where the values of each flop leaf come from."""
        sources = self.solution.report.flop_leaves
        return [
            {
                "path": leaf.path,
                "pot": rounded(leaf.pot_bb),
                "spr": rounded(leaf.spr),
                "reach": rounded(self.view.share_of_deals(leaf.node)),
                "source": f"{sources[leaf.path].source.value}, {sources[leaf.path].detail}",
                "is_guessed": sources[leaf.path].source in _GUESSED,
            }
            for leaf in self.solution.tree.flop_leaves()
        ]

    def lines(self) -> Json:
        """Returns every line in the order of a walk, with its reach and what it is worth."""
        rows: list[Json] = []
        is_large = self.view.tree.num_nodes > MAX_LINES
        self._add_lines(0, 0, SMALLEST_REACH if is_large else 0.0, rows)
        return {"players": list(PLAYER_NAMES), "unit": Unit.BIG_BLINDS.value, "rows": rows}

    def _add_lines(self, node: int, depth: int, smallest: float, rows: list[Json]) -> None:
        reach = self.view.share_of_deals(node)
        if depth > 0 and reach < smallest:
            return
        tree = self.view.tree
        seen, parent = self.view.node_at(node), int(tree.layout.parent[node])
        actor = "" if parent == NO_NODE else f"{PLAYER_NAMES[self.view.actor(parent)]} "
        rows.append(
            {
                "path": seen.path,
                "label": f"{actor}{tree.action_label(node)}" if actor else "start",
                "depth": depth,
                "kind": seen.kind.value,
                "frequency": rounded(self.solution.action_frequency(node)) if actor else None,
                "reach": rounded(reach),
                "pot": rounded(seen.pot),
                "ev": [rounded(seen.range_ev(player)) for player in range(len(PLAYER_NAMES))],
            }
        )
        for child in tree.layout.children(node):
            self._add_lines(child, depth + 1, smallest, rows)
