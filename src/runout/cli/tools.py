"""`runout tree` and `warmup`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np

from runout.cache import cache_directory
from runout.cards.deck import NUM_HANDS, parse_board, parse_cards
from runout.cards.flops import suit_stabilizer
from runout.cli import console, options
from runout.cli.formatting import format_bytes, format_count, format_count_of, format_seconds
from runout.cli.options import option, positive
from runout.cli.solve import describe_size
from runout.cli.targets import solving_into
from runout.config.flops import BACKENDS, BucketedConfig, FlopsConfig
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import OptionError, TableError
from runout.events import ignore_event, reporting_phase
from runout.execution.context import RunContext
from runout.execution.tasks import Task, TaskResult, Worker
from runout.solutions.run import find_result
from runout.solutions.sheet import Column, Sheet
from runout.storage.bundle import CONFIG_FILE
from runout.storage.files import open_regular
from runout.trees import describe
from runout.trees.actions import format_amount
from runout.trees.layout import LEAF, TreeArrays
from runout.trees.sizes import STREET_KEYS
from runout.trees.tree import PostflopTree, PreflopTree

#: An outline shows as many whole levels as fit into so many lines, unless ``--depth`` is given.
MAX_OUTLINE_LINES = 80

_CONFIG = "A config, YAML, or the directory of a solved one."
_SPR = "The postflop tree at this stack-to-pot ratio."
_DEPTH = "Actions from the root to show (default: fit)."


def show_tree(
    config: Annotated[Path, option("--config -c", "FILE", _CONFIG)],
    spr: Annotated[float | None, option("--spr", "X", _SPR, positive)] = None,
    depth: Annotated[int | None, option("--depth", "N", _DEPTH, positive)] = None,
    json: options.JsonFlag = False,
) -> None:
    """Show the rules, size and nodes of betting trees.

    The config describes a run, flops or a spot. Flops with several stack-to-pot ratios show a line
    for each; give --spr for one.
    """
    given = config
    if config.is_dir():
        config = find_result(config)[1] / CONFIG_FILE
        open_regular(config).close()
    loaded = load_config(config)
    if isinstance(loaded, SpotConfig):
        if spr is not None:
            raise OptionError("--spr", f"{given} is a spot, which has one tree")
        _show(loaded.tree(), loaded, depth, json)
    elif isinstance(loaded, RunConfig) and spr is None:
        _show(loaded.preflop.tree, None, depth, json)
        has_flops = loaded.needs_flop_values and loaded.postflop_model is not None
        if has_flops and not json:
            console.output().print()
            _show_all(options.load_flops_config(config, loaded))
    elif isinstance(loaded, RunConfig | FlopsConfig):
        model = options.load_flops_config(config, loaded)
        sprs = model.sprs if spr is None else [spr]
        if len(sprs) == 1:
            _show(PostflopTree.build(model.betting_rules(), sprs[0]), model, depth, json)
        else:
            _show_all(model, json)
    else:
        raise OptionError(str(config), "has no tree, give the config of a run, flops or a spot")


def _show(
    tree: PostflopTree | PreflopTree,
    config: SpotConfig | FlopsConfig | None,
    depth: int | None,
    json: bool,
) -> None:
    """Prints one tree as text or JSON."""
    layout, names, (size, memory) = tree.layout, tree.player_names, _memory(tree, config)
    if json:
        level = layout.num_levels if depth is None else min(depth + 1, layout.num_levels)
        nodes = [
            {
                "path": tree.path(node),
                "actor": None if layout.actor[node] == LEAF else names[int(layout.actor[node])],
                "pot": tree.pot(node),
                "actions": [tree.action_label(child) for child in layout.children(node)],
            }
            for node in range(int(layout.level_start[level]))
        ]
        console.print_json({**_facts(tree, size), "nodes": nodes})
        return
    shown_depth = fitting_depth(layout) if depth is None else depth
    summary = f"{describe.format_tree_summary(tree)}\n{memory}\n"
    console.print_parts(summary, describe.format_tree(tree, shown_depth))
    if depth is None and shown_depth < layout.num_levels - 1:
        console.print_note(f"shown to depth {shown_depth}, give --depth for more")


def fitting_depth(layout: TreeArrays) -> int:
    """Returns how many whole levels of actions fit into `MAX_OUTLINE_LINES`, at least one."""
    depths = range(2, layout.num_levels)
    return max([1, *(d for d in depths if layout.level_start[d + 1] <= MAX_OUTLINE_LINES)])


def _show_all(model: FlopsConfig, json: bool = False) -> None:
    """Prints the rules once and a line for the tree at each stack-to-pot ratio."""
    rules, facts = model.betting_rules(), list[dict[str, Any]]()
    numbers = ("nodes", "decisions", "folds", "showdowns")
    shown = [Column(heading, form=format_count) for heading in numbers]
    memory = Column("memory of a solve", form=format_bytes)
    sheet = Sheet((Column("SPR", form=format_amount), *shown, memory))
    for spr in sorted(model.sprs):
        tree = PostflopTree.build(rules, spr)
        facts.append(_facts(tree, _memory(tree, model)[0]))
        decisions, folds = (sum(facts[-1][key].values()) for key in ("decisions", "folds"))
        counts = tree.num_nodes, decisions, folds, facts[-1]["num_showdowns"]
        sheet.add(spr, *counts, facts[-1]["memory_bytes"])
    flops = format_count_of(len(model.flop_list().flops), "flop")
    title = f"{flops}, solve type {_backend_title(model.solve_type)}"
    console.show(json, {"trees": facts}, f"{title}\n{describe.format_rules(rules)}\n", sheet)


def _backend_title(name: str) -> str:
    """Returns a backend for people; ``exhaustive (169 hands)``, the coarsest, sounds like more."""
    return f"{name} (169 hands)" if name in ("exhaustive", "mccfr") else name


def _memory(
    tree: PostflopTree | PreflopTree, config: SpotConfig | FlopsConfig | None
) -> tuple[int, str]:
    """Returns what solving a tree takes, in bytes and in words."""
    if isinstance(config, SpotConfig):
        from runout.flops.spot_setup import measure_spot

        size = measure_spot(config)
        return size.memory_bytes[config.precision], describe_size(config, size)
    if config is None or isinstance(tree, PreflopTree):
        # Regrets, sums, strategy, values, reach and expected values, in double precision.
        needed = 8 * tree.num_nodes * NUM_HANDS * 8
        return needed, f"{format_bytes(needed)} of memory to solve it"
    from runout.flops.settings import make_backend

    hardest = min(config.flop_list().flops, key=lambda flop: len(suit_stabilizer(flop)))
    needed = int(make_backend(config).estimate(hardest, tree, 1).memory_bytes)
    each = f"of memory for each flop that is solved at a time, {_backend_title(config.solve_type)}"
    return needed, f"{format_bytes(needed)} {each}"


def _facts(tree: PostflopTree | PreflopTree, memory_bytes: int) -> dict[str, Any]:
    """Returns what is known of a tree, under its JSON names."""
    counts, names = tree.counts, tree.player_names
    facts: dict[str, Any] = {
        "num_nodes": tree.num_nodes,
        "num_levels": tree.layout.num_levels,
        "memory_bytes": memory_bytes,
        "folds": dict(zip(names, counts.folds, strict=True)),
    }
    if isinstance(tree, PreflopTree):
        return facts | {
            "kind": "preflop",
            "decisions": dict(zip(names, counts.decisions, strict=True)),
            "flop_leaves": [leaf._asdict() for leaf in tree.flop_leaves()],
            "num_all_ins": counts.all_in_showdowns,
        }
    return facts | {
        "kind": "postflop",
        "spr": tree.stakes.spr,
        "decisions": dict.fromkeys(STREET_KEYS, 0) | tree.decisions_by_street(),
        "num_showdowns": counts.showdowns + counts.all_in_showdowns,
        "num_all_in_showdowns": counts.all_in_showdowns,
    }


# Kernels compile for the types they are called with, so `runout warmup` calls each one by a small
# real job. Numba compiles one kernel at a time in a process, so processes share the jobs.


def compile_kernels(workers: options.WorkersOption = None, json: options.JsonFlag = False) -> None:
    """Compile and cache all kernels, once after each install."""
    from runout.jit import CACHE_PROBLEM

    cache, started = str(cache_directory()), time.perf_counter()
    if CACHE_PROBLEM is not None:
        raise TableError(cache, f"cannot be used ({CACHE_PROBLEM})")
    with solving_into(None, workers, "threads" if workers == 1 else "processes") as context:
        num_kernels, num_compiled = run_small_jobs(context)
    seconds = time.perf_counter() - started
    counts = {"num_kernels": num_kernels, "num_compiled": num_compiled}
    document = {**counts, "seconds": seconds, "cache_directory": cache}
    done = f"compiled {num_compiled}" if num_compiled else "nothing to compile, all cached already"
    text = f"{format_count_of(num_kernels, 'kernel')}: {done}, in {format_seconds(seconds)}"
    console.show(json, document, f"{text}\ncache: {cache}")


def run_small_jobs(context: RunContext) -> tuple[int, int]:
    """Runs every job and returns how many kernels there are and how many had to be compiled."""
    from runout.jit import loaded_kernels

    # The list imports all kernel modules, so that their kernels are counted.
    tasks, compiled = [Task(str(n), n) for n in range(len(small_jobs()))], set[str]()
    quiet = replace(context, on_event=ignore_event)
    with reporting_phase(context.on_event, "kernels", len(tasks)) as advance:
        for num_done, end in enumerate(quiet.run(_SmallJobs(), tasks), 1):
            if end.entry is None:
                raise cast(Exception, end.error)
            compiled |= set(end.entry.measured["compiled"])
            advance(num_done)
    return len(loaded_kernels()), len(compiled)


class _SmallJobs:
    """Runs small jobs by their numbers; see `Job`."""

    facts: Mapping[str, Any] = {}

    def run(self, item: int, worker: Worker) -> TaskResult:
        """Runs a job, and tells the names of the kernels that were not cached."""
        from runout.jit import loaded_kernels

        job = small_jobs()[item]
        before = {name: kernel.num_compiled for name, kernel in loaded_kernels().items()}
        job()
        kernels = loaded_kernels().items()
        compiled = [name for name, kernel in kernels if kernel.num_compiled > before[name]]
        return TaskResult({}, {"compiled": compiled})


#: A joint game of a few runouts.
_JOINT_GAME = """\
preflop: {preset: pushfold, stacks_bb: 2, allow_limp: true}
method: joint
iterations: 1
joint: {turns_per_flop: 4, rivers_per_turn: 4}
postflop_model: {solve_type: exact, fixed_flops: [AhKdQs], max_raises_per_street: 0}
"""


def small_jobs() -> list[Callable[[], object]]:
    """Returns jobs that together call every kernel with the types that real work uses."""
    from runout.abstraction.card_abstraction import AbstractionConfig, build_card_abstraction
    from runout.abstraction.clustering import cluster_features
    from runout.abstraction.features import FlopStrengths
    from runout.cards.evaluator import evaluate, evaluate_board
    from runout.cards.hand_indexer import HandIndexer
    from runout.equity.board import (
        board_strengths,
        compute_board_equity,
        hand_strength,
        sum_strengths,
    )
    from runout.execution.context import RunContext
    from runout.flops.backend import solve_small_flop
    from runout.flops.settings import make_backend
    from runout.runs.preflop import solve_preflop
    from runout.runs.spot import solve_spot

    suited_flop, rainbow_river = parse_board("AhKhQh"), parse_board("AhKdQs7c2c")
    queen, jack = parse_cards("QhJh")
    kinds = [kind() for kind in BACKENDS.values()]
    kinds.append(BucketedConfig(bucket_scope="street"))  # which is no default
    backends = dict.fromkeys(type(make_backend(config)) for config in kinds)
    push_fold = "preflop: {preset: pushfold, stacks_bb: 10}\niterations: 1\n"
    game, joint = parse_config(push_fold, RunConfig), parse_config(_JOINT_GAME, RunConfig)
    spot: dict[str, Any] = {"oop": "AA", "ip": "KK", "pot": 2, "stack": 2, "bet_sizes": "a"}
    spot |= {"raise_sizes": [], "max_iterations": 1}

    def solve_board(board: str, precision: int) -> None:
        """Solves with real cards, three combos each and one bet, in 32 or 16 bits."""
        keys = spot | {"board": board, "precision": precision}
        solve_spot(None, RunContext(1), **keys).view.node()

    return [
        lambda: evaluate(suited_flop + parse_cards("JhTh")),
        lambda: evaluate_board(rainbow_river),
        lambda: HandIndexer((5,)).index(rainbow_river),
        lambda: compute_board_equity(suited_flop).wins,
        lambda: compute_board_equity(suited_flop).hand_table(),
        lambda: sum_strengths(rainbow_river),
        lambda: hand_strength(rainbow_river, (queen, jack)),
        lambda: board_strengths(rainbow_river),
        lambda: build_card_abstraction(AbstractionConfig(samples_per_street=1)),
        lambda: FlopStrengths(suited_flop).river_features(),
        lambda: cluster_features(np.eye(2), 1, seed=0, order_key=np.ones(2)),
        *(partial(solve_small_flop, each) for kind in backends for each in kind.for_warm_up()),
        # Push or fold, in double precision.
        lambda: solve_preflop(game, RunContext(1)).solution.game_value_bb(0),
        lambda: solve_preflop(joint, RunContext(1)),
        *(
            partial(solve_board, board, precision)
            for precision in (32, 16)
            for board in ("AhKdQs7c2c", "AhKdQs7c", "AhKdQs")
        ),
    ]
