"""Tests of `runout.storage.bundle`."""

import io
import json
import mmap
import os
import platform
import threading
from datetime import UTC, datetime
from hashlib import sha256

import numba
import numpy as np
import pytest

from runout.errors import BundleError
from runout.execution.context import RunContext
from runout.storage import bundle as bundle_module
from runout.storage import bundle as machine_module
from runout.storage import files as staging
from runout.storage.bundle import (
    BLOCK_BYTES,
    BLOCKS_FILE,
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
    with pytest.raises(BundleError, match=r"was changed|is not an array file") as caught:
        load_sample(path)
    assert caught.value.where == str(path / name)


def test_without_verification_numbers_of_arrays_are_verified_before_they_are_used(path):
    flip_byte(path / "values.npy", -1)
    found = load_sample(path, verify=False)
    assert found.stored["values"].shape == (4, 169, 5)
    assert found.stored["flops"][0].tolist() == [0, 1, 2]
    for read in (lambda a: a[3, 168, 4], lambda a: a[...], np.asarray, lambda a: a[[0]]):
        with pytest.raises(BundleError, match=r"values\.npy: was changed: bytes 0 to 13,648"):
            read(found.stored["values"])
    with pytest.raises(BundleError, match=r"values\.npy: was changed"):
        _ = found.arrays
    flip_byte(path / "report.json", 5)
    with pytest.raises(BundleError, match=r"report\.json: was changed"):
        load_sample(path, verify=False)


def test_a_damaged_array_header_is_an_error_or_harmless_without_verification(path):
    file = path / "values.npy"
    num_errors = 0
    for offset in range(128):
        flip_byte(file, offset)
        try:
            found = load_sample(path, verify=False).stored["values"]
            assert (found.dtype, found.shape) == (np.float32, (4, 169, 5))
        except BundleError as error:
            assert error.where == str(file)  # noqa: PT017
            num_errors += 1
        with pytest.raises(BundleError):
            load_sample(path)
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


@pytest.fixture
def large(tmp_path):
    """A bundle whose only array takes 19 blocks and a part of one, and the array."""
    array = np.random.default_rng(0).random((20, 8000))
    write_bundle(tmp_path / "large", **FACTS, arrays={"values": array})
    return tmp_path / "large", array


def test_a_flipped_bit_in_any_block_is_an_error_for_what_reads_it_and_for_nothing_else(large):
    path, array = large
    file = path / "values.npy"
    offset = file.stat().st_size - array.nbytes
    assert file.stat().st_size > 19 * BLOCK_BYTES
    for block in range(20):
        place = min((block + 1) * BLOCK_BYTES, file.stat().st_size) - 1
        flip_byte(file, place)
        found = load_bundle(path, KIND, VERSION, verify=False).stored["values"]
        num_errors = 0
        for row in range(20):
            first, last = (offset + end * array[0].nbytes for end in (row, row + 1))
            touches = first // BLOCK_BYTES <= block <= (last - 1) // BLOCK_BYTES
            if touches:
                num_errors += 1
                with pytest.raises(
                    BundleError, match=f"was changed: bytes {block * BLOCK_BYTES:,} "
                ):
                    found[row]
            else:
                np.testing.assert_array_equal(found[row], array[row])
        assert num_errors in (1, 2)
        flip_byte(file, place)


def test_what_indices_give_is_what_they_give_of_the_array(large):
    path, array = large
    found = load_bundle(path, KIND, VERSION, verify=False).stored["values"]
    assert (found.shape, found.dtype, found.size, found.ndim) == (
        (20, 8000),
        np.float64,
        160_000,
        2,
    )
    for place in (3, (3, 5), (slice(None), 7), ..., (..., 5), [2, 4], (slice(3, 9, 2), None)):
        np.testing.assert_array_equal(found[place], array[place])
    assert np.array(found, dtype=np.float32).dtype == np.float32


def test_a_changed_list_of_blocks_is_an_error(path):
    for offset in (0, 31, -1):
        flip_byte(path / BLOCKS_FILE, offset)
        for verify in (True, False):
            with pytest.raises(BundleError, match=r"blocks\.sha256: was changed"):
                load_sample(path, verify=verify)
        flip_byte(path / BLOCKS_FILE, offset)


def resign(path, change, **contents):
    """Changes a manifest, and files by name, and gives all the digests that they then have."""
    raw = json.loads((path / "manifest.json").read_text())
    change(raw)
    for name, content in contents.items():
        (path / name).write_bytes(content)
    for section, ending in (("arrays", ".npy"), ("documents", ".json")):
        for name, entry in raw[section].items():
            content = (path / f"{name}{ending}").read_bytes()
            entry |= {"size_bytes": len(content), "sha256": sha256(content).hexdigest()}
    raw["digest"] = digest_config({key: raw[key] for key in raw if key != "digest"})
    (path / "manifest.json").write_text(json.dumps(raw))


def forget_blocks(raw):
    """Makes a manifest one of an older version."""
    del raw["blocks"]


def test_without_a_list_of_blocks_the_whole_file_is_verified_before_it_is_used(path):
    resign(path, forget_blocks)
    assert fill_of(load_sample(path)) == fill_of(load_sample(path, verify=False)) == 1.0
    flip_byte(path / "values.npy", -1)
    with pytest.raises(BundleError, match=r"values\.npy: was changed: bytes 0 to 13,648"):
        load_sample(path, verify=False).stored["values"][0]


@pytest.mark.parametrize("dtype", ["O", "S16", "U4", "M8[s]", "V8", "i4,O"], ids=str)
def test_an_array_of_anything_but_numbers_is_refused_however_its_manifest_is_signed(path, dtype):
    """Bytes of a mapped file that pass for pointers to objects end the interpreter."""
    kind = np.dtype(dtype)
    file = io.BytesIO()
    header = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (4,)}
    np.lib.format.write_array_header_1_0(file, header)
    content = file.getvalue() + b"\x41" * 4 * kind.itemsize

    def change(raw):
        forget_blocks(raw)
        raw["arrays"]["flops"] |= {"dtype": format_dtype(kind), "shape": [4]}

    resign(path, change, **{"flops.npy": content})
    for verify in (True, False):
        with pytest.raises(BundleError, match="an array of a result holds numbers") as caught:
            load_sample(path, verify=verify)
        assert caught.value.where == str(path / "flops.npy")
    with pytest.raises(BundleError, match="holds no numbers"):
        write_bundle(path.with_name("new"), **FACTS, arrays={"a": np.zeros(4, kind)})


@pytest.mark.parametrize("shape", [[-1, -12], [0, 10**30], [11], [13], [12, 1, *[1] * 70]], ids=str)
def test_a_shape_that_does_not_fill_its_file_is_refused(path, shape):
    def change(raw):
        forget_blocks(raw)
        raw["arrays"]["flops"]["shape"] = shape

    file = io.BytesIO()
    header = {"descr": "|u1", "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(file, header)
    resign(path, change, **{"flops.npy": file.getvalue() + bytes(range(12))})
    with pytest.raises(BundleError):
        load_sample(path, verify=False)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", '[1, {"a": NaN}]'])
def test_a_document_with_a_number_that_is_none_is_refused(path, text):
    resign(path, forget_blocks, **{"report.json": text.encode()})
    with pytest.raises(BundleError, match="is not a finite number") as caught:
        load_sample(path)
    assert caught.value.where == str(path / "report.json")


@pytest.mark.parametrize("name", ["manifest.json", "report.json", "config.yaml", BLOCKS_FILE])
def test_a_sparse_file_of_gigabytes_is_refused_before_it_is_read(path, name):
    with (path / name).open("r+b") as file:
        file.truncate(6 * 2**30)
    raw = json.loads((path / "manifest.json").read_text()) if name != "manifest.json" else {}
    if raw:
        entry = {"report.json": raw["documents"].get("report"), "config.yaml": raw["config"]}
        entry.get(name, raw["blocks"])["size_bytes"] = 6 * 2**30
        raw["digest"] = digest_config({key: raw[key] for key in raw if key != "digest"})
        (path / "manifest.json").write_text(json.dumps(raw))
    with pytest.raises(BundleError, match="has more than 33,554,432 bytes"):
        load_sample(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("name", ["manifest.json", "report.json", "values.npy"])
def test_a_pipe_instead_of_a_file_does_not_hang(path, name):
    (path / name).unlink()
    os.mkfifo(path / name)
    for read in (load_sample, *([read_manifest] if name == "manifest.json" else [])):
        with pytest.raises(BundleError, match="not a regular file"):
            read(path)


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
@pytest.mark.parametrize("name", ["_check_size", "_map_array"])
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
