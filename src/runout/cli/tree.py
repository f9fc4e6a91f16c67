"""`runout tree`: the betting trees of a config, before anything is solved."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.isomorphism import suit_stabilizer
from runout.cli.config_files import ConfigOption, flops_of_run, load_config, load_flops_config
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import Json, format_bytes, format_count, format_count_of
from runout.cli.options import JsonFlag, OptionError, require_at_most_one, require_positive
from runout.config.postflop import PostflopModelConfig
from runout.config.run import RunConfig
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

#: An outline shows as many whole levels as fit into so many lines, unless ``--depth`` is given.
MAX_OUTLINE_LINES = 80

#: Tables of the preflop solve: regrets, sums, strategy, values, reach and expected values.
_PREFLOP_TABLES = 8
_FLOAT_BYTES = 8

app = typer.Typer(no_args_is_help=True, help="Look at betting trees before they are solved.")


@app.command("show", epilog="Example: runout tree show -c configs/postflop_smoke.yaml --spr 3.5")
def show_tree(
    config: ConfigOption,
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

    A postflop config with several stack-to-pot ratios shows a line for each; give --spr for one.
    """
    require_at_most_one({"--spr": spr is not None, "--preflop": preflop})
    require_at_most_one({"--dot": dot, "--json": json})
    require_positive("--depth", depth)
    if spr is not None and not 0.0 < spr < float("inf"):
        raise OptionError("--spr", f"{spr:g} is not a positive number")
    loaded = load_config(config)
    if isinstance(loaded, RunConfig) and spr is None:
        _show(loaded.preflop.tree, None, depth, dot, json)
        if not dot and not json and loaded.needs_flop_values and loaded.postflop_model is not None:
            output().print()
            _show_table(flops_of_run(config, loaded))
        return
    if preflop:
        raise OptionError("--preflop", f"{config} has no section preflop")
    model = _postflop_model(config, loaded)
    sprs = list(model.postflop_sprs) if spr is None else [spr]
    if len(sprs) == 1:
        tree = PostflopTree.build_with_spr(model.betting_rules(), sprs[0])
        _show(tree, model, depth, dot, json)
        return
    if dot:
        given = ", ".join(map(format_amount, sprs))
        raise OptionError("--dot", f"draws one tree, choose one by --spr ({given})")
    if json:
        print_json({"trees": [_facts(tree, model) for tree in _trees(model)]})
    else:
        _show_table(model)


def _postflop_model(path: Path, config: PostflopModelConfig | RunConfig) -> PostflopModelConfig:
    """Returns the model whose sizes a tree at one ratio is built with."""
    if isinstance(config, PostflopModelConfig):
        return config
    return config.postflop_model or load_flops_config(path)


def _trees(model: PostflopModelConfig) -> list[PostflopTree]:
    rules = model.betting_rules()
    return [PostflopTree.build_with_spr(rules, spr) for spr in sorted(model.postflop_sprs)]


def _show(
    tree: AnyTree, model: PostflopModelConfig | None, depth: int | None, dot: bool, json: bool
) -> None:
    """Prints one tree in the chosen form."""
    if dot:
        print(format_tree_dot(tree, depth))
        return
    if json:
        print_json({**_facts(tree, model), "nodes": _nodes(tree, depth)})
        return
    shown_depth = fitting_depth(tree.layout) if depth is None else depth
    console = output()
    summary = f"{format_tree_summary(tree)}\n{_describe_memory(tree, model)}"
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
            format_bytes(_memory_bytes(tree, model)),
        )
    return table


def _describe_memory(tree: AnyTree, model: PostflopModelConfig | None) -> str:
    if model is None:
        return f"{format_bytes(_memory_bytes(tree, model))} of memory to solve it"
    size = format_bytes(_memory_bytes(tree, model))
    return f"{size} of memory for each flop that is solved at a time ({model.solve_type})"


def _memory_bytes(tree: AnyTree, model: PostflopModelConfig | None) -> int:
    if model is not None and isinstance(tree, PostflopTree):
        hardest = min(model.flop_list().flops, key=lambda flop: len(suit_stabilizer(flop)))
        return int(model.make_backend().estimate(hardest, tree, 1).memory_bytes)
    return _PREFLOP_TABLES * tree.num_nodes * NUM_HANDS * _FLOAT_BYTES


def _facts(tree: AnyTree, model: PostflopModelConfig | None) -> Json:
    """Returns what is known of a tree, under its JSON names."""
    counts = tree.counts
    facts: dict[str, object] = {
        "kind": "preflop" if isinstance(tree, PreflopTree) else "postflop",
        "num_nodes": tree.num_nodes,
        "num_levels": tree.layout.num_levels,
        "memory_bytes": _memory_bytes(tree, model),
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
