"""The folders of the bundles in the directory of a run, or of a report over flops."""

from pathlib import Path

from runout.storage.manifest import MANIFEST_FILE

SOLUTION_FOLDER = "preflop"
VALUES_FOLDER = "values"
FLOPS_FOLDER = "flops"
CHECKPOINT_FOLDER = "checkpoints"

LEDGER_FOLDER = "ledger"
REPORT_FOLDER = "report"
LINES_FOLDER = "lines"
SPOTS_FOLDER = "spots"


def find_bundle(path: Path, folder: str) -> Path:
    """Returns where the bundle of a folder is, if the path is a run's directory, or else the path.

    Whether there is a bundle at all is found out when it is opened.
    """
    inside = path / folder
    is_run = (inside / MANIFEST_FILE).exists() and not (path / MANIFEST_FILE).exists()
    return inside if is_run else path


#: In the folder of checkpoints, where an unfinished joint solve stands.
JOINT_FOLDER = "joint"
