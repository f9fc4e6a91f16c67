"""Looking at solutions compiles nothing: no module here may import numba, nor a solver."""

import subprocess
import sys
from pathlib import Path

import runout.solutions


def test_no_module_of_solutions_imports_numba():
    names = sorted(path.stem for path in Path(runout.solutions.__path__[0]).glob("*.py"))
    imports = "; ".join(f"import runout.solutions.{name}" for name in names if name != "__init__")
    code = f"{imports}; import sys; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_sheets_import_nothing_heavy():
    code = "import runout.solutions.sheet, sys; print({'numpy', 'rich'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
