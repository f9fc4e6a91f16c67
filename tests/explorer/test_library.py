import pytest

from runout.errors import BundleError
from runout.explorer.library import Library, RunKind
from tests.cli.value_bundles import make_values


def test_every_kind_of_solution_is_found_once(runs):
    kinds = {found.name.rsplit("/", 1)[-1]: found.kind for found in Library([runs]).runs.values()}
    assert kinds.pop("damaged") is not None
    assert kinds == {
        "river": RunKind.SPOT,
        "flop": RunKind.SPOT,
        "preflop_game": RunKind.PREFLOP,
        "joint_game": RunKind.JOINT,
        "flop_values": RunKind.VALUES,
        "flop_report": RunKind.REPORT,
        "Td9d6h": RunKind.SPOT,
    }


def test_flops_of_a_report_belong_to_it(runs):
    library = Library([runs])
    (report,) = [found for found in library.runs.values() if found.kind is RunKind.REPORT]
    assert report.path.name == "flop_report"
    (flop,) = [found for found in library.runs.values() if found.report]
    assert (flop.report, report.spots) == (report.id, {"Td9d6h": flop.id})


def test_a_damaged_bundle_is_listed_with_its_problem(runs):
    (damaged,) = [run for run in Library([runs]).runs.values() if run.name.endswith("damaged")]
    assert damaged.problem
    assert damaged.manifest is None


def test_ids_have_letters_and_digits_only_and_differ(tmp_path):
    for name in ("a b", "a-b", "a_b", "..c"):
        make_values().save(tmp_path / "x" / name)
    ids = list(Library([tmp_path / "x"]).look())
    assert len(set(ids)) == 3  # hidden directories are not looked at
    assert all(
        set(run_id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        for run_id in ids
    )


def test_links_to_other_places_are_not_followed(tmp_path):
    make_values().save(tmp_path / "outside" / "values")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "outside")
    assert Library([inside]).runs == {}


def test_a_bundle_whose_manifest_is_a_link_is_not_read(tmp_path):
    make_values().save(tmp_path / "outside")
    fake = tmp_path / "inside" / "fake"
    fake.mkdir(parents=True)
    (fake / "manifest.json").symlink_to(tmp_path / "outside" / "manifest.json")
    (found,) = Library([tmp_path / "inside"]).runs.values()
    assert "no plain file" in found.problem


def test_what_comes_later_is_found_at_the_next_question(tmp_path):
    library = Library([tmp_path])
    make_values().save(tmp_path / "late")
    run_id = next(iter(Library([tmp_path]).runs))
    assert library.get(run_id).kind is RunKind.VALUES


def test_an_unknown_id_is_refused(tmp_path):
    with pytest.raises(BundleError, match="there is none of this name"):
        Library([tmp_path]).get("../../etc/passwd")


def test_a_file_is_no_directory_to_look_through(tmp_path):
    with pytest.raises(BundleError, match="is no directory"):
        Library([tmp_path / "missing"])
