"""`runout tree`: the betting trees of a config, before anything is solved."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.isomorphism import suit_stabilizer
from runout.cli.config_files import flops_of_run, load_config, load_flops_config
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import Json, format_bytes, format_count, format_count_of
from runout.cli.options import (
    JsonFlag,
    OptionError,
    read_path,
    require_at_most_one,
    require_positive,
)
from runout.cli.solve_spot import describe_size
from runout.config.load import SPOT, kind_of, load_spot_config, load_yaml
from runout.config.postflop import PostflopModelConfig
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.storage.bundle import load_bundle, reading_contents
from runout.trees import postflop_tree, preflop_betting
from runout.trees.actions import format_amount
from runout.trees.describe import (
    AnyTree,
    format_rules,
    format_tree,
    format_tree_dot,
    format_tree_summary,
)
from runout.trees.layout import LEAF, TreeArrays
from runout.trees.postflop_tree import PostflopTree
from runout.trees.preflop_tree import PreflopTree
from runout.views import spot_bundle

#: An outline shows as many whole levels as fit into so many lines, unless ``--depth`` is given.
MAX_OUTLINE_LINES = 80

#: Tables of the preflop solve: regrets, sums, strategy, values, reach and expected values.
_PREFLOP_TABLES = 8
_FLOAT_BYTES = 8

app = typer.Typer(no_args_is_help=True, help="Look at betting trees before they are solved.")


class _Memory(NamedTuple):
    """What solving a tree takes: in bytes, and in words."""

    size: int
    words: str


@app.command(
    "show",
    epilog="Example: runout tree show -c configs/postflop_smoke.yaml --spr 3.5 ; "
    "runout tree show -c configs/spot_river.yaml ; runout tree show -c runs/river",
)
def show_tree(
    config: Annotated[
        Path,
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            parser=read_path,
            help="A config, YAML, or the directory of a solved spot.",
        ),
    ],
    spr: Annotated[
        float | None,
        typer.Option("--spr", metavar="X", help="The postflop tree at this stack-to-pot ratio."),
    ] = None,
    preflop: Annotated[
        bool, typer.Option("--preflop", help="The preflop tree (the default if there is one).")
    ] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the tree for Graphviz.")] = False,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", help="Actions from the root to show (default: fit)."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show the rules, the nodes and the memory of a config's trees, and the trees themselves.

    The config is that of a run, of flops or of a spot. One of flops with several stack-to-pot
    ratios shows a line for each; give --spr for one.
    """
    require_at_most_one({"--spr": spr is not None, "--preflop": preflop})
    require_at_most_one({"--dot": dot, "--json": json})
    require_positive("--depth", depth)
    if spr is not None and not 0.0 < spr < float("inf"):
        raise OptionError("--spr", f"{spr:g} is not a positive number")
    if (spot := _find_spot(config)) is not None:
        for option, is_given in {"--spr": spr is not None, "--preflop": preflop}.items():
            if is_given:
                raise OptionError(option, f"{config} is a spot, which has one tree")
        _show(spot.tree(), _spot_memory(spot), depth, dot, json)
        return
    loaded = load_config(config)
    if preflop and not isinstance(loaded, RunConfig):
        raise OptionError("--preflop", f"{config} has no section preflop")
    if isinstance(loaded, RunConfig) and spr is None:
        tree = loaded.preflop.tree
        _show(tree, _preflop_memory(tree), depth, dot, json)
        if not dot and not json and loaded.needs_flop_values and loaded.postflop_model is not None:
            output().print()
            _show_table(flops_of_run(config, loaded))
        return
    _show_flop_trees(_postflop_model(config, loaded), spr, depth, dot, json)


def _show_flop_trees(
    model: PostflopModelConfig, spr: float | None, depth: int | None, dot: bool, json: bool
) -> None:
    """Prints the tree at one ratio, or a line for each."""
    sprs = list(model.postflop_sprs) if spr is None else [spr]
    if len(sprs) == 1:
        flop_tree = PostflopTree.build_with_spr(model.betting_rules(), sprs[0])
        _show(flop_tree, _flop_memory(flop_tree, model), depth, dot, json)
        return
    if dot:
        given = ", ".join(map(format_amount, sprs))
        raise OptionError("--dot", f"draws one tree, choose one by --spr ({given})")
    if json:
        trees = _trees(model)
        print_json({"trees": [_facts(tree, _flop_memory(tree, model)) for tree in trees]})
    else:
        _show_table(model)


def _find_spot(path: Path) -> SpotConfig | None:
    """Returns the spot that a config, or the directory of a solved one, describes; else None.

    Raises:
        BundleError: if a directory holds something else.
        ConfigError: if the config cannot be read.
    """
    if path.is_dir():
        bundle = load_bundle(path, spot_bundle.KIND, spot_bundle.SCHEMA_VERSION, verify=False)
        with reading_contents(path):
            return load_spot_config(bundle.config_text or "")
    return load_spot_config(path) if kind_of(load_yaml(path)) == SPOT else None


def _postflop_model(path: Path, config: PostflopModelConfig | RunConfig) -> PostflopModelConfig:
    """Returns the model whose sizes a tree at one ratio is built with."""
    if isinstance(config, PostflopModelConfig):
        return config
    return config.postflop_model or load_flops_config(path)


def _trees(model: PostflopModelConfig) -> list[PostflopTree]:
    rules = model.betting_rules()
    return [PostflopTree.build_with_spr(rules, spr) for spr in sorted(model.postflop_sprs)]


def _show(tree: AnyTree, memory: _Memory, depth: int | None, dot: bool, json: bool) -> None:
    """Prints one tree in the chosen form."""
    if dot:
        print(format_tree_dot(tree, depth))
        return
    if json:
        print_json({**_facts(tree, memory), "nodes": _nodes(tree, depth)})
        return
    shown_depth = fitting_depth(tree.layout) if depth is None else depth
    console = output()
    summary = f"{format_tree_summary(tree)}\n{memory.words}"
    console.print(summary, soft_wrap=True, markup=False)
    console.print()
    console.print(format_tree(tree, shown_depth), soft_wrap=True, markup=False)
    if depth is None and shown_depth < tree.layout.num_levels - 1:
        print_note(f"shown to depth {shown_depth}, give --depth for more")


def fitting_depth(layout: TreeArrays) -> int:
    """Returns how many whole levels of actions fit into `MAX_OUTLINE_LINES`, at least one."""
    depths = range(2, layout.num_levels)
    return max([1, *(d for d in depths if layout.level_start[d + 1] <= MAX_OUTLINE_LINES)])


def _show_table(model: PostflopModelConfig) -> None:
    """Prints the rules once and a line for the tree at each stack-to-pot ratio."""
    console = output()
    num_flops = len(model.flop_list().flops)
    flops = format_count_of(num_flops, "flop")
    console.print(f"{flops}, solve type {model.solve_type}", highlight=False)
    console.print(format_rules(model.betting_rules()), soft_wrap=True, markup=False)
    console.print()
    console.print(_table_of_trees(_trees(model), model))


def _table_of_trees(trees: Sequence[PostflopTree], model: PostflopModelConfig) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("SPR", "nodes", "decisions", "folds", "showdowns", "memory of a solve"):
        table.add_column(heading, justify="right")
    for tree in trees:
        counts = tree.counts
        table.add_row(
            format_amount(tree.stakes.spr),
            format_count(tree.num_nodes),
            format_count(sum(counts.decisions)),
            format_count(sum(counts.folds)),
            format_count(counts.showdowns + counts.all_in_showdowns),
            format_bytes(_flop_memory(tree, model).size),
        )
    return table


def _preflop_memory(tree: PreflopTree) -> _Memory:
    size = _PREFLOP_TABLES * tree.num_nodes * NUM_HANDS * _FLOAT_BYTES
    return _Memory(size, f"{format_bytes(size)} of memory to solve it")


def _flop_memory(tree: PostflopTree, model: PostflopModelConfig) -> _Memory:
    hardest = min(model.flop_list().flops, key=lambda flop: len(suit_stabilizer(flop)))
    size = int(model.make_backend().estimate(hardest, tree, 1).memory_bytes)
    each = f"of memory for each flop that is solved at a time ({model.solve_type})"
    return _Memory(size, f"{format_bytes(size)} {each}")


def _spot_memory(config: SpotConfig) -> _Memory:
    from runout.execution.local import count_cores
    from runout.postflop.spot.spot_setup import measure_spot, river_buckets

    size = measure_spot(
        spot_bundle.build_spot(config), count_cores(), config.locks, river_buckets(config)
    )
    return _Memory(size.memory_bytes[config.precision], describe_size(config, size))


def _facts(tree: AnyTree, memory: _Memory) -> Json:
    """Returns what is known of a tree, under its JSON names."""
    counts = tree.counts
    facts: dict[str, object] = {
        "kind": "preflop" if isinstance(tree, PreflopTree) else "postflop",
        "num_nodes": tree.num_nodes,
        "num_levels": tree.layout.num_levels,
        "memory_bytes": memory.size,
    }
    if isinstance(tree, PreflopTree):
        names = preflop_betting.PLAYER_NAMES
        facts |= {
            "decisions": dict(zip(names, counts.decisions, strict=True)),
            "flop_leaves": [leaf._asdict() for leaf in tree.flop_leaves()],
            "num_all_ins": tree.counts.all_ins,
        }
    else:
        names = postflop_tree.PLAYER_NAMES
        facts |= {
            "spr": tree.stakes.spr,
            "decisions": dict(zip(("flop", "turn", "river"), counts.decisions, strict=True)),
            "num_showdowns": tree.counts.showdowns + tree.counts.all_in_showdowns,
            "num_all_in_showdowns": tree.counts.all_in_showdowns,
        }
    return facts | {"folds": dict(zip(names, counts.folds, strict=True))}


def _nodes(tree: AnyTree, depth: int | None) -> list[Json]:
    """Returns the nodes down to a depth: who acts, what can be done, what is in the middle."""
    layout, is_preflop = tree.layout, isinstance(tree, PreflopTree)
    names = preflop_betting.PLAYER_NAMES if is_preflop else postflop_tree.PLAYER_NAMES
    level = layout.num_levels if depth is None else min(depth + 1, layout.num_levels)
    nodes: list[Json] = []
    for node in range(int(layout.level_start[level])):
        actor = int(layout.actor[node])
        pot = float(tree.pot_bb[node]) if isinstance(tree, PreflopTree) else tree.pot(node)
        nodes.append(
            {
                "path": tree.path(node),
                "actor": None if actor == LEAF else names[actor],
                "pot": pot,
                "actions": [tree.action_label(child) for child in layout.children(node)],
            }
        )
    return nodes
