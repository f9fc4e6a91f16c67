"""``import runout`` is instant and still offers the main job."""

import subprocess
import sys
from pathlib import Path

import pytest

import runout
from runout import version
from runout.config.load import load_config
from runout.execution.context import RunContext
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot


def test_the_main_job_is_offered_by_name():
    assert runout.solve_preflop is solve_preflop
    assert runout.solve_spot is solve_spot
    assert runout.load_config is load_config
    assert runout.RunContext is RunContext
    assert {"solve_preflop", "load_config", "RunContext", "__version__"} <= set(dir(runout))


def test_any_other_name_is_missing():
    with pytest.raises(AttributeError, match=r"'runout' has no attribute 'solve'"):
        runout.solve  # noqa: B018


def test_importing_the_package_imports_no_library():
    code = (
        "import sys; before = set(sys.modules); import runout; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "assert not new & {'numpy', 'numba', 'pydantic', 'yaml', 'rich', 'typer'}, new"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_stays_readable_for_the_build():
    text = Path(version.__file__).read_text()
    assert f'\n__version__ = "{runout.__version__}"\n' in text
