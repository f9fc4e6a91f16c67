"""UPI, PioSOLVER's text protocol: a command a line in, its answer out, one solve in the background.

Trees are lines, as `set_*` and `add_line` say, or a saved spot. Hands are in the order of our
combos, which is PioSOLVER's, and actions in its order: the largest bet first, then call, then fold.
While a solve runs, its tables are read between iterations only.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray, divide
from runout.cards.deck import NUM_COMBOS, format_card, live_combos, parse_board
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.cards.ranges import Range
from runout.cfr.cfr_kernels import RESPONDING
from runout.cfr.schedules import SolveProgress, StoppingRule, StopReason
from runout.cfr.team import Team
from runout.config.spot import SpotConfig, lock_keys
from runout.equity.matchups import equity
from runout.errors import BundleError, FormatError, RunoutError, one_line, quote, suggest
from runout.execution.pool import count_cores
from runout.execution.tasks import CancelledError, CancelToken
from runout.flops.backend import Cost
from runout.flops.spot_setup import lock_strategy, measure_spot, unlock_node
from runout.flops.spot_solution import SpotSolution, look_at, start_solver
from runout.formats.solvers import read_number
from runout.solutions.flop import SpotPosition, StoredSpot, find_position
from runout.solutions.flop_bundles import load_spot
from runout.solutions.node import HandSpace, Node, NodeKind
from runout.trees.actions import format_amount
from runout.trees.paths import format_pio_id, pio_step
from runout.trees.sizes import PLAYER_KEYS, format_percent
from runout.trees.tree import NOT_A_LEAF, POSITION_NAMES
from runout.version import __version__

Lines = list[str]

#: Numbers that commands set, most of them keys of a spot.
_NUMBERS = {
    "set_eff_stack": ("stack",),
    "set_pot": ("bet_oop", "bet_ip", "pot"),
    "set_rake": ("rake_rate", "rake_cap"),
    "set_isomorphism": ("flops_alike", "turns_alike"),
    "set_threads": ("threads",),
    "set_info_freq": ("info_every",),
}
_LISTS = {"add_line": "added_lines", "remove_line": "removed_lines", "add_info_line": "info"}
_CLEARED = {"clear_lines": ("added_lines", "removed_lines"), "reset_tree_info": ("info",)}
_NOT_KEYS = {*("bet_oop", "bet_ip", "flops_alike", "turns_alike", "threads", "info_every", "info")}

#: A tree has the lines that were added, and no others.
_NO_SIZES: dict[str, Any] = {
    **{"bet_sizes": [], "raise_sizes": [], "max_raises_per_street": None},
    **{"add_all_in_threshold": 0, "force_all_in_threshold": 0, "merging_threshold": 0},
}
_MOST_ITERATIONS = 1_000_000_000
_SAID = {
    StopReason.EXPLOITABILITY: "required accuracy reached",
    StopReason.ITERATIONS: "number of steps reached",
    StopReason.SECONDS: "time limit reached",
}
_RESULTS = ("running time", "EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for")
_ROOT, _FLAGS = "r", "flags: PIO_CFR"
#: Keys of a saved spot that `set_*` would have said.
_KEPT = ("board", "oop", "ip", "pot", "stack", "rake_rate", "rake_cap", "merges_suits")
#: Each hand counts as the first of these draws that it has.
_DRAWS = [
    *(Draw.COMBO_DRAWS, Draw.NUT_FLUSH_DRAWS, Draw.FLUSH_DRAWS, Draw.OPEN_ENDED),
    *(Draw.GUTSHOTS, Draw.BACKDOOR_FLUSH_DRAWS),
]
#: Answers that are always the same.
_ANSWERS = {
    "show_version": [__version__],
    "show_hand_order": [" ".join(HandSpace.COMBOS.names)],
    "show_category_names": [
        " ".join(each.label for each in MadeHand),
        " ".join(["no-draw", *(each.label for each in _DRAWS)]),
    ],
}
#: Settings of its algorithm that we have no use for, and work that our trees never need.
_WITHOUT_EFFECT = {
    *("is_ready", "exit"),
    *("set_recalc_accuracy", "set_always_recalc", "set_algorithm", "set_first_iteration_player"),
    *("load_all_nodes", "rebuild_forgotten_streets", "ignore_mem_check"),
}
#: Commands that change the tree, which a solve under way does not allow.
_CHANGES = {
    *("build_tree", "load_tree", "free_tree"),
    *("set_strategy", "lock_node", "combo_lock_node", "unlock_node"),
}
#: Commands during which the solve goes on, as others may wait for it.
_UNLOCKED = {"go", "stop", "wait_for_solver", "load_script", "load_script_silent", "echo"}


class UpiServer:
    """The state that commands change: what `set_*` said, the tree, and a solve under way."""

    def __init__(self, write: Callable[[str], object]) -> None:
        """Takes what writes text at once; two threads call it, one at a time."""
        self._write, self._end, self._depth = write, "", 0
        self._keys: dict[str, Any] = {}
        self._accuracy, self._is_share = 0.005, True
        self._solution: SpotSolution | None = None  # with tables to go on from
        self._view: StoredSpot | None = None
        #: ``[A, 1326]`` what was set, by path, NaN for free hands; locked or only until `go`.
        self._given: dict[str, FloatArray] = {}
        self._locked: set[str] = set()
        self._writing, self._cancel = threading.Lock(), CancelToken()
        # A reader holds the first while it waits for the second: the solve lets it pass.
        self._readers, self._tables = threading.Lock(), threading.Lock()
        self._solve: threading.Thread | None = None

    def serve(self, lines: Iterable[str]) -> None:
        """Answers commands until `exit` or the end of the input, which stops the solve."""
        self._tell([f"runout {__version__} (UPI)"])
        try:
            for line in lines:
                name, _, rest = line.strip().partition(" ")
                if name == "exit":
                    return
                if name and not name.startswith("#"):
                    found = self._answer(name, rest.strip())
                    self._tell([*found, self._end] if self._end else found)
                    self._begin()
        finally:
            self._do_wait_for_solver(is_stopped=True)

    def _tell(self, lines: Lines) -> None:
        with self._writing:
            self._write("".join(f"{line}\n" for line in lines))

    def _answer(self, name: str, rest: str) -> Lines:
        """Returns the answer to a command, without the line that ends it."""
        command = getattr(self, f"_do_{name}", None)
        known = [each[4:] for each in dir(self) if each.startswith("_do_")]
        try:
            if self._is_solving and name in _CHANGES:
                raise FormatError(name, "the solver is running, stop it first")
            if name in _NUMBERS:
                numbers = _numbers(rest, name, len(_NUMBERS[name]))
                found = self._keys.update(zip(_NUMBERS[name], numbers, strict=True))
            elif name in _LISTS:
                self._keys[_LISTS[name]] = [*self._keys.get(_LISTS[name], []), rest]
                found = None
            elif name in _CLEARED:
                found = self._keys.update({key: [] for key in _CLEARED[name]})
            elif name in _WITHOUT_EFFECT or name in _ANSWERS:
                found = _ANSWERS.get(name)
            elif command is None:
                near = suggest(name, [*known, *_NUMBERS, *_LISTS, *_CLEARED, *_ANSWERS])
                raise FormatError(name[:40], f"is not a command{near}")
            elif name in _UNLOCKED:
                found = command(rest)
            else:
                with self._readers, self._tables:
                    found = command(rest)
        except (RunoutError, OSError, ValueError) as error:  # as of a name with a null byte
            return [f"ERROR: {one_line(str(error))}"]
        return [f"{name} ok!"] if found is None else found

    # The session.

    def _do_set_end_string(self, rest: str) -> None:
        self._end = rest

    def _do_echo(self, rest: str) -> Lines:
        return [rest]

    def _do_reset_end_string(self, rest: str) -> None:
        self._end = ""

    def _do_load_script(self, rest: str) -> Lines:
        path, _ = _read_file_name(rest)
        if self._depth == 8:
            raise FormatError(path, "scripts load each other more than 8 deep")
        answers, self._depth = Lines(), self._depth + 1
        try:
            for line in Path(path).read_text("utf-8", "replace").splitlines():
                name, _, more = line.strip().partition(" ")
                if name and name != "exit" and not name.startswith("#"):
                    answers += self._answer(name, more.strip())
                    self._begin()
        finally:
            self._depth -= 1
        return [*answers, "load_script ok!"]

    def _do_load_script_silent(self, rest: str) -> Lines:
        answers = self._do_load_script(rest)[:-1]
        return [*(line for line in answers if line.startswith("ERROR")), "load_script_silent ok!"]

    # What is to be built.

    def _do_set_accuracy(self, rest: str) -> None:
        number, _, unit = rest.partition(" ")
        if unit.strip() not in ("", "chips", "fraction"):
            raise FormatError("set_accuracy", f"{quote(unit)} is neither chips nor fraction")
        self._accuracy = _numbers(number, "set_accuracy", 1)[0]
        self._is_share = unit.strip() == "fraction"

    def _do_set_board(self, rest: str) -> None:
        self._keys["board"] = "".join(map(format_card, parse_board(rest)))

    def _do_set_range(self, rest: str) -> None:
        player, text = _read_player(rest)
        self._keys[PLAYER_KEYS[player]] = str(Range(text))

    def _config(self) -> SpotConfig:
        """Returns the spot that was described; its errors are those of our configs."""
        keys = {key: value for key, value in self._keys.items() if key not in _NOT_KEYS}
        if self._keys.get("bet_oop") or self._keys.get("bet_ip"):
            raise FormatError("set_pot", "bets on the table cannot be set, write 0 0 POT")
        if not {"board", "oop", "ip", "pot", "stack"} <= keys.keys():
            needed = "set_board, set_range OOP, set_range IP, set_pot, set_eff_stack"
            raise FormatError("tree", f"not described, it takes {needed}")
        if "flops_alike" in self._keys:
            keys["merges_suits"] = bool(self._keys["flops_alike"] or self._keys["turns_alike"])
        if self._is_share:
            keys["target"] = format_percent(self._accuracy)
        return SpotConfig.parse(keys | _NO_SIZES)

    # The tree.

    def _do_estimate_tree(self, rest: str) -> Lines:
        size = measure_spot(config := self._config(), self._team_size)
        memory = size.memory_bytes[config.precision] / 2**20
        return [f"{size}, {memory:.0f} MB", "estimate_tree ok!"]

    def _do_build_tree(self, rest: str) -> None:
        size = measure_spot(config := self._config(), self._team_size)
        Cost(memory_bytes=size.memory_bytes[config.precision]).require_memory("the tree")
        solver = start_solver(config, Team(self._team_size))
        self._take(SpotSolution(config, solver, solver.outcome()))

    def _do_load_tree(self, rest: str) -> None:
        path, _ = _read_file_name(rest)
        try:
            self._take(SpotSolution.load(path, team=Team(self._team_size)))
        except BundleError:  # of a spot that is finished there may be nothing to go on from
            view = load_spot(path)
            self._do_free_tree("")
            self._view = view
        config = self._spot().config
        assert config is not None
        self._keys |= {name: getattr(config, name) for name in _KEPT}

    def _take(self, solution: SpotSolution) -> None:
        self._do_free_tree("")
        self._solution = solution
        self._view = look_at(solution.solver, None, solution.config)

    def _do_dump_tree(self, rest: str) -> None:
        path, (mode, *_) = _read_file_name(rest)
        if mode not in ("", "full", "no_rivers", "no_turns"):
            raise FormatError("dump_tree", f"{quote(mode)} is none of full, no_rivers, no_turns")
        solution = self._tree()
        locks = [lock.to_mapping() for lock in solution.config.locks]
        for node in self._locked:
            codes = [action.code for action in self._node(node).actions]
            locks.append(lock_keys(node, codes, self._given[node]))
        keys = {"locks": locks, "keep_resume": mode in ("", "full")}
        if self._is_share:
            keys["target"] = format_percent(self._accuracy)
        config = SpotConfig.parse(solution.config.to_mapping() | keys)
        outcome = replace(solution.solver.outcome(), reason=solution.outcome.reason)
        SpotSolution(config, solution.solver, outcome).save(path, overwrite=True)

    def _do_free_tree(self, rest: str) -> None:
        self._solution, self._view = None, None
        self._given.clear()
        self._locked.clear()

    def _do_is_tree_present(self, rest: str) -> Lines:
        return ["false" if self._view is None else "true"]

    def _spot(self) -> StoredSpot:
        """Returns the tree to look at; an error says how to get one."""
        if self._view is None:
            raise FormatError("tree", "there is none, give build_tree or load_tree first")
        return self._view

    def _tree(self) -> SpotSolution:
        """Returns the tree to solve."""
        self._spot()
        if self._solution is None:
            raise FormatError("tree", "was saved without tables to go on from")
        return self._solution

    @property
    def _team_size(self) -> int:
        return min(int(self._keys.get("threads", 0)) or count_cores(), count_cores())

    # The solve.

    def _do_go(self, rest: str) -> Lines:
        solver, words = self._tree().solver, rest.split()
        if self._is_solving:
            raise FormatError("go", "the solver is running already")
        limits: dict[str, Any] = {"max_iterations": _MOST_ITERATIONS}
        if words:
            number, unit = _numbers(words[0], "go", 1)[0], (words[1:] or ["steps"])[0]
            if unit not in ("seconds", "steps"):
                raise FormatError("go", f"{quote(unit)} is neither seconds nor steps")
            is_time, steps = unit == "seconds", solver.iteration + max(int(number), 1)
            limits |= {"max_seconds": number} if is_time else {"max_iterations": steps}
        for path in self._given.keys() - self._locked:  # what was set is learned on from
            unlock_node(solver, path)
            del self._given[path]
        goal = self._accuracy * (solver.game.spot.tree.stakes.pot if self._is_share else 1.0)
        rule = StoppingRule(exploitability=goal, **limits)
        self._cancel = CancelToken()
        self._solve = threading.Thread(target=self._run, args=(rule,), daemon=True)
        return ["SOLVER: started", "go ok!"]

    def _begin(self) -> None:
        """Starts the solve that the last answer has told of."""
        if self._solve is not None and self._solve.ident is None:
            self._solve.start()

    def _run(self, rule: StoppingRule) -> None:
        solution, said = self._tree(), "failed"
        solver = solution.solver

        def look_up(progress: SolveProgress) -> None:
            every = int(self._keys.get("info_every", 0))
            if every and progress.iteration % every == 0:
                reached = f", exploitable for: {_text(progress.exploitability or np.nan)}"
                self._tell([f"SOLVER: running time: {_text(solver.seconds)}{reached}"])
            self._tables.release()
            with self._readers:
                pass
            self._tables.acquire()

        with self._tables:
            try:
                outcome = solver.solve(rule, look_up, self._cancel)
                said = _SAID[outcome.reason]
            except CancelledError:
                outcome, said = solver.outcome(), "stopped by the user"
            finally:
                self._tell([f"SOLVER: stopped ({said})"])
            self._solution = replace(solution, outcome=outcome)

    @property
    def _is_solving(self) -> bool:
        return self._solve is not None and self._solve.is_alive()

    def _do_wait_for_solver(self, rest: str = "", is_stopped: bool = False) -> None:
        if is_stopped:
            self._cancel.set()
        if self._solve is not None and self._is_solving:
            self._solve.join()

    def _do_stop(self, rest: str) -> None:
        self._do_wait_for_solver(is_stopped=True)

    def _do_calc_results(self, rest: str) -> Lines:
        root, pot = self._node(""), self._spot().spot.tree.stakes.pot
        seconds, best, reached = np.nan, [np.nan, np.nan], np.nan
        if self._solution is not None:
            solver = self._solution.solver
            best = [solver.value_of(player, RESPONDING) + pot / 2.0 for player in (0, 1)]
            reached, seconds = solver.exploitability(), solver.seconds
        numbers = [seconds, root.range_ev(0), root.range_ev(1), *best, reached]
        return [f"{name}: {_text(each)}" for name, each in zip(_RESULTS, numbers, strict=True)]

    # Locks.

    def _do_set_strategy(self, rest: str) -> None:
        node, values = self._decision(rest)
        rows = len(node.actions)
        given = np.array(_numbers(values, "set_strategy", rows * NUM_COMBOS)).reshape(rows, -1)
        total = given.sum(axis=0)
        self._lock(node.path, np.where(total > 0.0, given[::-1] / (total + (total == 0.0)), np.nan))

    def _do_lock_node(self, rest: str) -> None:
        node, _ = self._decision(rest)
        if node.path not in self._given:
            self._lock(node.path, node.strategy)
        self._locked.add(node.path)

    def _do_combo_lock_node(self, rest: str) -> None:
        node, flags = self._decision(rest)
        is_free = np.array(_numbers(flags, "combo_lock_node", NUM_COMBOS)) == 0.0
        strategy = np.where(is_free, np.nan, self._given.get(node.path, node.strategy))
        unlock_node(self._tree().solver, node.path)
        self._lock(node.path, strategy)
        self._locked.add(node.path)

    def _do_unlock_node(self, rest: str) -> None:
        node, solution = self._decision(rest)[0], self._tree()
        unlock_node(solution.solver, node.path)
        self._given.pop(node.path, None)
        self._locked.discard(node.path)
        locks = [x for x in solution.config.locks if self._position(x.node).path != node.path]
        config = SpotConfig.parse(solution.config.to_mapping() | {"locks": locks})
        self._solution = replace(solution, config=config)

    def _lock(self, path: str, strategy: FloatArray) -> None:
        lock_strategy(self._tree().solver, path, strategy)
        self._given[path] = strategy

    def _decision(self, rest: str) -> tuple[Node, str]:
        """Returns the decision that a command begins with, and the rest."""
        path, _, values = rest.partition(" ")
        self._tree()
        return self._node(path), values

    # Nodes.

    def _position(self, path: str) -> SpotPosition:
        return find_position(self._spot().spot, "" if path == _ROOT else path)

    def _node(self, path: str) -> Node:
        return self._spot().node("" if path == _ROOT else path)

    def _describe(self, place: SpotPosition, is_root: bool = False) -> Lines:
        tree, node = place.spot.tree, place.node
        is_over, number = tree.leaf_kind[node] != NOT_A_LEAF, len(place.children)
        kind = "END_NODE" if is_over else "SPLIT_NODE"
        if is_root:
            kind, number = "ROOT", 1
        elif place.actor is not None:
            kind = f"{POSITION_NAMES[place.actor]}_DEC"
        elif not is_over:
            number = len(place.next_cards())
        pot = map(format_amount, (*tree.invested[node].tolist(), tree.stakes.pot))
        name = _ROOT if is_root else format_pio_id(tree, place.path)
        board = " ".join(map(format_card, place.board))
        return [name, kind, board, " ".join(pot), f"{number} children", _FLAGS]

    def _do_show_node(self, rest: str) -> Lines:
        return self._describe(self._position(rest), rest == _ROOT)

    def _do_show_children(self, rest: str) -> Lines:
        place, lines = self._position(rest), Lines()
        is_over = place.spot.tree.leaf_kind[place.node] != NOT_A_LEAF
        steps = [action.code for action in reversed(place.actions())]
        steps += [format_card(card) for card in place.next_cards() if not is_over]
        for number, step in enumerate(steps if rest != _ROOT else [""]):
            child = self._position(f"{place.path}:{step}".strip(":"))
            lines += [f"child {number}:", *self._describe(child), ""]
        return lines

    def _do_show_all_lines(self, rest: str) -> Lines:
        tree, names = self._spot().spot.tree, [f"{_ROOT}:0"]
        for node in range(1, tree.num_nodes):
            names.append(f"{names[tree.layout.parent[node]]}:{pio_step(tree, node)}")
        return [_ROOT, *names]

    def _do_show_effective_stack(self, rest: str) -> Lines:
        view = self._view
        stack = self._keys.get("stack", 0.0) if view is None else view.spot.tree.stakes.stack
        return [format_amount(stack)]

    def _do_show_tree_info(self, rest: str) -> Lines:
        config = self._spot().config
        assert config is not None
        board = " ".join(map(format_card, config.board_cards))
        money = f"#Pot#{config.pot:g}", f"#EffectiveStacks#{config.stack:g}"
        ranges = [f"#Range{n}#{held.to_text('pio')}" for n, held in enumerate(config.ranges())]
        info = self._keys.get("info", [])
        return ["#Type#NoLimit", *ranges, f"#Board#{board}", *money, *info]

    def _do_show_range(self, rest: str) -> Lines:
        player, path = _read_player(rest)
        if not path:
            name = PLAYER_KEYS[player]
            if name not in self._keys:
                raise FormatError("show_range", f"{POSITION_NAMES[player]} has no range, set_range")
            return [_row(Range(self._keys[name]).weights)]
        return [_row(self._node(path).weights[player])]

    def _do_show_strategy(self, rest: str) -> Lines:
        node = self._node(rest)
        if node.kind != NodeKind.DECISION:
            raise FormatError(rest, f"not a decision but a {node.kind}")
        return [_row(np.nan_to_num(row)) for row in node.strategy[::-1]]

    def _do_calc_ev(self, rest: str) -> Lines:
        player, path = _read_player(rest)
        node = self._node(path)
        return [_row(node.ev[player]), _row(_matchups(node, player))]

    def _do_calc_eq(self, rest: str) -> Lines:
        player, _ = _read_player(rest)
        if missing := [name for name in ("board", *PLAYER_KEYS) if name not in self._keys]:
            raise FormatError("calc_eq", f"{missing[0]} is not set")
        oop, ip, board = (self._keys[name] for name in (*PLAYER_KEYS, "board"))
        found = equity(oop, ip, board)
        side, share = (found.hero, found.villain)[player], (found.equity, 1.0 - found.equity)
        matchups = np.nan_to_num(divide(side.matchups, Range((oop, ip)[player]).weights))
        return [_row(side.equity), _row(matchups), _text(share[player])]

    def _do_calc_eq_node(self, rest: str) -> Lines:
        player, path = _read_player(rest)
        node = self._node(path)
        total = _text(node.range_equity(player))
        return [_row(node.equity[player]), _row(_matchups(node, player)), total]

    def _do_calc_global_freq(self, rest: str) -> Lines:
        return [_text(self._share_of(self._node(rest)))]

    def _do_calc_line_freq(self, rest: str) -> Lines:
        """Adds up all cards that can come on the line."""
        view, place, paths = self._spot(), self._position(rest), [("", 1)]
        for step in place.steps:
            if find_position(view.spot, paths[0][0]).kind == NodeKind.CHANCE:
                paths = [
                    (f"{path}:{format_card(cards[0])}", number * len(cards))
                    for path, number in paths
                    for cards in view.cards_alike(path)
                ]
            else:
                paths = [(f"{path}:{step}".strip(":"), number) for path, number in paths]
        return [_text(sum(n * self._share_of(view.node(path)) for path, n in paths))]

    def _share_of(self, node: Node) -> float:
        """Returns how often a node is played to, its cards included."""
        root, share = self._node(""), 1.0
        for number in range(len(root.board), len(node.board)):
            share /= 52 - 4 - number
        return share * float(node.deals(0).sum()) / float(root.deals(0).sum())

    def _do_show_categories(self, rest: str) -> Lines:
        classes = classify_hands(parse_board(rest))
        draws = classes.draws[:, _DRAWS]
        first = np.where(draws.any(axis=1), 1 + draws.argmax(axis=1), 0)
        return [" ".join(map(str, row.tolist())) for row in (classes.made, first)]


def _numbers(text: str, where: str, count: int) -> list[float]:
    words = text.split()
    if len(words) != count:
        raise FormatError(where, f"takes {count:,} numbers, {len(words):,} came")
    return [float(read_number(word, where)) for word in words]


def _read_player(text: str) -> tuple[int, str]:
    """Returns the number of the player that a text begins with, and the rest."""
    name, _, rest = text.partition(" ")
    if name.upper() not in POSITION_NAMES:
        raise FormatError("player", f"{quote(name)} is neither OOP nor IP")
    return POSITION_NAMES.index(name.upper()), rest.strip()


def _read_file_name(text: str) -> tuple[str, list[str]]:
    """Returns a name, in double quotes if it has spaces, and the words after it, at least one."""
    name, _, rest = text[1:].partition('"') if text[:1] == '"' else text.partition(" ")
    if not 0 < len(name) < 500:
        raise FormatError("file", f"{quote(name)} is not a name" if name else "is missing")
    return name, [*rest.split(), ""]


def _text(number: float) -> str:
    return f"{number:.8g}"


def _row(numbers: FloatArray) -> str:
    return " ".join(map(_text, numbers.tolist()))


def _matchups(node: Node, player: int) -> FloatArray:
    is_live = np.isin(np.arange(NUM_COMBOS), live_combos(node.board))
    return np.where(is_live, node.met_weights[player], 0.0)
