"""Tests of `runout.cli.tools`."""

import json
import os
import re
from pathlib import Path

import pytest

import runout
from runout.cards.deck import parse_cards
from runout.cards.evaluator import evaluate
from runout.cli import tools as warmup
from runout.cli.tools import MAX_OUTLINE_LINES, fitting_depth
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.solutions.preflop import load_solution
from runout.trees.describe import format_tree, format_tree_summary
from runout.trees.tree import PostflopTree
from tests.samples.solve_configs import (
    FLOPS,
    LIMPS,
    PUSH_FOLD,
    RAW_EQUITY,
    SAMPLED_FLOPS,
    write_config,
)


@pytest.fixture
def show(run, tmp_path):
    """Shows the tree of a config text."""

    def invoke(text, *options):
        result = run("tree", "show", "-c", write_config(tmp_path, text), *options)
        assert result.exit_code == 0
        return result

    return invoke


def postflop_tree(spr):
    return PostflopTree.build(parse_config(FLOPS, FlopsConfig).betting_rules(), spr)


def test_a_run_shows_its_preflop_tree_and_a_line_for_each_flop_tree(show):
    text = show(LIMPS).stdout
    tree = parse_config(LIMPS, RunConfig).preflop.tree
    assert text.startswith(format_tree_summary(tree))
    assert format_tree(tree) in text
    assert "of memory to solve it" in text
    table = text.partition("1 flop, solve type exhaustive (169 hands)")[2].splitlines()
    sprs = [float(line.split()[0]) for line in table[-len(set(map(float, sprs_of(tree)))) :]]
    assert sprs == sorted(set(map(float, sprs_of(tree))))


def sprs_of(tree):
    return [f"{leaf.spr:.3f}" for leaf in tree.flop_leaves()]


@pytest.mark.parametrize("text", [PUSH_FOLD, RAW_EQUITY])
def test_a_run_that_solves_no_flop_shows_none(show, text):
    assert "solve type" not in show(text).stdout


def test_several_ratios_are_a_line_each(show):
    lines = show(FLOPS).stdout.splitlines()
    assert lines[0] == "2 flops, solve type exhaustive (169 hands)"
    assert lines[-3].split()[:2] == ["SPR", "nodes"]
    for line, spr in zip(lines[-2:], (1.0, 2.0), strict=True):
        tree = postflop_tree(spr)
        numbers = [f"{spr:g}", tree.num_nodes, sum(tree.counts.decisions), sum(tree.counts.folds)]
        assert line.split()[:4] == [str(number) for number in numbers]
        assert line.split()[-1] in ("kB", "MB")


def test_a_ratio_shows_the_tree_and_the_memory_of_a_flop(show):
    result = show(FLOPS, "--spr", "2", "--depth", "2")
    tree = postflop_tree(2.0)
    assert result.stdout.startswith(format_tree_summary(tree))
    assert (
        "of memory for each flop that is solved at a time, exhaustive (169 hands)" in result.stdout
    )
    assert result.stdout.endswith(format_tree(tree, 2) + "\n")
    assert result.stderr == ""


def test_a_config_with_one_ratio_needs_no_option(show):
    one = FLOPS.replace("[1.0, 2.0]", "2.0")
    assert show(one).stdout.startswith(format_tree_summary(postflop_tree(2.0)))


def test_a_large_tree_is_cut_where_it_fits_and_says_so(show):
    large = FLOPS.replace("max_raises_per_street: 0", "max_raises_per_street: 3")
    result = show(large, "--spr", "20")
    assert len(result.stdout.partition("\n\n")[2].splitlines()) <= MAX_OUTLINE_LINES
    assert result.stderr.startswith("shown to depth ")


def test_the_fitting_depth_is_the_deepest_that_fits():
    small, large = postflop_tree(0.5).layout, postflop_tree(50.0).layout
    assert fitting_depth(small) == small.num_levels - 1
    depth = fitting_depth(large)
    assert large.level_start[depth + 1] <= MAX_OUTLINE_LINES < large.level_start[depth + 2]


def test_a_run_shows_postflop_trees_at_any_ratio(show):
    assert "SPR 7.5" in show(LIMPS, "--spr", "7.5").stdout


def test_json_has_every_node_of_a_tree(show):
    document = json.loads(show(PUSH_FOLD, "--json").stdout)
    assert document["kind"] == "preflop"
    assert [node["path"] for node in document["nodes"]] == ["", "f", "a", "a:f", "a:c"]
    assert document["nodes"][0]["actions"] == ["fold", "all-in 10"]
    assert document["nodes"][1]["actor"] is None
    document = json.loads(show(FLOPS, "--json", "--spr", "1", "--depth", "1").stdout)
    assert document["spr"] == 1.0
    assert len(document["nodes"]) == 1 + len(document["nodes"][0]["actions"])


def test_json_of_several_ratios_has_all_trees(show):
    trees = json.loads(show(FLOPS, "--json").stdout)["trees"]
    assert [tree["spr"] for tree in trees] == [1.0, 2.0]
    assert [tree["num_nodes"] for tree in trees] == [postflop_tree(s).num_nodes for s in (1, 2)]


@pytest.mark.parametrize(
    ("text", "options", "line"),
    [
        (FLOPS, ["--spr", "0"], "--spr: 0 is not a positive number"),
        (FLOPS, ["--depth", "0"], "--depth: 0 is not a positive number"),
        (PUSH_FOLD, ["--spr", "1"], "has no section postflop_model"),
        (FLOPS.replace("[1.0]", "[-1.0]"), [], "postflop_model.bet_sizes[0]: "),
        (PUSH_FOLD.replace("10", "-10"), [], "preflop.stacks_bb: "),
        (FLOPS.replace("[1.0, 2.0]", "auto"), [], "postflop_model.postflop_sprs: 'auto' needs"),
        ("iterations: 3\n", [], "preflop is missing"),
        ("[", [], "is not YAML"),
    ],
)
def test_what_cannot_be_shown_is_one_line(error_line, tmp_path, text, options, line):
    config = write_config(tmp_path, text)
    assert line in error_line("tree", "show", "-c", config, *options)


def test_a_missing_file_is_named(error_line):
    assert error_line("tree", "show", "-c", "nothing.yaml") == "nothing.yaml: no such file"


def test_looking_at_a_tree_compiles_no_kernel(run_program, tmp_path):
    """Only the probe that tells whether vector code can be written is compiled, once."""
    config = write_config(tmp_path, FLOPS)
    cache = tmp_path / "cache"
    assert run_program("tree", "show", "-c", config, RUNOUT_CACHE=str(cache)).returncode == 0
    assert not [path for path in cache.rglob("*.nbi") if "._probe-" not in path.name]


SPOT = "board: QsJh2h8c\noop: AA,QQ,JTs\nip: KK,T9s\npot: 20\nstack: 60\nbet_sizes: 50%\n"


def test_a_spot_shows_its_tree_its_size_and_its_memory(show):
    text = show(SPOT).stdout
    tree = parse_config(SPOT, SpotConfig).tree()
    assert text.startswith(format_tree_summary(tree))
    assert "QsJh2h8c: " in text
    assert "memory: " in text
    assert format_tree(tree, 2).splitlines()[1] in text
    document = json.loads(show(SPOT, "--json").stdout)
    assert (document["num_nodes"], document["kind"]) == (tree.num_nodes, "postflop")
    assert document["memory_bytes"] > 0


def test_a_solved_spot_shows_the_tree_of_its_config(run, spot):
    text = run("tree", "show", "-c", spot, "--depth", "1").stdout
    assert text.startswith("turn pot 20, effective stack 60 (chips), SPR 3\n")
    assert "  OOP bet 50% (10)" in text


def test_a_spot_has_one_tree(error_line, spot, tmp_path):
    expected = f"{spot} is a spot, which has one tree"
    assert error_line("tree", "show", "-c", spot, "--spr", "2") == f"--spr: {expected}"
    missing = error_line("tree", "show", "-c", str(tmp_path))
    assert missing.startswith(str(tmp_path))


def test_a_solved_run_shows_the_tree_of_its_config(run, solved):
    text = run("tree", "show", "-c", str(solved)).stdout
    assert text.startswith(format_tree_summary(load_solution(solved).tree))


PACKAGE = Path(runout.__file__).parent
WARM_UP_AND_LIST_KERNELS = """
import json
from runout.cli.tools import run_small_jobs
from runout.execution.context import RunContext
from runout.jit import loaded_kernels
run_small_jobs(RunContext(1))
print(json.dumps({name: kernel.is_used for name, kernel in loaded_kernels().items()}))
"""

needs_jit = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"
)


def test_every_kernel_module_is_imported(run_python):
    code = "import sys; from runout.cli.tools import small_jobs; small_jobs(); print(*sys.modules)"
    imported = run_python(code).stdout.split()
    for path in PACKAGE.rglob("*_kernels.py"):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        is_imported = module in imported
        assert is_imported, f"add a job that calls the kernels of {module} to `small_jobs`"


@needs_jit
def test_every_kernel_is_called_by_a_job_or_a_kernel(run_python):
    """A cached kernel brings the kernels that it calls along, which then are not used."""
    is_used = json.loads(run_python(WARM_UP_AND_LIST_KERNELS).stdout)
    assert is_used
    source = "".join(path.read_text() for path in PACKAGE.rglob("*_kernels.py"))
    for name, used in is_used.items():
        calls = re.findall(rf"(?<!def )\b{name.rpartition('.')[2]}\(", source)
        assert used or calls, f"add a job that calls {name} to `small_jobs`"


@needs_jit
@pytest.mark.slow
def test_a_fresh_cache_is_filled_once_and_by_every_kernel(run_program, run_python, tmp_path):
    """One test for one fresh cache, which two processes take minutes to fill."""
    first = run_program("warmup", "-w", "2", "--json", RUNOUT_CACHE=str(tmp_path))
    document = json.loads(first.stdout)
    assert document["num_compiled"] == document["num_kernels"] > 50
    assert document["cache_directory"] == str(tmp_path)
    assert first.stderr.splitlines()[0].startswith("kernels: ")

    second = run_program("warmup", "-w", "1", "--json", RUNOUT_CACHE=str(tmp_path))
    assert "compiling" not in second.stderr
    assert json.loads(second.stdout)["num_compiled"] == 0

    # The longest real work there is; the small jobs must have met the types that it uses.
    external = SAMPLED_FLOPS + "  mccfr_sampling: external\n  value_extraction_samples: 9\n"
    configs = {"sampled": SAMPLED_FLOPS, "external": external, "limps": LIMPS}
    for name, text in configs.items():
        write_config(tmp_path, text, name)
    for work in (
        f"abstraction build -o {tmp_path}/buckets",
        f"solve-postflop -c {tmp_path}/sampled -o {tmp_path}/values",
        f"solve-postflop -c {tmp_path}/external -o {tmp_path}/values --overwrite",
        f"solve-preflop -c {tmp_path}/limps -o {tmp_path}/run",
        *(
            f"solve-spot -b {board} --oop AA,QQ,JTs --ip KK,T9s --pot 20 --stack 60 --max-raises 1 "
            f"--rake 0.01 --max-iterations 20 -o {tmp_path}/{board}"
            for board in ("QsJh2h8c3d", "QsJh2h8c", "QsJh2h")
        ),
        f"show {tmp_path}/QsJh2h --node x:x:8h:x:x:8c",
    ):
        result = run_program(*work.split(), RUNOUT_CACHE=str(tmp_path))
        assert result.returncode == 0
        assert "compiling" not in result.stderr


@needs_jit
def test_a_second_run_says_that_all_was_cached(run, monkeypatch):
    one_job = [lambda: evaluate(parse_cards("AhKhQhJhTh"))]
    monkeypatch.setattr(warmup, "small_jobs", lambda: one_job)
    run("warmup", "-w", "1")
    assert "all cached already" in run("warmup", "-w", "1").stdout


def fail():
    raise TypeError("unsupported")


def test_a_job_that_fails_is_told(run, monkeypatch):
    monkeypatch.setattr(warmup, "small_jobs", lambda: [fail])
    with pytest.raises(TypeError, match="unsupported"):
        run("warmup", "-w", "1")


def test_jobs_are_shared_out_to_processes(run, monkeypatch):
    """The processes have the jobs of the program, of which this one asks for two."""
    monkeypatch.setattr(warmup, "small_jobs", lambda: [fail, fail])
    assert " kernels: " in run("warmup", "-w", "2").stdout


def test_a_cache_that_cannot_be_written_is_an_error(run_program):
    result = run_program("warmup", RUNOUT_CACHE="/dev/null/cache")
    assert result.returncode == 2
    assert result.stderr == "error: /dev/null/cache: cannot be used (Not a directory)\n"
