"""What typer says about a wrong command line, in our words: where, what came, what is allowed.

typer has its own copy of click and exports one of its errors. The others are told apart by their
names, which click has had for years; one that is not known here keeps its own words.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

import typer

from runout.config.section import suggest

#: The base of all errors about the command line.
USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__base__)

#: What pydantic, which reads values for typer, found wrong, and what it wanted.
_WANTED_BY_TYPE = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of this size",
    "float_parsing": "a number",
}
_UNKNOWN_COMMAND = re.compile(r"No such command (?P<quote>['\"])(?P<name>.*?)(?P=quote)")
_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<names>.*)\)")


def is_call_for_help(error: typer.BadParameter) -> bool:
    """Returns whether nothing was given where a command was expected, which shows the help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def describe_usage_error(error: typer.BadParameter) -> str:
    """Returns one line that says where the error is, what came, and what is allowed.

    Args:
        error: any `USAGE_ERROR`, though typer exports the type of one only.
    """
    match type(error).__name__:
        case "NoSuchOption":
            line = _describe_unknown_option(error)
        case "BadOptionUsage":
            line = _describe_bad_usage(error)
        case "MissingParameter":
            line = _describe_missing(error)
        case "BadParameter":
            line = _describe_bad_value(error)
        case _:
            line = _describe_other(error)
    return " ".join(line.split())


def _describe_unknown_option(error: Any) -> str:
    names = [
        option
        for parameter in error.ctx.command.get_params(error.ctx)
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    ]
    allowed = _allowed(error.option_name, names)
    return f"{error.option_name}: is no option of {error.ctx.command_path}{allowed}"


def _describe_bad_usage(error: Any) -> str:
    problem = error.format_message().removeprefix(f"Option {error.option_name!r} ")
    if problem == "requires an argument.":
        problem = "comes without a value, but needs one"
    elif problem == "does not take a value.":
        problem = "comes with a value, but takes none"
    return f"{error.option_name}: {problem}"


def _describe_missing(error: Any) -> str:
    parameter, command = error.param, error.ctx.command_path
    where = _name_of(parameter)
    if parameter.param_type_name == "option":
        return f"{where}: is missing, {command} needs {where} {parameter.metavar or 'VALUE'}"
    return f"{where}: is missing, {command} needs {_arguments_of(error.ctx)}"


def _describe_bad_value(error: Any) -> str:
    where = "value" if error.param is None else _name_of(error.param)
    problem = error.message.removeprefix("Value error, ").removesuffix(".")
    # What came is not in typer's message, but in the error of pydantic behind it.
    details: list[Mapping[str, Any]] = getattr(error.__cause__, "errors", list)()
    wanted = _WANTED_BY_TYPE.get(details[0]["type"]) if details else None
    if wanted is not None:
        problem = f"{details[0]['input']!r} is not {wanted}"
    return f"{where}: {problem}"


def _describe_other(error: Any) -> str:
    where = "command line" if error.ctx is None else error.ctx.command_path
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
