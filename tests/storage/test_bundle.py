"""Tests of `runout.storage.bundle`."""

import json
import mmap
import os
import platform
import threading
from datetime import UTC, datetime

import numba
import numpy as np
import pytest

from runout.errors import BundleError
from runout.execution.context import RunContext
from runout.storage import bundle as bundle_module
from runout.storage import bundle as machine_module
from runout.storage import files as staging
from runout.storage.bundle import (
    Manifest,
    build_manifest,
    describe_machine,
    digest_config,
    format_dtype,
    has_bundle,
    load_bundle,
    parse_manifest,
    read_manifest,
    reading_contents,
)
from runout.storage.files import PinnedDirectory
from runout.storage.writer import BundleWriter, write_bundle
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

FACTS = {"kind": KIND, "schema_version": VERSION}
DTYPES = [
    *"?bBhHiIlLqQefdgFD",
    ">f8",
    ">u2",
    "S5",
    "U3",
    "M8[s]",
    "m8[ms]",
    [("hand", "u2"), ("weights", "f4", (3,))],
]


@pytest.fixture
def path(tmp_path):
    write_sample(tmp_path / "a")
    return tmp_path / "a"


def flip_byte(file, offset):
    content = bytearray(file.read_bytes())
    content[offset] ^= 1
    file.write_bytes(content)


def base_of(array):
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def random_array(dtype, shape):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    noise = np.random.default_rng(0).integers(0, 2, size, np.uint8).tobytes()
    return np.frombuffer(noise, dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays_of_every_dtype_and_shape_come_back(tmp_path, dtype):
    shapes = [(), (0,), (7,), (2, 0, 3), (3, 4, 5)]
    arrays = {f"array_{i}": random_array(dtype, shape) for i, shape in enumerate(shapes)}
    with BundleWriter(tmp_path / "a", **FACTS) as writer:
        for name, array in arrays.items():
            writer.add_array(f"added_{name}", array)
            writer.create_array(f"filled_{name}", array.shape, dtype)[...] = array
        writer.commit()
    found = load_sample(tmp_path / "a").arrays
    for name, array in arrays.items():
        for copy in (found[f"added_{name}"], found[f"filled_{name}"]):
            assert (copy.dtype, copy.shape) == (array.dtype, array.shape)
            assert copy.tobytes() == array.tobytes()


def test_the_layout_of_an_array_in_memory_does_not_matter(tmp_path):
    array = np.arange(60.0).reshape(3, 4, 5)
    arrays = {"fortran": np.asfortranarray(array), "slice": array[::2, ::-1], "view": array.T}
    write_bundle(tmp_path / "a", **FACTS, arrays=arrays)
    found = load_sample(tmp_path / "a").arrays
    for name, expected in arrays.items():
        np.testing.assert_array_equal(found[name], expected)


def test_everything_comes_back(path):
    bundle = load_sample(path)
    assert bundle.path == path
    assert bundle.config_text == CONFIG
    assert bundle.documents == {"report": REPORT}
    assert bundle.arrays.keys() == sample_arrays().keys()
    for name, array in sample_arrays().items():
        np.testing.assert_array_equal(bundle.arrays[name], array)


def test_a_config_is_kept_word_for_word(tmp_path):
    config = "# für uns\r\nseed: 7\n\n"
    write_sample(tmp_path / "a", config_text=config)
    assert load_sample(tmp_path / "a").config_text == config


def test_arrays_are_mapped_and_plain_and_cannot_be_changed(path):
    bundle = load_sample(path)
    values = bundle.arrays["values"]
    assert type(values) is np.ndarray
    assert isinstance(base_of(values), mmap.mmap)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        values.setflags(write=True)
    with pytest.raises(TypeError):
        bundle.arrays["values"] = values
    with pytest.raises(AttributeError):
        bundle.path = path


def test_private_arrays_can_be_changed_and_the_files_stay(path):
    bundle = load_bundle(path, KIND, VERSION, is_writable=True)
    for name, array in bundle.arrays.items():
        assert type(array) is np.ndarray
        assert array.flags.writeable
        before = array.copy()
        array[...] = 0
        assert np.array_equal(load_bundle(path, KIND, VERSION).arrays[name], before)


def test_arrays_stay_readable_after_their_bundle_is_replaced(path):
    bundle = load_sample(path)
    write_sample(path, 2.0, overwrite=True)
    assert fill_of(bundle) == 1.0
    assert fill_of(load_sample(path)) == 2.0


def test_another_kind_is_refused(path):
    with pytest.raises(BundleError, match=r"manifest\.json: is of kind 'sample', expected 'book'"):
        load_bundle(path, "book", VERSION)


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_an_older_or_later_version_is_refused(path, version):
    with pytest.raises(BundleError, match=f"has schema version {VERSION}, expected {version}"):
        load_bundle(path, KIND, version)


@pytest.mark.parametrize("name", ["values.npy", "flops.npy", "report.json", "config.yaml"])
@pytest.mark.parametrize("verify", [True, False])
def test_a_missing_file_is_named(path, name, verify):
    (path / name).unlink()
    with pytest.raises(BundleError, match="is missing, the manifest lists it") as caught:
        load_sample(path, verify=verify)
    assert caught.value.where == str(path / name)


@pytest.mark.parametrize("name", ["values.npy", "flops.npy", "report.json", "config.yaml"])
@pytest.mark.parametrize("change", [-1, 1, -1_000_000])
@pytest.mark.parametrize("verify", [True, False])
def test_a_truncated_or_longer_file_is_named(path, name, change, verify):
    file = path / name
    size = file.stat().st_size
    os.truncate(file, max(0, size + change))
    with pytest.raises(BundleError, match=f"bytes, the manifest says {size:,}") as caught:
        load_sample(path, verify=verify)
    assert caught.value.where == str(file)


@pytest.mark.parametrize("name", ["values.npy", "flops.npy", "report.json", "config.yaml"])
@pytest.mark.parametrize("offset", [0, 5, -1])
def test_one_flipped_bit_is_noticed(path, name, offset):
    flip_byte(path / name, offset)
    with pytest.raises(BundleError, match="was changed: its sha256 is") as caught:
        load_sample(path)
    assert caught.value.where == str(path / name)


def test_without_verification_only_the_numbers_of_arrays_are_trusted(path):
    flip_byte(path / "values.npy", -1)
    assert load_sample(path, verify=False).arrays["values"].shape == (4, 169, 5)
    flip_byte(path / "report.json", 5)
    with pytest.raises(BundleError, match=r"report\.json: was changed"):
        load_sample(path, verify=False)


def test_a_damaged_array_header_is_an_error_or_harmless_without_verification(path):
    file = path / "values.npy"
    num_errors = 0
    for offset in range(128):
        flip_byte(file, offset)
        try:
            found = load_sample(path, verify=False).arrays["values"]
            assert (found.dtype, found.shape) == (np.float32, (4, 169, 5))
        except BundleError as error:
            assert error.where == str(file)  # noqa: PT017
            num_errors += 1
        flip_byte(file, offset)
    assert num_errors > 60


@pytest.mark.parametrize(
    "array", [np.ones((4, 169, 5), np.int32), np.ones((4, 5, 169), np.float32)], ids=str
)
def test_an_array_of_another_dtype_or_shape_is_an_error_without_verification(path, array):
    size = (path / "values.npy").stat().st_size
    np.save(path / "values.npy", array)
    assert (path / "values.npy").stat().st_size == size
    with pytest.raises(BundleError, match=r"holds .* the manifest says <f4 \(4, 169, 5\)"):
        load_sample(path, verify=False)


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b'{"kind": "sample"}', b"\x00"])
def test_a_damaged_manifest_is_named(path, content):
    (path / "manifest.json").write_bytes(content)
    for read in (load_sample, read_manifest):
        with pytest.raises(BundleError) as caught:
            read(path)
        assert caught.value.where == str(path / "manifest.json")


def test_an_edited_manifest_is_noticed(path):
    raw = json.loads((path / "manifest.json").read_text())
    raw["arrays"]["values"]["shape"] = [4, 5, 169]
    (path / "manifest.json").write_text(json.dumps(raw))
    with pytest.raises(BundleError, match=r"manifest\.json: was edited"):
        load_sample(path)


def test_files_that_the_manifest_does_not_list_are_ignored(path):
    (path / "notes.txt").write_text("mine")
    (path / "other.npy").write_bytes(b"rubbish")
    assert fill_of(load_sample(path)) == 1.0


def test_what_is_no_bundle_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    cases = {
        "nothing": "does not exist",
        "no/parent": "does not exist",
        "file": "is a file, not a bundle",
        "file/below": "does not exist",
        "empty": r"manifest\.json: is missing, so this is no bundle",
    }
    for name, problem in cases.items():
        for read in (load_sample, read_manifest):
            with pytest.raises(BundleError, match=problem):
                read(tmp_path / name)


def test_a_manifest_that_is_a_directory_is_an_error(tmp_path):
    (tmp_path / "a/manifest.json").mkdir(parents=True)
    with pytest.raises(BundleError, match=r"cannot be read \(Is a directory"):
        load_sample(tmp_path / "a")


@pytest.fixture(params=["exchange", "two renames"])
def replacing(request, monkeypatch):
    """Both ways to replace a directory, whatever this system can do."""
    if request.param == "two renames":
        monkeypatch.setattr(staging, "exchange", lambda first, second: False)


@pytest.fixture(params=["pinned", "by path"])
def opening(request, monkeypatch):
    """Both ways to open files of one directory, whatever this system can do."""
    if request.param == "by path":
        monkeypatch.setattr(PinnedDirectory, "is_pinned", False)


def replace_at(monkeypatch, name, path, times):
    """Replaces a bundle ``times`` times, each before a call of a function of the reader."""
    function = getattr(bundle_module, name)
    fills = [2.0] * times

    def replace_first(*arguments):
        if fills:
            write_sample(path, fills.pop(), overwrite=True)
        return function(*arguments)

    monkeypatch.setattr(bundle_module, name, replace_first)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.usefixtures("replacing", "opening")
def test_a_bundle_that_is_replaced_while_it_is_opened_is_opened_again(path, monkeypatch, verify):
    replace_at(monkeypatch, "_open_file", path, times=1)
    bundle = load_sample(path, verify=verify)
    assert fill_of(bundle) == 2.0
    assert bundle.manifest == read_manifest(path)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("name", ["_check_file", "_map_array"])
@pytest.mark.usefixtures("replacing")
def test_a_bundle_that_is_replaced_once_it_is_open_is_the_old_one(path, monkeypatch, verify, name):
    replace_at(monkeypatch, name, path, times=3)
    bundle = load_sample(path, verify=verify)
    assert fill_of(bundle) == 1.0
    assert (bundle.config_text, bundle.documents) == (CONFIG, {"report": REPORT})


def test_a_bundle_that_is_always_replaced_cannot_be_read(path, monkeypatch):
    monkeypatch.setattr(bundle_module, "_MAX_ATTEMPTS", 3)
    replace_at(monkeypatch, "_open_file", path, times=100)
    with pytest.raises(BundleError, match="is replaced again and again"):
        load_sample(path)


@pytest.mark.skipif(not PinnedDirectory.is_pinned, reason="needs a system that can pin")
@pytest.mark.usefixtures("replacing")
def test_readers_never_see_a_missing_or_mixed_bundle_while_it_is_replaced(path, monkeypatch):
    num_replacements = 400
    monkeypatch.setattr(staging, "sync", lambda place: None)  # as fast as on a disk without delay

    def replace_often():
        for fill in range(2, num_replacements + 1):
            write_sample(path, float(fill), overwrite=True)

    writer = threading.Thread(target=replace_often)
    fills = [fill_of(load_sample(path))]
    writer.start()
    while writer.is_alive():
        assert has_bundle(path)
        assert read_manifest(path).kind == KIND
        fills.append(fill_of(load_sample(path, verify=len(fills) % 2 == 0)))
    writer.join()
    assert fills == sorted(fills)
    assert fill_of(load_sample(path)) == num_replacements
    assert leftovers(path.parent) == []


@pytest.mark.parametrize("problem", [KeyError("x"), TypeError("x"), OverflowError("x")])
def test_contents_that_make_no_sense_are_an_error_of_the_bundle(path, problem):
    with pytest.raises(BundleError, match="missing or invalid entry"), reading_contents(path):
        raise problem


def test_a_machine_is_described_by_what_computes():
    machine = describe_machine()
    assert machine.processor not in ("", "unknown")
    assert (machine.numpy_version, machine.numba_version) == (np.__version__, numba.__version__)


def test_a_bundle_says_where_it_was_computed(tmp_path):
    write_sample(tmp_path / "a")
    assert read_manifest(tmp_path / "a").machine == describe_machine()


def test_a_bundle_names_interpreter_system_cores_and_command(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/usr/bin/runout", "solve-spot", "-o", "my runs"])
    write_sample(tmp_path / "a")
    manifest = read_manifest(tmp_path / "a")
    assert manifest.command == "runout solve-spot -o 'my runs'"
    assert manifest.machine.python_version == platform.python_version()
    assert manifest.machine.system.startswith(platform.system())
    assert manifest.machine.num_cores >= 1


@pytest.mark.parametrize("number", [1, 3])
def test_a_bundle_names_the_workers_of_its_run(tmp_path, number):
    RunContext(number)
    write_sample(tmp_path / "a")
    assert read_manifest(tmp_path / "a").machine.num_workers == number


def content_digest(path, values, seconds, **facts):
    facts = {"kind": "sample", "schema_version": 1, "measured": ["times", "report"]} | facts
    arrays = {"values": np.array(values), "times": np.array([seconds])}
    documents = {"report": {"seconds": seconds}, "rules": {"stack": 10}}
    return write_bundle(path, arrays=arrays, documents=documents, **facts).content_digest


def test_equal_results_have_equal_content_digests(tmp_path):
    first = content_digest(tmp_path / "a", [1.0, 2.0], seconds=1.0)
    assert content_digest(tmp_path / "b", [1.0, 2.0], seconds=2.0, config_text="a: 1") == first
    others = [
        content_digest(tmp_path / "c", [1.0, 3.0], seconds=1.0),
        content_digest(tmp_path / "d", [[1.0, 2.0]], seconds=1.0),
        content_digest(tmp_path / "e", [1.0, 2.0], seconds=1.0, kind="other"),
        content_digest(tmp_path / "f", [1.0, 2.0], seconds=2.0, measured=[]),
    ]
    assert len({first, *others}) == 5


def test_a_system_that_tells_nothing_is_an_unknown_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(machine_module, "_PROCESSOR_LIST", tmp_path / "nothing")
    monkeypatch.setattr(machine_module.platform, "processor", lambda: "")
    monkeypatch.setattr(machine_module.platform, "machine", lambda: "")
    assert machine_module._describe_processor.__wrapped__() == "unknown"


def make_manifest(**changes):
    entry = {"size_bytes": 3, "sha256": "a" * 64}
    fields = {
        "kind": "sample",
        "schema_version": 1,
        "package_version": "0.1.0",
        "seed": 2**80,
        "config_digest": None,
        "config": None,
        "arrays": {"values": entry | {"dtype": "<f4", "shape": (2, 0)}},
        "documents": {"report": entry},
    }
    return build_manifest(**(fields | changes))


def test_a_manifest_survives_its_text():
    manifest = make_manifest()
    assert parse_manifest("here", manifest.model_dump_json().encode()) == manifest


def test_a_manifest_without_a_machine_is_an_older_one_and_opens():
    raw = json.loads(make_manifest().model_dump_json())
    del raw["machine"], raw["command"], raw["content_digest"], raw["digest"]
    raw["digest"] = digest_config(raw)
    manifest = parse_manifest("here", json.dumps(raw).encode())
    assert manifest.machine is None
    assert manifest.kind == "sample"


def test_the_size_of_a_bundle_is_that_of_its_files():
    assert make_manifest().size_bytes == 6
    config = {"size_bytes": 5, "sha256": "b" * 64}
    assert make_manifest(config=config).size_bytes == 11


def test_creation_is_stored_in_utc_and_iso_format():
    raw = json.loads(make_manifest().model_dump_json())
    created_at = datetime.fromisoformat(raw["created_at"])
    assert created_at.utcoffset().total_seconds() == 0
    assert abs((datetime.now(UTC) - created_at).total_seconds()) < 60


def test_layout_of_the_text_does_not_matter():
    manifest = make_manifest()
    raw = json.loads(manifest.model_dump_json())
    shuffled = json.dumps(dict(sorted(raw.items(), reverse=True)))
    assert parse_manifest("here", shuffled.encode()) == manifest


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"null", b"[]", b"[" * 100_000, b'{"kind": "sample"}']
)
def test_what_is_no_manifest_is_an_error(content):
    with pytest.raises(BundleError, match=r"^here: "):
        parse_manifest("here", content)


@pytest.mark.parametrize(
    "field", [name for name, field in Manifest.model_fields.items() if field.is_required()]
)
def test_every_field_is_required_and_named_when_it_is_missing(field):
    raw = json.loads(make_manifest().model_dump_json())
    del raw[field]
    with pytest.raises(BundleError, match=f"^here: {field}: Field required"):
        parse_manifest("here", json.dumps(raw).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 8), ("kind", "other"), ("created_at", "2020-01-01T00:00:00Z"), ("documents", {})],
)
def test_an_edited_field_is_noticed(field, value):
    raw = json.loads(make_manifest().model_dump_json()) | {field: value}
    with pytest.raises(BundleError, match="was edited"):
        parse_manifest("here", json.dumps(raw).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", "7"),
        ("schema_version", True),
        ("created_at", "yesterday"),
        ("created_at", "2020-01-01T00:00:00"),
        ("digest", "abc"),
        ("shoe_size", 43),
        ("documents", {"../report": {"size_bytes": 1, "sha256": "a" * 64}}),
        ("documents", {"report": {"size_bytes": -1, "sha256": "a" * 64}}),
    ],
)
def test_fields_of_the_wrong_form_are_named(field, value):
    raw = json.loads(make_manifest().model_dump_json()) | {field: value}
    with pytest.raises(BundleError, match=f"^here: {field}"):
        parse_manifest("here", json.dumps(raw).encode())


def test_kind_and_version_are_checked_before_the_fields_of_another_version():
    future = b'{"kind": "sample", "schema_version": 2, "warp_factor": 9}'
    with pytest.raises(BundleError, match="has schema version 2, expected 1"):
        parse_manifest("here", future, "sample", [1])
    with pytest.raises(BundleError, match="is of kind 'sample', expected 'other'"):
        parse_manifest("here", future, "other", [2])


def test_facts_that_cannot_be_stored_are_named():
    with pytest.raises(BundleError, match="manifest: seed: "):
        make_manifest(seed=1.5)


def test_line_endings_do_not_change_the_digest_of_a_config_but_comments_do():
    assert digest_config("a: 1\r\nb: 2\r\n") == digest_config("a: 1\nb: 2\n")
    assert digest_config("a: 1\n") != digest_config("a: 1  # one\n")
    assert digest_config("abc").startswith("ba7816bf")  # FIPS 180-2, example 1


def test_order_does_not_change_the_digest_of_a_mapping_but_values_do():
    assert digest_config({"a": 1, "b": [1, 2]}) == digest_config({"b": (1, 2), "a": 1})
    assert digest_config({"a": 1}) != digest_config({"a": 1.5})
    assert digest_config({"a": [1, 2]}) != digest_config({"a": [2, 1]})


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, np.float32(1)])
def test_a_mapping_that_is_not_json_has_no_digest(value):
    with pytest.raises(BundleError, match=r"^config: cannot be written as JSON"):
        digest_config({"a": value})


def test_dtypes_are_written_as_in_array_files():
    assert format_dtype(np.float32) == "<f4"
    assert format_dtype("bool") == "|b1"
    assert format_dtype([("hand", "<u2"), ("weight", "<f8")]) == repr(
        [("hand", "<u2"), ("weight", "<f8")]
    )
