"""`python -m tests.chaos`: the campaign; it tells its counts, or fails at the first loss."""

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.chaos import disasters
from tests.chaos.children import fast_place
from tests.chaos.jobs import JOBS
from tests.chaos.kills import Count, Killer, Quiet, run_quietly

_ROW = "{:34} {:>8} {:>8} {:>16}"
_TITLES = {
    disasters.fill_disk: "full disk (no file may grow)",
    disasters.fill_small_disk: "full disk (small tmpfs)",
    disasters.forbid_writing: "read-only directory",
    disasters.start_twice: "two processes on one directory",
    disasters.spoil_cache: "cache deleted or full of rubbish",
}

Disaster = Callable[[dict[str, Quiet], Path, random.Random], None]


def main() -> None:
    """Runs the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="SIGKILLs in all, at least")
    parser.add_argument("--disasters", type=int, default=20, help="of each kind")
    parser.add_argument("--caches", type=int, default=6, help="caches that are spoilt")
    parser.add_argument("--replacements", type=int, default=5000, help="of a bundle, in two ways")
    parser.add_argument("--at-files", action="store_true", help="kill before file events only")
    parser.add_argument("--without-mounts", action="store_true", help="mount no file systems")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="runout-chaos-", dir=fast_place()) as place:
        directory = Path(place) / "run"
        quiet = {job.name: run_quietly(job, directory) for job in JOBS}
        print(f"{len(quiet)} jobs ran undisturbed, {time.monotonic() - started:.0f} s", flush=True)
        by_time = 0.0 if options.at_files else 0.5
        _kill(options.kills, Killer(directory, rng, by_time), quiet)
        kinds = {
            disasters.fill_disk: options.disasters,
            disasters.start_twice: options.disasters,
            disasters.spoil_cache: options.caches,
        }
        if not options.without_mounts and disasters.can_mount(Path(place) / "disk"):
            kinds |= dict.fromkeys(
                (disasters.fill_small_disk, disasters.forbid_writing), options.disasters
            )
        _run_disasters(kinds, quiet, directory, rng)
        for can_exchange in (True, False):
            reads = disasters.replace_under_readers(
                options.replacements // 2, Path(place) / "readers", can_exchange
            )
            how = "exchange of names" if can_exchange else "two renames"
            number = f"{options.replacements // 2:,}"
            print(f"{number} replacements by {how}: {reads:,} reads, all whole", flush=True)
    print(f"nothing lost, nothing computed twice, {time.monotonic() - started:.0f} s", flush=True)


def _kill(num_kills: int, killer: Killer, quiet: dict[str, Quiet]) -> None:
    """Kills every command equally often, about."""
    counts = {job.name: Count() for job in JOBS}
    for job in JOBS:
        while counts[job.name].kills < num_kills / len(JOBS):
            killer.kill_until_done(job, quiet[job.name], counts[job.name])
    print(_ROW.format("command", "kills", "runs", "went on from"))
    for name, count in counts.items():
        print(_ROW.format(name, count.kills, count.runs, count.went_on), flush=True)
    total = [sum(getattr(count, name) for count in counts.values()) for name in ("kills", "runs")]
    print(_ROW.format("all", *total, sum(count.went_on for count in counts.values())), flush=True)


def _run_disasters(
    kinds: dict[Disaster, int], quiet: dict[str, Quiet], directory: Path, rng: random.Random
) -> None:
    for disaster, times in kinds.items():
        for _ in range(times):
            disaster(quiet, directory, rng)
        print(f"{_TITLES[disaster]}: {times} times", flush=True)


if __name__ == "__main__":
    main()
