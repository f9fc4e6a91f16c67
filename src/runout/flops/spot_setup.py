"""A spot made ready to be solved: its locked nodes, and what it takes."""

from dataclasses import dataclass, replace

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.deck import NUM_COMBOS, format_cards, format_combo, live_combos, permute_combos
from runout.cards.ranges import Range
from runout.config.spot import NodeLock, SpotConfig
from runout.errors import RangeError, TreeError, quote
from runout.execution.pool import PROGRAM_BYTES, available_memory_bytes, count_cores
from runout.flops.turn_buckets import StrengthBuckets
from runout.holdem.cards import CardsToCome, Runout, find_runout
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import plan_game
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers, Rivers
from runout.holdem.solver import SpotSolver, decode_rows
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.tables import LearnedTables, MemoryNeed, Precision, count_boards
from runout.simd.decision_kernels import Learning
from runout.solutions.flop import find_position
from runout.solutions.flop_bundles import build_spot
from runout.solutions.node import NodeKind
from runout.trees.betting import Street

# Node locking: hands that play a given strategy whatever would be better for them.
#
# Both players learn against what is locked, so lock first and solve then: what was learned before
# fades only as fast as the CFR variant forgets. Cards and hands that differ by suits only share
# their tables; a lock that tells them apart needs a spot with ``merges_suits: false``.

_LARGEST_REGRET = 2**15 - 1  # of 16 bits
_FORGOTTEN = 1e-6  # what is left of the sums of a hand that is unlocked
_ADVICE = "solve the spot with merges_suits: false"

#: An evaluation of strategies with real cards, and of all values, takes as long as so many exact
#: iterations.
_ITERATIONS_TO_EVALUATE = 7

#: Hands that differ by suits only may differ by this much: solved strategies do by rounding.
_SYMMETRY_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class _Decision:
    """A decision of a solver, and where the acting player's tables keep its board and actions.

    Suits of the tables' board may be others than those of the path. Errors are at ``where``.
    """

    cards: CardsToCome
    where: str
    street: Street
    runout: Runout
    player: int
    rows: range
    codes: tuple[str, ...]

    @classmethod
    def find(cls, solver: SpotSolver, path: str, locks_alike: bool) -> "_Decision":
        """Returns the decision at the end of a path; a `TreeError` says why it has no lock."""
        spot, cards = solver.game.spot, solver.game.cards
        position = find_position(spot, path)
        where = f"lock {position.place}"
        if position.kind != NodeKind.DECISION:
            raise TreeError(where, f"not a decision but a {position.kind}")
        if position.street == Street.RIVER and not solver.game.rivers.is_exact:
            problem = "compact rivers cannot be locked, lock flop or turn, or use rivers: exact"
            raise TreeError(where, problem)
        if position.street == Street.TURN and solver.game.rivers.turns is not None:
            problem = "turns in buckets cannot be locked, lock the flop, or use turn_buckets: null"
            raise TreeError(where, problem)
        alike = {m.map_cards(position.dealt) for m in cards.symmetries} - {position.dealt}
        if alike and not locks_alike:
            others = ", ".join(map(format_cards, sorted(alike)))
            dealt = format_cards(position.dealt)
            problem = f"{dealt} is solved as one with {others}, lock all (locks_alike) or {_ADVICE}"
            raise TreeError(where, problem)
        player = int(spot.tree.layout.actor[position.node])
        children = spot.tree.layout.children(position.node)
        nodes = solver.game.templates[len(position.dealt)].action_node[player]
        first = int(np.flatnonzero(nodes == children.start)[0])
        rows = range(first, first + len(children))
        codes = tuple(spot.tree.action_code(child) for child in children)
        runout = find_runout(cards, position.dealt)
        return cls(cards, where, position.street, runout, player, rows, codes)

    def name_of(self, known_combo: int) -> str:
        """Writes a combo of the tables' board in the suits of the path."""
        inverse = self.runout.mapping.inverse()
        return format_combo(int(permute_combos(inverse.new_suits)[known_combo]))


def lock_node(solver: SpotSolver, lock: NodeLock) -> int:
    """Fixes what some or all hands do at a decision; returns how many combos are locked.

    Hands locked before stay locked.

    Raises:
        TreeError: if the path leads to no decision, an action is not one of its actions, or the
            lock would tell apart what is merged.
        RangeError: if the player holds none of the hands.
    """
    decision = _Decision.find(solver, lock.node, lock.locks_alike)
    return _fix(solver, decision, _read_strategy(decision, lock))


def lock_strategy(solver: SpotSolver, path: str, strategy: FloatArray) -> int:
    """Does the same with ``[A, 1326]`` probabilities, NaN for hands that stay free.

    Cards that differ by suits only are locked alike.
    """
    decision = _Decision.find(solver, path, locks_alike=True)
    return _fix(solver, decision, strategy)


def unlock_node(solver: SpotSolver, path: str) -> None:
    """Lets all hands learn again at a decision, from what they were told on."""
    decision = _Decision.find(solver, path, locks_alike=True)
    depth = decision.street - solver.tables.first_street
    learning = solver.tables.by_street[depth][decision.player]
    if learning.lock.size:
        board, rows = decision.runout.board, decision.rows
        is_locked = np.flatnonzero(learning.lock[board, rows.start])
        learning.lock[board, rows.start] = 0
        if not learning.sum_scale.size:  # the average soon forgets what was told, not learned
            sums = learning.strategy_sum[board, rows.start : rows.stop]
            sums[:, is_locked] = np.multiply(sums[:, is_locked], _FORGOTTEN)
        solver.num_lock_changes += 1


def _fix(solver: SpotSolver, decision: _Decision, strategy: FloatArray) -> int:
    """Fixes ``[A, 1326]`` probabilities, those that are no NaN; see `lock_node`."""
    player, hands = decision.player, decision.cards.players[decision.player]
    known = np.empty((len(decision.codes), NUM_COMBOS))  # in the suits of the tables
    known[:, permute_combos(decision.runout.mapping.new_suits)] = strategy
    held = np.intersect1d(hands.combos, live_combos(decision.runout.dealt))
    chosen = np.isin(np.arange(NUM_COMBOS), held) & ~np.isnan(known).any(axis=0)
    _check_symmetry(decision, np.where(chosen, known, -1.0))
    if not chosen.any():
        raise RangeError(decision.where, "the player holds none of the hands to lock here")
    pair = list(solver.tables.by_street[depth := decision.street - solver.tables.first_street])
    if not (learning := pair[player]).lock.size:
        learning = learning._replace(lock=np.zeros(learning.regret.shape, np.uint8))
        pair[player] = learning
        solver.tables.by_street[depth] = (pair[0], pair[1])
    board, rows = decision.runout.board, decision.rows
    columns = hands.positions()[np.flatnonzero(chosen)]
    shares = known[:, chosen] / known[:, chosen].sum(axis=0)
    # Their size means nothing: 16-bit numbers are as large as can be.
    fixed = np.rint(shares * _LARGEST_REGRET) if learning.regret_scale.size else shares
    learning.regret[board, rows.start : rows.stop, columns] = fixed.T
    learning.lock[board, rows.start, columns] = 1
    settle_locks(solver.game.templates, solver.tables)
    solver.num_lock_changes += 1
    return len(columns)


def settle_locks(templates: list[StreetTemplate], tables: LearnedTables) -> None:
    """Makes the average strategy of every locked hand the locked one.

    Sums of hands that never come to a decision fade to nothing, which would count as all actions
    being equally likely. Views call this before they look.
    """
    for template, both in zip(templates, tables.by_street, strict=True):
        for player, learning in enumerate(both):
            if not learning.lock.size:
                continue
            is_decision = template.forests[player].kind == HERO_ACTS
            first = template.first_action[is_decision].tolist()
            number = template.forests[player].num_children[is_decision].tolist()
            num_actions = dict(zip(first, number, strict=True))
            for board, row in np.argwhere(learning.lock.any(axis=2)).tolist():
                _settle(learning, board, range(row, row + num_actions[row]))


def _read_strategy(decision: _Decision, lock: NodeLock) -> FloatArray:
    """Returns ``[A, 1326]`` probabilities, NaN for hands that are not named."""
    known = np.full((len(decision.codes), NUM_COMBOS), np.nan)
    for text, shares in reversed(lock.strategy):  # the first is written last, and so it wins
        by_code = dict(shares)
        if unknown := [code for code in by_code if code not in decision.codes]:
            actions = f"the {len(decision.codes)} actions are {', '.join(decision.codes)}"
            problem = f"{text}: {quote(unknown[0])} is not an action, {actions}"
            raise TreeError(decision.where, problem)
        row = np.array([by_code.get(code, 0.0) for code in decision.codes])
        known[:, Range(text).weights > 0.0] = row[:, None]
    return known


def _check_symmetry(decision: _Decision, rows: FloatArray) -> None:
    """Refuses what tells hands apart that differ by suits only, if any cards are merged."""
    dealt, cards = decision.runout.dealt, decision.cards
    if not any((deal.images >= 0).any() for deal in cards.deals):
        return
    for mapping in cards.symmetries:
        if mapping.map_cards(dealt) != dealt:
            continue
        image = permute_combos(mapping.new_suits)
        different = (np.abs(rows - rows[:, image]) > _SYMMETRY_TOLERANCE).any(axis=0)
        if different.any():
            combo = int(np.flatnonzero(different)[0])
            pair = f"{decision.name_of(combo)} and {decision.name_of(int(image[combo]))}"
            problem = f"{pair} are solved as one, lock them alike or {_ADVICE}"
            raise TreeError(decision.where, problem)


def _settle(learning: Learning, board: int, rows: range) -> None:
    is_locked: IntArray = np.flatnonzero(learning.lock[board, rows.start])
    fixed = learning.regret[board, rows.start : rows.stop].astype(np.float64)
    sums = decode_rows(learning.strategy_sum[board], learning.sum_scale[board], rows)
    # How large a hand's sums are means nothing; they become as large as those of other hands.
    locked = fixed[:, is_locked] / fixed[:, is_locked].sum(axis=0)
    sums[:, is_locked] = locked * ((sums.max() or 1.0) / locked.max())
    if (scale := learning.sum_scale[board]).size:  # of 16 bits
        scale[rows.start] = float(sums.max()) / (2**16 - 1)
        sums = np.rint(sums / scale[rows.start])
    learning.strategy_sum[board, rows.start : rows.stop] = sums


# From the config of a spot to what is solved, and what that will take.


@dataclass(frozen=True)
class SpotSize:
    """How large a spot is.

    Attributes:
        num_nodes: of the betting tree, all streets together, without cards.
        num_boards: boards, or bucket games, that each street is solved on, from the first one.
        num_hands: combos of OOP and IP that the board leaves.
        memory: what solving takes beside the program, by precision.
        seconds_per_iteration: about, if nothing else keeps the cores busy.
        seconds_to_evaluate: the same for rivers in buckets with real cards; 0 if they are exact.
    """

    num_nodes: int
    num_boards: tuple[int, ...]
    num_hands: tuple[int, int]
    memory: dict[Precision, MemoryNeed]
    seconds_per_iteration: float = 0.0
    seconds_to_evaluate: float = 0.0

    def __str__(self) -> str:
        oop, ip = self.num_hands
        return f"{self.num_nodes:,} nodes of betting, {oop:,} against {ip:,} combos"

    @property
    def memory_bytes(self) -> dict[int, int]:
        """What a process that solves it takes at most, by bits of precision."""
        return {int(bits): PROGRAM_BYTES + need.total for bits, need in self.memory.items()}


def river_buckets(config: SpotConfig) -> Rivers:
    """Returns how a config keeps turns and rivers."""
    if config.rivers != "compact":
        return EXACT_RIVERS
    number = config.turn_buckets
    turns = None if number is None else StrengthBuckets(number)
    return BucketRivers(config.river_buckets, config.river_blockers, turns=turns)


def choose_rivers(
    config: SpotConfig, known: SpotConfig | None = None, num_workers: int | None = None
) -> SpotConfig:
    """Returns a config whose rivers are chosen if they are ``auto``.

    They are those of an earlier solve of the spot, if there is one; else exact, unless the board is
    a flop that then does not fit into half of the free memory.
    """
    if config.rivers != "auto":
        return config
    exact = config.model_copy(update={"rivers": "exact"})
    compact = config.model_copy(update={"rivers": "compact"})
    if known is not None:
        return compact if known.rivers == "compact" else exact
    if config.first_street != Street.FLOP or config.locks:  # rivers in buckets cannot be locked
        return exact
    needed = measure_spot(exact, num_workers).memory[Precision(config.precision)].total
    is_small = config.turn_buckets is None and needed <= available_memory_bytes() / 2
    return exact if is_small else compact


def measure_spot(config: SpotConfig, num_workers: int | None = None) -> SpotSize:
    """Returns how large a spot is, by default for all cores, before anything is allocated."""
    spot, rivers = build_spot(config), river_buckets(config)
    workers = num_workers or count_cores()
    plans = {precision: plan_game(spot, rivers, precision, workers) for precision in Precision}
    cards, templates, *_ = plans[Precision.SINGLE]
    places = [find_position(spot, lock.node) for lock in config.locks]
    locked = {
        (len(place.dealt), int(spot.tree.layout.actor[place.node]))
        for place in places
        if place.kind == NodeKind.DECISION
    }
    # Locks take a byte per regret of a street and player.
    boards = count_boards(cards)
    of_locks = sum(
        boards[depth] * templates[depth].num_actions[player] * cards.widths[player]
        for depth, player in locked
    )
    needs = {bits: plan.memory for bits, plan in plans.items()}
    memory = {bits: replace(need, tables=need.tables + of_locks) for bits, need in needs.items()}
    num_boards = tuple(size.num_boards for size in rivers.table_sizes(cards))
    oop, ip = (len(hands.combos) for hands in cards.players)
    from runout.flops.cards import CardBackend  # which imports this module

    backend = CardBackend(config.stopping_rule(), rivers)
    seconds, to_evaluate = backend.seconds_per_iteration(plans[Precision.SINGLE]) / workers, 0.0
    if not rivers.is_exact:
        exact = replace(backend, rivers=EXACT_RIVERS)
        per_iteration = exact.seconds_per_iteration(plan_game(spot)) / workers
        to_evaluate = _ITERATIONS_TO_EVALUATE * per_iteration
    sizes = spot.tree.num_nodes, num_boards, (oop, ip), memory
    return SpotSize(*sizes, seconds, to_evaluate)
