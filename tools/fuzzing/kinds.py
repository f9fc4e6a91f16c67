"""All kinds of inputs."""

from tools.fuzzing.bundle_kinds import bundle_kinds
from tools.fuzzing.campaign import Kind
from tools.fuzzing.command_kinds import command_kinds
from tools.fuzzing.config_kinds import config_kinds
from tools.fuzzing.file_kinds import file_kinds
from tools.fuzzing.format_kinds import format_kinds
from tools.fuzzing.text_kinds import text_kinds


def all_kinds() -> list[Kind]:
    """Returns every kind; their shares add up to 1 but for rounding."""
    texts = [*text_kinds(), *config_kinds(), *format_kinds()]
    return [*texts, *file_kinds(), *command_kinds(), *bundle_kinds()]
