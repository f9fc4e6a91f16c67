"""The commands of `runout.cli.app` as a typer program, and what errors say.

An error that the user can mend is one line on stderr and exit code 2; Ctrl-C is one line and exit
code 130; anything else is a defect of ours and keeps its traceback.

typer has its own copy of click and exports one of its errors. The others are recognized by their
names, which click has had for years; one that is not known here keeps its own words.
"""

import errno
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from rich.markup import escape
from typer.core import TyperGroup
from typer.main import get_group

from runout.cli import app as start
from runout.cli.console import print_error, print_note
from runout.errors import RunoutError, suggest

#: The base of all errors about the command line.
USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__base__)

#: What pydantic, which reads values for typer, found wrong, and what it wanted.
_WANTED_BY_TYPE = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of this size",
    "float_parsing": "a number",
}
#: Lines of words that mean the same, as options or as commands.
_SAME_MEANING = """\
output out save dir destination write-to
workers threads jobs cores cpus processes num-workers
overwrite force replace
max-iterations iterations iters steps
max-seconds seconds timeout time time-limit
target accuracy exploitability tolerance nash
bets bet bet-size bet-sizes sizes
raises raise raise-size raise-sizes
max-raises raise-cap cap
stack stacks effective-stack eff-stack
board flop turn river cards
hand hands combo holding hero trace
player position seat who
node path line action history
oop hero sb range1
ip villain btn range2
versus vs against villain
from run solution
config file yaml settings
plot png picture chart
json format
show view open print display cat inspect
explore gui web browse browser ui serve
equity odds eq winrate compare
solve-spot solve-flop solve-turn solve-river solve-postflop-spot run
solve-preflop preflop solve-game
"""
#: More options or commands than these are left to the help.
_MAX_LISTED = 12
_UNKNOWN_COMMAND = re.compile(r"No such command (?P<quote>['\"])(?P<name>.*?)(?P=quote)")
_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<names>.*)\)")


def describe_usage_error(error: Any) -> str:
    """Returns one line that says where a `USAGE_ERROR` is, what came, and what is allowed."""
    context = error.ctx
    where = "command line" if context is None else context.command_path
    parameters = [] if context is None else context.command.get_params(context)
    named = {_name_of(found): found for found in parameters}
    arguments = [name for name, p in named.items() if p.param_type_name == "argument"]
    taken = " ".join(arguments) or "options only"
    match type(error).__name__:
        case "NoSuchOption":
            bare = error.option_name.lstrip("-").upper()
            given = [p for p in parameters if p.param_type_name == "option"]
            names = [o for p in given for o in (*p.opts, *p.secondary_opts) if o.startswith("--")]
            allowed = _describe_allowed(error.option_name, names, f"{where} --help")
            if bare in (name.strip("[].") for name in arguments):
                allowed = f", give {bare} without a name: {where} {taken}"
            line = f"{error.option_name}: not an option of {where}{allowed}"
        case "BadOptionUsage":
            problem = error.format_message().removeprefix(f"Option {error.option_name!r} ")
            line = f"{error.option_name}: {problem.removesuffix('.')}"
        case "MissingParameter":
            name = _name_of(error.param)
            needed = taken if name in arguments else f"{name} {error.param.metavar or 'VALUE'}"
            line = f"{name}: is missing, {where} needs {needed}"
        case "BadParameter":
            problem = error.message.removeprefix("Value error, ").removesuffix(".")
            # What came is not in typer's message, but in the error of pydantic behind it.
            details: list[Mapping[str, Any]] = getattr(error.__cause__, "errors", list)()
            if details and (wanted := _WANTED_BY_TYPE.get(details[0]["type"])) is not None:
                problem = f"{details[0]['input']!r} is not {wanted}"
            line = f"{'value' if error.param is None else _name_of(error.param)}: {problem}"
        case _:
            line = _describe_other(error, where, taken)
    return " ".join(line.split())


def _describe_other(error: Any, where: str, taken: str) -> str:
    group = getattr(error.ctx, "command", None)
    names = group.list_commands(error.ctx) if isinstance(group, TyperGroup) else []
    if found := _UNKNOWN_COMMAND.match(error.message):
        retired = f"{where} {found['name']}".removeprefix("runout ")
        if retired in start.RETIRED:
            return f"{retired}: was replaced, use {start.RETIRED[retired]}"
        allowed = _describe_allowed(found["name"], names, "runout help --all")
        return f"{found['name']!r}: not a command of {where}{allowed}"
    if found := _EXTRA_ARGUMENTS.match(error.message):
        return f"{found['names']!r}: too many arguments, {where} takes {taken}"
    return f"{where}: {error.format_message()}"


def _describe_allowed(word: str, names: list[str], place: str) -> str:
    """Returns what a wrong word probably means, what is allowed, or where that is listed."""
    listed = f", allowed are {', '.join(names)}" if len(names) <= _MAX_LISTED else f", see {place}"
    return _suggest(word, names) or listed


def _suggest(word: str, choices: list[str]) -> str:
    """Returns ``, did you mean ...?`` with a choice that means or looks the same, or nothing."""
    bare = {choice.lstrip("-"): choice for choice in choices}
    for line in _SAME_MEANING.splitlines():
        if word.lstrip("-").lower() in (same := line.split()):
            for found in (name for name in same if name in bare):
                return f", did you mean {bare[found]}?"
    return suggest(word, choices, cutoff=0.6)


def _name_of(parameter: Any) -> str:
    """Returns the name that users write: that of an option in full, or an argument's metavar."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turns what the user caused into one line and an exit code."""
    try:
        try:
            yield
        finally:  # while errors can be told; Python's end has its own words
            if sys.stdout is not None:
                sys.stdout.flush()
    except (RunoutError, USAGE_ERROR, MemoryError, OSError) as error:
        if (line := describe_error(error)) is None:
            raise
        print_error(line)
        raise typer.Exit(start.EXIT_USER_ERROR) from None
    except KeyboardInterrupt as interrupt:
        print_note(str(interrupt) or "interrupted")
        raise typer.Exit(start.EXIT_INTERRUPTED) from None


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
        case FileNotFoundError(filename=None):
            return "working directory: was removed, change to one that exists"
        case OSError():
            reason = error.strerror or str(error) or type(error).__name__
            if "shared object" in reason:
                return f"memory: {reason.split('. ')[0]}; allow more (ulimit -v)"
            return f"{'output' if error.filename is None else error.filename}: {reason}"
    # Nothing given where a command was expected shows the help.
    is_call_for_help = type(error).__name__ == "NoArgsIsHelpError"
    return None if is_call_for_help else describe_usage_error(error)


class _Program(TyperGroup):
    """Reads the command line, imports a command and runs it, with errors of one line."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in start.COMMANDS if " " not in name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands.get(cmd_name)

    def get_help(self, ctx: Any) -> str:
        return start.first_screen()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _one_line_errors():
            if (answer := start.answer_at_once(args)) is not None:
                typer.echo(answer)
                raise typer.Exit
            if args[:1] == ["help"]:
                args = [*args[1:], "--help"]
            rest = super().parse_args(ctx, args)
        ctx.with_resource(_one_line_errors())  # until the command has ended
        return rest


def _load(name: str) -> Any:
    """Returns a command or a group of them for typer, after importing its functions."""
    holder = typer.Typer()
    if members := [member for member in start.COMMANDS if member.startswith(f"{name} ")]:
        group = typer.Typer(no_args_is_help=True, help=start.COMMANDS[name].help)
        for member in members:
            _add_command(group, member)
        holder.add_typer(group, name=name)
    else:
        _add_command(holder, name)
    return get_group(holder).commands[name]


def _add_command(holder: typer.Typer, name: str) -> None:
    _, _, place, _, examples = start.COMMANDS[name]
    module, function = place.split(".")
    example = " ; ".join(f"runout {name} {arguments}" for arguments in examples)
    add = holder.command(name.rpartition(" ")[2], epilog=f"Example: {escape(example)}")
    add(getattr(import_module(f"runout.cli.{module}"), function))


app = typer.Typer(
    name="runout",
    cls=_Program,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def describe_program(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Heads-up no-limit hold'em: exact equities, ranges, flops, buckets and solved games.

    `runout.cli.app` answers ``--version`` itself; here the option is listed and suggested.
    """
