"""Where the bundles of a run are."""

from runout.results.run_folders import SOLUTION_FOLDER, find_bundle
from runout.storage.writer import write_bundle


def test_a_run_has_its_bundles_in_folders(tmp_path):
    inside = tmp_path / SOLUTION_FOLDER
    write_bundle(inside, kind="x", schema_version=1, package_version="0", arrays={})
    assert find_bundle(tmp_path, SOLUTION_FOLDER) == inside
    assert find_bundle(inside, SOLUTION_FOLDER) == inside
    assert find_bundle(tmp_path / "none", SOLUTION_FOLDER) == tmp_path / "none"
