"""Says how far solves of one preflop game on different flops differ: ``python -m tools.agree A B``.

Each solve is a draw of the error that its flops make, so what two of them differ by is its size.
The deviation of one solve is the root of the mean variance over hands, by deals; two solves differ
by the square root of 2 times as much. A choice is within the noise where the two best actions of a
hand are closer than two deviations of that difference.
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

import runout
from runout.arrays import FloatArray
from runout.cards.deck import HAND_NAMES
from runout.errors import OptionError, RunoutError
from runout.solutions.node import Node, known_mean
from runout.solutions.preflop import MBB_PER_BB, PreflopSolution
from runout.trees.betting import SB

#: Decisions that fewer deals come to are left out.
SMALLEST_REACH = 0.005
#: A cell differs if an action is taken so much more often.
NOTABLE_MOVE = 0.2
_DEVIATIONS = 2.0


@dataclass(frozen=True)
class Agreement:
    """How far hands differ between solves at one decision, in thousandths of a big blind.

    Attributes:
        path: of the decision.
        actor: who acts there.
        rms_mbb: how far the EVs of a hand in two solves are apart, over hands by deals.
        max_mbb: the most that any hand's are, and which hand it is.
        gap_mbb: the deviation, in one solve, of the difference between a hand's two best actions.
        moved: the share of deals in which some action is taken much more often in one solve.
        moved_within_noise: how much of this is hands whose choice is within the noise.
        within_noise: the share of all deals in which the choice is, by hand.
        hands: those hands.
    """

    path: str
    actor: str
    rms_mbb: float
    max_mbb: tuple[float, str]
    gap_mbb: float
    moved: float
    moved_within_noise: float
    within_noise: float
    hands: tuple[str, ...]


def read_runs(paths: Sequence[str]) -> list[PreflopSolution]:
    """Opens two or more solves of the same betting tree."""
    found: list[PreflopSolution] = []
    for path in paths:
        run = runout.open(path)
        if not isinstance(run, PreflopSolution):
            raise OptionError(path, "is not a preflop run")
        if found and _lines_of(run) != _lines_of(found[0]):
            raise OptionError(path, f"has another betting tree than {paths[0]}")
        found.append(run)
    if len(found) < 2:
        raise OptionError("runs", "give two or more directories of runs")
    return found


def _lines_of(run: PreflopSolution) -> list[str]:
    return [run.tree.path(number) for number in range(run.tree.num_nodes)]


def measure_value(runs: Sequence[PreflopSolution]) -> tuple[float, float]:
    """Returns SB's value of the game in mbb, the mean over solves, and its standard error."""
    values = [MBB_PER_BB * run.game_value_bb(SB) for run in runs]
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))


def compare(runs: Sequence[PreflopSolution]) -> Iterator[Agreement]:
    """Yields every decision that enough deals come to."""
    for number in runs[0].decisions():
        nodes = [run.node_at(number) for run in runs]
        if min(node.reach or 0.0 for node in nodes) >= SMALLEST_REACH:
            yield compare_nodes(nodes)


def compare_nodes(nodes: Sequence[Node]) -> Agreement:
    """Returns how far some nodes differ that are the same decision in different solves."""
    actor = nodes[0].actor or 0
    deals = np.mean([node.deals(actor) for node in nodes], axis=0)
    evs = MBB_PER_BB * np.stack([node.ev[actor] for node in nodes])
    apart = np.nan_to_num(np.ptp(evs, axis=0))
    largest = int(np.argmax(np.where(deals > 0.0, apart, 0.0)))
    gaps = MBB_PER_BB * np.stack([_gap(node, nodes) for node in nodes])
    gap = _pooled(gaps, deals)
    is_open = np.nan_to_num(gaps.mean(axis=0), nan=np.inf) < _DEVIATIONS * gap
    played = np.stack([np.nan_to_num(node.strategy) for node in nodes])
    is_moved = np.ptp(played, axis=0).max(axis=0) > NOTABLE_MOVE
    moved = known_mean(is_moved.astype(np.float64), deals)
    both = known_mean((is_moved & is_open).astype(np.float64), deals)
    return Agreement(
        path=nodes[0].path,
        actor=nodes[0].players[actor],
        rms_mbb=math.sqrt(2.0) * _pooled(evs, deals),
        max_mbb=(float(apart[largest]), HAND_NAMES[largest]),
        gap_mbb=gap,
        moved=moved,
        moved_within_noise=both / moved if moved > 0.0 else math.nan,
        within_noise=known_mean(is_open.astype(np.float64), deals),
        hands=tuple(HAND_NAMES[hand] for hand in np.flatnonzero(is_open & (deals > 0.0))),
    )


def _gap(node: Node, nodes: Sequence[Node]) -> FloatArray:
    """Returns ``[169]`` how much better the best action is than the next, of all solves' means."""
    mean = np.mean([np.nan_to_num(each.action_ev, nan=-np.inf) for each in nodes], axis=0)
    if len(mean) < 2:
        return np.full(mean.shape[1], np.inf)
    order = np.argsort(mean, axis=0)
    best, next_best = (
        np.take_along_axis(node.action_ev, order[-place][None], axis=0)[0] for place in (1, 2)
    )
    return np.asarray(best - next_best, dtype=np.float64)


def _pooled(values: FloatArray, deals: FloatArray) -> float:
    """Returns the deviation of ``values[solves, 169]`` of one solve, over hands by deals."""
    return math.sqrt(known_mean(np.var(values, axis=0, ddof=1), deals))


def main(paths: Sequence[str]) -> int:
    """Prints a table, or with --json a document."""
    places = [path for path in paths if path != "--json"]
    try:
        runs = read_runs(places)
    except RunoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    found, (value, error_mbb) = list(compare(runs)), measure_value(runs)
    if "--json" in paths:
        decisions = [asdict(each) for each in found]
        document = {"value_mbb": value, "standard_error_mbb": error_mbb, "decisions": decisions}
        print(json.dumps(document))
        return 0
    print(f"value for SB {value:+.1f} mbb per hand, standard error {error_mbb:.1f}")
    print("decision   player  RMS mbb  largest       moved  of it noise  within noise")
    for each in found:
        size, hand = each.max_mbb
        shares = f"{each.moved:8.1%} {each.moved_within_noise:10.0%} {each.within_noise:12.1%}"
        print(f"{each.path or 'first in':<10} {each.actor:<6} {each.rms_mbb:8.1f} "
              f"{size:7.1f} {hand:<4} {shares}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
