"""The `runout` program: where it starts and ends, its commands, and what errors say.

A command is imported when it is asked for: all of them together take longer than a small answer.
An error that the user can mend is one line on stderr and exit code 2; Ctrl-C is one line and exit
code 130; anything else is a defect of ours and keeps its traceback.

typer has its own copy of click and exports one of its errors. The others are told apart by their
names, which click has had for years; one that is not known here keeps its own words.
"""

import atexit
import errno
import gc
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, cast

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130

try:  # takes a noticeable moment
    import typer
    from typer.core import TyperGroup
    from typer.main import get_group

    from runout.cli.console import print_error, print_note
    from runout.errors import RunoutError, suggest
    from runout.version import __version__
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
    sys.exit(EXIT_INTERRUPTED)

#: New objects until Python looks for garbage again: most of what a start makes are modules, which
#: stay, and to look through them every 700 objects takes a sixth of the time of a small answer.
_OBJECTS_PER_COLLECTION = 10_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program and exits.

    Args:
        arguments: what follows the program's name; by default what the shell passed.
    """
    atexit.register(gc.freeze)  # what there is at the end goes with the process
    try:
        with running_as_program():
            app(arguments, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


@contextmanager
def running_as_program() -> Iterator[None]:
    """Makes SIGTERM do what Ctrl-C does, and collects garbage rarely.

    Batch systems and shutdowns send SIGTERM, and work is saved.
    """

    def pass_on(signal_number: int, frame: Any) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal_number, frame)
        else:  # a shell's background job is deaf to Ctrl-C
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    threshold, handler = gc.get_threshold(), signal.signal(signal.SIGTERM, pass_on)
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        signal.signal(signal.SIGTERM, handler)


#: The base of all errors about the command line.
USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__base__)

#: What pydantic, which reads values for typer, found wrong, and what it wanted.
_WANTED_BY_TYPE = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of this size",
    "float_parsing": "a number",
}
#: The same of click, which looks at options.
_PROBLEMS = {
    "requires an argument.": "comes without a value, but needs one",
    "does not take a value.": "comes with a value, but takes none",
}
_UNKNOWN_COMMAND = re.compile(r"No such command (?P<quote>['\"])(?P<name>.*?)(?P=quote)")
_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<names>.*)\)")


def describe_usage_error(error: Any) -> str:
    """Returns one line that says where a `USAGE_ERROR` is, what came, and what is allowed."""
    context = error.ctx
    where = "command line" if context is None else context.command_path
    match type(error).__name__:
        case "NoSuchOption":
            names = [
                option
                for parameter in context.command.get_params(context)
                if parameter.param_type_name == "option"
                for option in (*parameter.opts, *parameter.secondary_opts)
                if option.startswith("--")
            ]
            name = error.option_name
            line = f"{name}: is no option of {where}{_allowed(name, names)}"
        case "BadOptionUsage":
            problem = error.format_message().removeprefix(f"Option {error.option_name!r} ")
            line = f"{error.option_name}: {_PROBLEMS.get(problem, problem)}"
        case "MissingParameter":
            parameter, name = error.param, _name_of(error.param)
            is_option = parameter.param_type_name == "option"
            option = f"{name} {parameter.metavar or 'VALUE'}"
            needed = option if is_option else _arguments_of(context)
            line = f"{name}: is missing, {where} needs {needed}"
        case "BadParameter":
            line = _describe_bad_value(error)
        case _:
            line = _describe_other(error, where)
    return " ".join(line.split())


def _describe_bad_value(error: Any) -> str:
    where = "value" if error.param is None else _name_of(error.param)
    problem = error.message.removeprefix("Value error, ").removesuffix(".")
    # What came is not in typer's message, but in the error of pydantic behind it.
    details: list[Mapping[str, Any]] = getattr(error.__cause__, "errors", list)()
    wanted = _WANTED_BY_TYPE.get(details[0]["type"]) if details else None
    if wanted is not None:
        problem = f"{details[0]['input']!r} is not {wanted}"
    return f"{where}: {problem}"


def _describe_other(error: Any, where: str) -> str:
    if found := _UNKNOWN_COMMAND.match(error.message):
        name, names = found["name"], error.ctx.command.list_commands(error.ctx)
        return f"{name!r}: is no command of {where}{_allowed(name, names)}"
    if found := _EXTRA_ARGUMENTS.match(error.message):
        return f"{found['names']!r}: is too much, {where} takes {_arguments_of(error.ctx)}"
    if error.message == "Missing command.":
        names = ", ".join(error.ctx.command.list_commands(error.ctx))
        return f"{where}: a command is missing, allowed are {names}"
    return f"{where}: {error.format_message()}"


def _allowed(name: str, names: list[str]) -> str:
    return suggest(name, names) or f", allowed are {', '.join(names)}"


def _name_of(parameter: Any) -> str:
    """Returns the name that users write: that of an option in full, or an argument's metavar."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _arguments_of(context: Any) -> str:
    parameters = context.command.get_params(context)
    arguments = [_name_of(found) for found in parameters if found.param_type_name == "argument"]
    return " ".join(arguments) or "options only"


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turns what the user caused into one line and an exit code."""
    try:
        yield
        if sys.stdout is not None:  # while errors can be told; Python's end has its own words
            sys.stdout.flush()
    except (RunoutError, USAGE_ERROR, MemoryError, OSError) as error:
        if (line := describe_error(error)) is None:
            raise
        print_error(line)
        raise typer.Exit(EXIT_USER_ERROR) from None
    except KeyboardInterrupt as interrupt:
        print_note(str(interrupt) or "interrupted")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def describe_error(error: Exception) -> str | None:
    """Returns what the user has to know, None where typer ends without a word or shows help.

    A system error without a file is about stdout, or about a library that cannot be loaded.
    """
    match error:
        case RunoutError():
            return str(error)
        case MemoryError():
            what = str(error) or "the system gives no more"
            return f"memory: {what}; free some, allow more (ulimit -v), or ask for less"
        case OSError(errno=errno.EPIPE):  # nobody reads the output any more
            return None
        case OSError():
            reason = error.strerror or str(error) or type(error).__name__
            if "shared object" in reason:
                return f"memory: {reason.split('. ')[0]}; allow more (ulimit -v)"
            return f"{'output' if error.filename is None else error.filename}: {reason}"
    # Nothing given where a command was expected shows the help.
    is_call_for_help = type(error).__name__ == "NoArgsIsHelpError"
    return None if is_call_for_help else describe_usage_error(error)


#: Where each command is: the module of `runout.cli`, the function, whose docstring is the help,
#: and the arguments of the example that its help ends with.
_COMMANDS = {
    "equity": ("equity", "show_equity", '"22+,AKs:0.5" KK --board Ah7s2c'),
    "flop-equity": ("equity", "show_flop_equity", "AhKsQd --versus QQ"),
    # The earliest group wins, so the weight of AKs comes before the group that names AKs as well.
    "range": ("equity", "show_range", '"AKs:0.5,A2s+,22+,KTo-K8o"'),
    "flops": ("equity", "list_flops", "--random 25 --seed 7 --format csv"),
    "eval": ("equity", "show_strength", "AhKhQhJhTh2c3d"),
    "strength": ("equity", "show_hand_strength", "--board AhKsQd --hand JcTc"),
    "solve-postflop": ("solve", "solve_flops", "-c configs/postflop_smoke.yaml -o runs/smoke"),
    "solve-preflop": ("solve", "solve_game", "-c configs/pushfold_10bb.yaml -o runs/pushfold"),
    "solve-spot": ("solve", "solve_spot", "-c configs/spot_river.yaml -o runs/river"),
    "report": (
        "report",
        "report_flops",
        "-c configs/report_srp.yaml --flops 25 -o runs/srp ; "
        "runout report runs/srp --line x --where suits=monotone --sort b18",
    ),
    "show": (
        "show",
        "show_solution",
        "runs/pushfold --node a ; runout show runs/pushfold --node a "
        '--range "22+,A2s+" --show ev ; runout show runs/smoke --node r2 --compare c',
    ),
    "ranges": ("show", "show_ranges", "runs/pushfold --node a-c --player bb"),
    "export": ("show", "export_solution", "runs/pushfold --format csv -o pushfold.csv"),
    "trace-hand": ("show", "trace_hand", "runs/pushfold A5s"),
    "values": ("inspect", "show_values", "runs/smoke --flop AhKsQd --hero AA -v KK"),
    "diag-buckets": (
        "buckets",
        "diagnose_buckets",
        "-c configs/postflop_bucketed.yaml --flop AhKd7s",
    ),
    "inspect": ("inspect", "inspect_bundles", "runs/smoke --flops"),
    "explore": ("explore", "explore", "runs --no-browser"),
    "export-site": ("explore", "export_site", "runs -o site"),
    "warmup": ("tools", "compile_kernels", ""),
}
#: Groups of commands: the module of `runout.cli`, and the name of their app there.
_GROUPS = {
    "abstraction": ("buckets", "app"),
    "spot": ("spot", "app"),
    "lab": ("lab", "app"),
    "tree": ("tools", "tree_app"),
    "table": ("tools", "table_app"),
}


def _load_command(name: str) -> Any:
    """Imports a command or a group of commands."""
    holder = typer.Typer()
    if name in _GROUPS:
        module, app_name = _GROUPS[name]
        holder.add_typer(getattr(import_module(f"runout.cli.{module}"), app_name), name=name)
    else:
        module, function, example = _COMMANDS[name]
        command = getattr(import_module(f"runout.cli.{module}"), function)
        holder.command(name, epilog=f"Example: runout {name} {example}".strip())(command)
    return get_group(holder).commands[name]


class _Program(TyperGroup):
    """Reads the command line, imports a command and runs it, with errors of one line."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_COMMANDS, *_GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _load_command(cmd_name)
        return self.commands[cmd_name]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _one_line_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _one_line_errors():
            return super().invoke(ctx)


app = typer.Typer(
    name="runout",
    cls=_Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: runout equity AA KK",
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"runout {__version__}")
        raise typer.Exit


@app.callback()
def describe_program(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Heads-up no-limit hold'em: exact equities, ranges, flops, buckets and solved games."""
