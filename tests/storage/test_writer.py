"""Tests of `runout.storage.writer`."""

import json
import os
import threading

import numpy as np
import pytest

from runout.errors import BundleError
from runout.storage.bundle import digest_config, load_bundle, read_manifest
from runout.storage.writer import Autosave, BundleWriter, write_bundle
from runout.version import __version__
from tests.samples.storage_samples import (
    CONFIG,
    KIND,
    REPORT,
    VERSION,
    fill_of,
    leftovers,
    load_sample,
    sample_arrays,
    write_sample,
)


class Work:
    """Counts the halves of saves, on a clock that only tests move."""

    def __init__(self, interval_seconds=300.0, pause_seconds=0.0):
        self.seconds = 1000.0
        self.pause_seconds = pause_seconds
        self.begun, self.finished, self.failures = [], [], []
        self.may_finish = threading.Event()
        self.may_finish.set()
        self.error = None
        self.autosave = Autosave(
            interval_seconds, self.begin, self.failures.append, lambda: self.seconds
        )

    def begin(self):
        self.begun.append(self.seconds)
        self.seconds += self.pause_seconds
        state = self.seconds

        def finish():
            self.may_finish.wait()
            if self.error is not None:
                raise self.error
            self.finished.append((state, threading.current_thread()))

        return finish

    def go_on(self, seconds):
        self.seconds += seconds
        self.autosave.save_if_due()
        thread = self.autosave._finishing
        if thread is not None and self.may_finish.is_set():
            thread.join()


def test_work_is_saved_every_interval_and_not_before():
    work = Work()
    with work.autosave:
        for _ in range(100):
            work.go_on(10.0)
    assert work.begun == [1300.0, 1600.0, 1900.0]
    assert [state for state, _ in work.finished] == work.begun


def test_an_interval_of_nothing_saves_never():
    work = Work(interval_seconds=0.0)
    with work.autosave:
        work.go_on(1e9)
    assert work.begun == []


def test_a_thread_finishes_what_the_work_began():
    work = Work()
    with work.autosave:
        work.go_on(301.0)
    ((_, thread),) = work.finished
    assert thread is not threading.current_thread()


def test_no_save_begins_before_the_last_is_finished_and_the_end_waits_for_it():
    work = Work()
    work.may_finish.clear()
    with work.autosave:
        work.go_on(301.0)
        work.go_on(301.0)
        assert (len(work.begun), len(work.finished)) == (1, 0)
        work.may_finish.set()
    assert len(work.finished) == 1


def test_saving_takes_at_most_a_twentieth_of_the_time():
    work = Work(interval_seconds=10.0, pause_seconds=30.0)
    with work.autosave:
        for _ in range(1000):
            work.go_on(5.0)
    assert len(work.begun) * 30.0 <= (work.seconds - 1000.0) / 20.0 + 30.0


def test_a_failed_save_is_told_and_tried_again():
    work = Work()
    work.error = BundleError("disk", "is full")
    with work.autosave:
        work.go_on(301.0)
        assert work.failures == []
        work.error = None
        work.go_on(301.0)
        assert [str(error) for error in work.failures] == ["disk: is full"]
    assert len(work.finished) == 1


def test_a_save_that_cannot_begin_is_told_and_tried_again():
    work = Work()
    begin, work.autosave._begin = work.autosave._begin, fail_to_begin
    with work.autosave:
        work.go_on(301.0)
        assert [str(error) for error in work.failures] == ["disk: is full"]
        work.autosave._begin = begin
        work.go_on(301.0)
    assert len(work.finished) == 1


def fail_to_begin():
    raise BundleError("disk", "is full")


def test_a_defect_of_ours_is_no_failed_save():
    work = Work()
    work.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError), work.autosave:
        work.go_on(301.0)


FACTS = {"kind": KIND, "schema_version": VERSION}


def test_a_bundle_is_a_directory_of_ordinary_files(tmp_path):
    write_sample(tmp_path / "a")
    names = {path.name for path in (tmp_path / "a").iterdir()}
    arrays, others = {"values.npy", "flops.npy", "blocks.sha256"}, {"config.yaml", "report.json"}
    assert names == arrays | others | {"manifest.json"}
    np.testing.assert_array_equal(np.load(tmp_path / "a/values.npy"), sample_arrays()["values"])
    assert json.loads((tmp_path / "a/report.json").read_text()) == REPORT
    assert (tmp_path / "a/config.yaml").read_bytes() == CONFIG.encode()
    assert leftovers(tmp_path) == []


def test_the_manifest_states_what_was_written(tmp_path):
    manifest = write_sample(tmp_path / "a")
    assert manifest == read_manifest(tmp_path / "a")
    assert (manifest.kind, manifest.schema_version, manifest.seed) == (KIND, VERSION, 7)
    assert manifest.config_digest == digest_config(CONFIG)
    assert manifest.arrays["values"].shape == (4, 169, 5)
    assert manifest.arrays["values"].dtype == "<f4"
    for name, entry in manifest.arrays.items():
        assert entry.size_bytes == (tmp_path / "a" / f"{name}.npy").stat().st_size


def test_the_digest_of_a_parsed_config_can_be_given(tmp_path):
    manifest = write_sample(tmp_path / "a", config_digest=digest_config({"seed": 7}))
    assert manifest.config_digest == digest_config({"seed": 7})


def test_a_bundle_needs_no_config_seed_or_documents(tmp_path):
    manifest = write_bundle(tmp_path / "a", **FACTS, arrays={})
    assert manifest.config_digest is None
    assert manifest.seed is None
    bundle = load_sample(tmp_path / "a")
    assert bundle.config_text is None
    assert not bundle.arrays
    assert not bundle.documents


def test_missing_parents_are_made(tmp_path):
    write_sample(tmp_path / "x/y/a")
    assert fill_of(load_sample(tmp_path / "x/y/a")) == 1.0


def test_a_bundle_in_the_working_directory_is_found_by_its_bare_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_sample("a")
    assert fill_of(load_sample("a")) == 1.0


def test_an_array_can_be_filled_in_its_file(tmp_path):
    with BundleWriter(tmp_path / "a", **FACTS) as writer:
        values = writer.create_array("values", (3, np.int64(2)), np.float64)
        assert not values.any()
        values[1] = 5.0
        manifest = writer.commit()
        assert not values.flags.writeable
    assert manifest.arrays["values"].shape == (3, 2)
    np.testing.assert_array_equal(load_sample(tmp_path / "a").arrays["values"][1], [5.0, 5.0])


def test_a_filled_and_a_given_array_make_the_same_file(tmp_path):
    given = write_bundle(tmp_path / "a", **FACTS, arrays=sample_arrays())
    with BundleWriter(tmp_path / "b", **FACTS) as writer:
        for name, array in sample_arrays().items():
            writer.create_array(name, array.shape, array.dtype)[...] = array
        assert writer.commit().arrays == given.arrays


def test_nothing_appears_without_a_commit(tmp_path):
    with BundleWriter(tmp_path / "a", **FACTS) as writer:
        writer.add_array("values", np.zeros(3))
        assert len(leftovers(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_exception_leaves_nothing_or_the_old_bundle(tmp_path):
    def fail(path):
        with BundleWriter(path, **FACTS, overwrite=True) as writer:
            writer.create_array("values", (1000,), np.float64)[:] = 1.0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    write_sample(tmp_path / "a", 1.0)
    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path / "a")
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    assert leftovers(tmp_path) == []


def test_a_writer_ends_with_its_commit(tmp_path):
    writer = BundleWriter(tmp_path / "a", **FACTS)
    with pytest.raises(RuntimeError, match="inside its with block"):
        writer.add_array("values", np.zeros(3))
    with writer:
        writer.commit()
        with pytest.raises(RuntimeError, match="until commit"):
            writer.commit()


@pytest.mark.parametrize("name", ["", "../a", "a/b", ".a", "A", "a b", "ä", "a\n"])
def test_names_that_are_no_file_names_are_refused(tmp_path, name):
    with pytest.raises(BundleError, match="is no name for a file, use lower-case letters"):
        write_bundle(tmp_path / "a", **FACTS, arrays={name: np.zeros(1)})
    with pytest.raises(BundleError, match="is no name for a file"):
        write_bundle(tmp_path / "a", **FACTS, arrays={}, documents={name: 1})


def test_a_name_is_given_once(tmp_path):
    with BundleWriter(tmp_path / "a", **FACTS) as writer:
        writer.add_array("values", np.zeros(1))
        with pytest.raises(BundleError, match=r"values\.npy is in this bundle already"):
            writer.create_array("values", (1,), np.float64)
        with pytest.raises(BundleError, match="is the name of the manifest"):
            writer.add_document("manifest", {})


def test_arrays_of_python_objects_are_refused(tmp_path):
    with pytest.raises(BundleError, match="array 'values': dtype object holds no numbers"):
        write_bundle(tmp_path / "a", **FACTS, arrays={"values": np.array([{}])})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("document", [float("inf"), {"a": np.int64(1)}, {1, 2}])
def test_documents_that_are_not_json_are_refused(tmp_path, document):
    with pytest.raises(BundleError, match=r"^document 'report': cannot be written as JSON"):
        write_bundle(tmp_path / "a", **FACTS, arrays={}, documents={"report": document})


def test_a_fact_that_cannot_be_stored_fails_before_the_work_is_done(tmp_path):
    with pytest.raises(BundleError, match="seed"):
        BundleWriter(tmp_path / "a", **FACTS, seed="seven")


def test_an_array_larger_than_the_disk_is_an_error_at_once(tmp_path):
    with (
        BundleWriter(tmp_path / "a", **FACTS) as writer,
        pytest.raises(BundleError, match="cannot be written"),
    ):
        writer.create_array("values", (2**46,), np.uint8)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="cannot reserve disk space here")
def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", fail)
    with (
        BundleWriter(tmp_path / "a", **FACTS) as writer,
        pytest.raises(BundleError, match="No space left on device"),
    ):
        writer.create_array("values", (10,), np.uint8)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_gives_any_kind_and_version(tmp_path):
    write_bundle(tmp_path / "a", kind="x", schema_version=9, arrays={})
    assert load_bundle(tmp_path / "a", "x", 9).manifest.package_version == __version__
