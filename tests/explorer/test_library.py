"""Tests of `runout.explorer.library`."""

import threading

import pytest

from runout.errors import BundleError
from runout.explorer import answers
from runout.explorer.answers import OpenedRuns, open_found
from runout.explorer.library import Library, RunKind
from tests.samples.value_bundles import make_values


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
    assert "symbolic link" in found.problem


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


@pytest.fixture
def library(tmp_path):
    for number in range(3):
        make_values((1.0 + number,)).save(tmp_path / str(number))
    return Library([tmp_path])


@pytest.fixture
def names(monkeypatch):
    """The names of the solutions that were opened, in this order."""
    names = []

    def count(found, has_nodes=True):
        names.append(found.name)
        return open_found(found, has_nodes)

    monkeypatch.setattr(answers, "open_found", count)
    return names


def test_a_solution_is_opened_once_however_many_ask(library, names):
    runs, (found, *_) = OpenedRuns(), library.runs.values()
    threads = [threading.Thread(target=runs.get, args=(found,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == ["0"]


def test_the_one_asked_about_longest_ago_is_closed(library, names, monkeypatch):
    monkeypatch.setattr(answers, "MAX_OPEN", 2)
    runs = OpenedRuns()
    for found in (*library.runs.values(), *library.runs.values()):
        runs.get(found)
    assert names == ["0", "1", "2", "0", "1", "2"]


def test_what_is_gone_is_an_error(library, tmp_path):
    found = next(iter(library.runs.values()))
    for file in (tmp_path / "0").iterdir():
        file.unlink()
    (tmp_path / "0").rmdir()
    with pytest.raises(BundleError, match="is gone"):
        OpenedRuns().get(found)


def test_summaries_are_read_once_for_each_contents(library, names, tmp_path):
    runs = OpenedRuns()
    found = next(iter(library.runs.values()))
    assert runs.summarize(found) is runs.summarize(found)
    make_values((9.0,)).save(tmp_path / "0", overwrite=True)
    assert runs.summarize(next(iter(library.look().values())))["title"] == "3 flops at SPR 9"
    assert names == ["0", "0"]
