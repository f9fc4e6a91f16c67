"""A preflop solution for the page: its nodes, all its lines, and where its flops come from."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from runout.config.load import load_run_config
from runout.config.run import RunConfig
from runout.errors import RunoutError, TreeError, quote
from runout.results import preflop_bundle
from runout.results.preflop_solution import PreflopSolution
from runout.results.value_book import ValueSource
from runout.storage.bundle import load_bundle
from runout.trees.actions import format_amount
from runout.trees.layout import NO_NODE
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.card_report import CardReport
from runout.views.node import Node, Unit
from runout.views.node_json import rounded
from runout.views.preflop_view import PreflopView
from runout.views.quality import Provenance, Quality

Json = dict[str, Any]

#: Of trees with more nodes only lines that are played at least this often are listed.
MAX_LINES = 600
SMALLEST_REACH = 1e-4

_GUESSED = (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)


@dataclass(frozen=True, eq=False)
class PreflopRun:
    """A preflop solution that is open.

    Attributes:
        view: what answers.
        config_text: the config as it was given.
    """

    view: PreflopView
    config_text: str

    @classmethod
    def open(cls, path: Path) -> "PreflopRun":
        """Opens a bundle.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        solution = preflop_bundle.load_solution(path)
        bundle = load_bundle(path, preflop_bundle.KIND, preflop_bundle.SCHEMA_VERSION)
        provenance = Provenance.of(bundle.manifest)
        return cls(PreflopView(solution, provenance), bundle.config_text or "")

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
        flops = unsolved if model is None else f"{len(model.flop_list())} flops"
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
        """Returns what is known about a node.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are.
        """
        return self.view.node(path)

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last.

        Raises:
            TreeError: before the flop no card is dealt.
        """
        raise TreeError(f"path {quote(path)}", "no card is dealt there or on the way")

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
        """Returns one row per flop that can be opened behind a line."""
        node = self.node(path)
        return {
            "path": node.path,
            "choices": [],
            "title": node.label,
            "unit": Unit.BIG_BLINDS.value,
            "players": ["OOP", "IP"],
            "flops": [],
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
