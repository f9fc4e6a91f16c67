"""What a command executes: which of our functions and files, and the way to a regret.

Runs commands of the `runout` in the path of modules, and prints a JSON document. It is a program of
its own, because it listens to every call of a process: `python tests/integration/walk.py '[["show",
"runs/smoke"]]'`. Without arguments it shows the walks of three commands for people.
"""

import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

#: The kernel with the line that updates a regret after the flop.
REGRET = "mix_and_learn"


class Walk:
    """Listens to the calls of a process."""

    def __init__(self, root, stops_at_regret):
        self.root = f"{root}{os.sep}"
        self.called, self.stack = set(), []
        self.stops_at_regret, self.is_open = stops_at_regret, False

    def hear(self, frame, event, argument):
        if event != "call" or not frame.f_code.co_filename.startswith(self.root):
            return
        code = frame.f_code
        if not code.co_name.startswith("<"):
            self.called.add((self.place(code.co_filename), code.co_qualname))
        if not self.stops_at_regret:
            return
        if code.co_name in ("visit", "iterate") and "/holdem/" in code.co_filename:
            self.open_kernels()
        elif code.co_name == REGRET and not self.stack:
            self.note_stack(frame)
            print(json.dumps(self.stack))
            sys.stdout.flush()
            os._exit(0)

    def open_kernels(self):
        """Puts Python functions in the place of compiled ones on the way to a regret."""
        if self.is_open:
            return
        self.is_open = True
        goal = [each for each in self.kernels() if plain(each).__name__ == REGRET]
        on_the_way = [each for each in self.kernels() if closure([each]) & closure(goal)]
        functions = {id(each): plain(each) for each in on_the_way}
        modules = [each for name, each in sys.modules.items() if name.startswith("runout")]
        classes = {each for module in modules for each in vars(module).values() if is_ours(each)}
        for place in (*modules, *classes):
            for key, held in list(vars(place).items()):
                thing = held.__func__ if isinstance(held, staticmethod) else held
                if id(thing) in functions:
                    function = functions[id(thing)]
                    setattr(place, key, function if thing is held else staticmethod(function))
                elif is_kernel(thing) and hasattr(thing, "plain"):
                    setattr(place, key, thing.plain)  # Python cannot call vector code

    def note_stack(self, frame):
        while frame is not None:
            if frame.f_code.co_filename.startswith(self.root):
                name = frame.f_code.co_qualname
                self.stack.append([self.place(frame.f_code.co_filename), name])
            frame = frame.f_back
        self.stack = [each for each in reversed(self.stack) if each[1] != "<module>"]

    def kernels(self):
        for module in list(sys.modules.values()):
            if (getattr(module, "__name__", "")).startswith("runout"):
                yield from (thing for thing in list(vars(module).values()) if is_kernel(thing))

    def compiled(self):
        """Returns the functions of all kernels that were compiled or loaded."""
        used = [each for each in self.kernels() if getattr(each, "is_used", False)]
        return {
            (self.place(each.__code__.co_filename), each.__qualname__) for each in closure(used)
        }

    def place(self, file):
        return Path(file).relative_to(self.root).as_posix()


def is_ours(thing):
    return inspect.isclass(thing) and thing.__module__.startswith("runout")


def is_kernel(thing):
    return inspect.isfunction(plain(thing)) and not inspect.isfunction(thing)


def plain(kernel):
    """Returns the function that is compiled; vector code has one in plain numba beside it."""
    return getattr(getattr(kernel, "plain", kernel), "py_func", None)


def closure(kernels):
    """Returns the functions of kernels and of all that they call."""
    todo, seen = list(kernels), set()
    while todo:
        function = plain(todo.pop())
        if function not in seen:
            seen.add(function)
            names, used = function.__globals__, function.__code__.co_names
            for thing in (names.get(name) for name in used):
                inside = [getattr(thing, each, None) for each in used if inspect.ismodule(thing)]
                todo.extend(filter(is_kernel, [thing, *inside]))
    return seen


def listen(commands, stops_at_regret):
    """Runs commands in this process; prints what they have executed, or the first way found."""
    import runout

    walk = Walk(Path(runout.__file__).resolve().parent, stops_at_regret)
    threading.setprofile(walk.hear)
    sys.setprofile(walk.hear)
    try:
        from runout.cli.app import main
    except ImportError:  # of an earlier commit, whose walk is compared
        from runout.cli.main import main
    for arguments in commands:
        try:
            main(arguments)
        except SystemExit as end:
            if end.code:
                raise
    sys.setprofile(None)
    threading.setprofile(None)
    print(json.dumps(sorted(walk.called | walk.compiled())))
    print(json.dumps(sorted(walk.called)))


def run(commands, *, to_regret=False, with_kernels=True):
    """Returns pairs of file and function, or class: all executed, or the stack at a regret."""
    arguments = [json.dumps([list(map(str, command)) for command in commands])]
    finished = subprocess.run(
        [sys.executable, __file__, *arguments, *(["--regret"] if to_regret else [])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    line = finished.stdout.splitlines()[-2 if with_kernels and not to_regret else -1]
    return [tuple(each) for each in json.loads(line)]


def small_smoke(directory):
    """Writes the config of `make solve` with few iterations and flops; returns where."""
    text = (Path(__file__).parents[2] / "configs" / "smoke.yaml").read_text()
    text = re.sub(r"(?m)^iterations: \d+", "iterations: 2", text)
    text, number = re.subn(r"(?m)^  flop_subset: \d+.*$", "  fixed_flops: [9s6s2s, AhAdAs]", text)
    assert number == 1
    path = Path(directory) / "smoke.yaml"
    path.write_text(text)
    return path


def show_walks():
    """Prints the figures of three commands."""
    with tempfile.TemporaryDirectory() as directory:
        smoke = ["solve-preflop", "-c", small_smoke(directory), "-o", f"{directory}/smoke"]
        river = Path(__file__).parents[2] / "configs" / "spot_river.yaml"
        spot = ["solve-spot", "-c", river, "-o", f"{directory}/river"]
        for command in (smoke, spot, ["show", f"{directory}/smoke"]):
            walked = run([command], with_kernels=False)
            files = {file for file, _ in walked}
            print(f"{command[0]}: {len(walked):,} functions in {len(files)} files")
        for command in ([*smoke, "--workers", "1", "--overwrite"], [*spot, "--overwrite"]):
            stack = run([command], to_regret=True)
            print(f"{command[0]}: {len(stack)} calls in {len(dict(stack))} files to a regret")
            print("".join(f"    {file}: {function}\n" for file, function in stack), end="")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        listen(json.loads(sys.argv[1]), "--regret" in sys.argv)
    else:
        show_walks()
