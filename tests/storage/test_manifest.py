import json
from datetime import UTC, datetime

import numpy as np
import pytest

from runout.errors import BundleError
from runout.storage.manifest import (
    build_manifest,
    digest_config,
    format_dtype,
    format_manifest,
    parse_manifest,
)


def make_manifest(**changes):
    entry = {"size_bytes": 3, "sha256": "a" * 64}
    fields = {
        "kind": "sample",
        "schema_version": 1,
        "package_version": "0.1.0",
        "seed": 2**80,
        "created_at": datetime.now(UTC),
        "config_digest": None,
        "config": None,
        "arrays": {"values": entry | {"dtype": "<f4", "shape": (2, 0)}},
        "documents": {"report": entry},
    }
    return build_manifest(**(fields | changes))


def test_a_manifest_survives_its_text():
    manifest = make_manifest()
    assert parse_manifest("here", format_manifest(manifest).encode()) == manifest


def test_a_manifest_without_a_machine_is_an_older_one_and_opens():
    raw = json.loads(format_manifest(make_manifest()))
    del raw["machine"], raw["digest"]
    raw["digest"] = digest_config(raw)
    manifest = parse_manifest("here", json.dumps(raw).encode())
    assert manifest.machine is None
    assert manifest.kind == "sample"


def test_the_size_of_a_bundle_is_that_of_its_files():
    assert make_manifest().size_bytes == 6
    config = {"size_bytes": 5, "sha256": "b" * 64}
    assert make_manifest(config=config).size_bytes == 11


def test_creation_is_stored_in_utc_and_iso_format():
    raw = json.loads(format_manifest(make_manifest()))
    created_at = datetime.fromisoformat(raw["created_at"])
    assert created_at.utcoffset().total_seconds() == 0
    assert abs((datetime.now(UTC) - created_at).total_seconds()) < 60


def test_layout_of_the_text_does_not_matter():
    manifest = make_manifest()
    raw = json.loads(format_manifest(manifest))
    shuffled = json.dumps(dict(sorted(raw.items(), reverse=True)))
    assert parse_manifest("here", shuffled.encode()) == manifest


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"null", b"[]", b"[" * 100_000, b'{"kind": "sample"}']
)
def test_what_is_no_manifest_is_an_error(content):
    with pytest.raises(BundleError, match=r"^here: "):
        parse_manifest("here", content)


@pytest.mark.parametrize(
    "field", [field for field in type(make_manifest()).model_fields if field != "machine"]
)
def test_every_field_is_required_and_named_when_it_is_missing(field):
    raw = json.loads(format_manifest(make_manifest()))
    del raw[field]
    with pytest.raises(BundleError, match=f"^here: {field}: Field required"):
        parse_manifest("here", json.dumps(raw).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 8), ("kind", "other"), ("created_at", "2020-01-01T00:00:00Z"), ("documents", {})],
)
def test_an_edited_field_is_noticed(field, value):
    raw = json.loads(format_manifest(make_manifest())) | {field: value}
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
    raw = json.loads(format_manifest(make_manifest())) | {field: value}
    with pytest.raises(BundleError, match=f"^here: {field}"):
        parse_manifest("here", json.dumps(raw).encode())


def test_kind_and_version_are_checked_before_the_fields_of_another_version():
    future = b'{"kind": "sample", "schema_version": 2, "warp_factor": 9}'
    with pytest.raises(BundleError, match="has schema version 2, expected 1"):
        parse_manifest("here", future, "sample", 1)
    with pytest.raises(BundleError, match="is of kind 'sample', expected 'other'"):
        parse_manifest("here", future, "other", 2)


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
