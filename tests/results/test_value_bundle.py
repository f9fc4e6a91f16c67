import json
import os
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.flops import explicit_flops
from runout.errors import BundleError
from runout.results import value_bundle
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import read_manifest
from runout.storage.writer import write_bundle
from tests.results.samples import FLOPS, random_values

CONFIG = "solve_type: exhaustive  # ours\n"
FILES = ["flops", "flop_weights", "sprs", "value_pot_0", "value_pot_1", "reports_0"]


def make_bundle():
    return ValueBundle((random_values(3.5), random_values(6.0, seed=1)), CONFIG, "ab" * 32, seed=7)


@pytest.fixture
def path(tmp_path):
    make_bundle().save(tmp_path / "values")
    return tmp_path / "values"


@pytest.mark.parametrize("verify", [True, False])
def test_everything_comes_back(path, verify):
    found, expected = ValueBundle.load(path, verify=verify), make_bundle()
    assert (found.config_text, found.config_digest, found.seed) == (CONFIG, "ab" * 32, 7)
    assert len(found.values) == 2
    for mine, theirs in zip(found.values, expected.values, strict=True):
        assert mine.flops == theirs.flops
        assert mine.spr == theirs.spr
        assert mine.reports == theirs.reports
        assert mine.ranges is None
        assert mine.value_pot.dtype == np.float32
        np.testing.assert_array_equal(mine.value_pot, theirs.value_pot)
        np.testing.assert_array_equal(mine.average(1), theirs.average(1))


def test_flops_keep_the_names_that_were_given(tmp_path):
    flops = explicit_flops(["7dAhKs", "9c6c2c"])
    ValueBundle((random_values(flops=flops),), CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    found = ValueBundle.load(tmp_path / "values").values[0].flops
    assert found.names == ("7dAhKs", "9c6c2c")
    assert found == flops


def test_canonical_names_take_no_file(tmp_path):
    flops = explicit_flops(["AsKh7d"])
    ValueBundle((random_values(flops=flops),), CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    assert "flops_as_given" not in read_manifest(tmp_path / "values").arrays
    assert ValueBundle.load(tmp_path / "values").values[0].flops.names == ("AsKh7d",)


def test_ranges_come_back_too(tmp_path):
    ranges = np.random.default_rng(0).random((2, 169))
    values = (replace(random_values(), ranges=ranges), random_values(6.0))
    ValueBundle(values, CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    found = ValueBundle.load(tmp_path / "values").values
    np.testing.assert_array_equal(found[0].ranges, ranges)
    assert found[1].ranges is None


def test_values_stay_on_disk_and_cannot_be_changed(path):
    with pytest.raises(ValueError, match="read-only"):
        ValueBundle.load(path).values[0].value_pot[0, 0, 0, 1] = 1.0


def test_values_are_found_by_ratio(path):
    bundle = ValueBundle.load(path)
    assert bundle.at_spr(6.0).spr == 6.0
    assert bundle.at_spr(3.5 * (1 + 1e-12)).spr == 3.5


def test_a_ratio_that_was_not_solved_is_an_error_that_lists_the_others(path):
    with pytest.raises(BundleError, match=r"spr 4: was not solved, this bundle has 3\.5, 6"):
        ValueBundle.load(path).at_spr(4.0)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_bit_is_refused(path, name):
    file = path / f"{name}.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(BundleError, match=f"{name}.npy: was changed"):
        ValueBundle.load(path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("verify", [True, False])
def test_a_truncated_or_missing_file_is_refused(path, name, verify):
    file = path / f"{name}.npy"
    os.truncate(file, file.stat().st_size - 1)
    with pytest.raises(BundleError, match=f"{name}.npy: has"):
        ValueBundle.load(path, verify=verify)
    file.unlink()
    with pytest.raises(BundleError, match=f"{name}.npy: is missing"):
        ValueBundle.load(path, verify=verify)


def test_an_edited_manifest_or_config_is_refused(path):
    manifest = path / "manifest.json"
    sound = manifest.read_text()
    raw = json.loads(sound)
    raw["seed"] = 8
    manifest.write_text(json.dumps(raw))
    with pytest.raises(BundleError, match=r"manifest\.json: was edited"):
        ValueBundle.load(path)
    manifest.write_text(sound)
    (path / "config.yaml").write_text(CONFIG.replace("exhaustive", "mccfr     "))
    with pytest.raises(BundleError, match=r"config\.yaml: was changed"):
        ValueBundle.load(path)


def test_a_bundle_of_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(value_bundle, "SCHEMA_VERSION", value_bundle.SCHEMA_VERSION + 1)
    make_bundle().save(tmp_path / "values")
    monkeypatch.undo()
    with pytest.raises(BundleError, match="has schema version"):
        ValueBundle.load(tmp_path / "values")


def test_a_bundle_of_another_kind_is_refused(tmp_path):
    write_bundle(tmp_path / "a", kind="book", schema_version=1, package_version="0.1.0", arrays={})
    with pytest.raises(BundleError, match="is of kind 'book', expected 'postflop_values'"):
        ValueBundle.load(tmp_path / "a")


@pytest.mark.parametrize(
    "change",
    [
        {"sprs": None},
        {"reports_0": None},
        {"value_pot_0": np.zeros((2, 2, 169, 169), np.float32)},
        {"reports_0": np.zeros((3, 4))},
        {"flops": np.zeros((3, 2), np.uint8)},
    ],
    ids=["no ratios", "no reports", "too few flops", "short reports", "short flops"],
)
def test_a_sound_bundle_with_other_contents_is_refused(tmp_path, change):
    """The digests are right, so somebody wrote something else under our name."""
    values = random_values()
    arrays = {
        "flops": np.array(FLOPS.flops, np.uint8),
        "flop_weights": FLOPS.weights,
        "sprs": np.array([3.5]),
        "value_pot_0": values.value_pot,
        "reports_0": np.ones((3, 6)),
    }
    facts = {"kind": value_bundle.KIND, "schema_version": value_bundle.SCHEMA_VERSION}
    write_bundle(tmp_path / "sound", **facts, package_version="0.1.0", arrays=arrays)
    assert ValueBundle.load(tmp_path / "sound").values[0].spr == 3.5
    changed = {k: v for k, v in (arrays | change).items() if v is not None}
    write_bundle(tmp_path / "other", **facts, package_version="0.1.0", arrays=changed)
    with pytest.raises(BundleError, match="lacks or garbles"):
        ValueBundle.load(tmp_path / "other")


def test_a_bundle_is_not_overwritten_by_accident(path):
    with pytest.raises(BundleError):
        make_bundle().save(path)
    replace(make_bundle(), seed=8).save(path, overwrite=True)
    assert ValueBundle.load(path).seed == 8


def test_a_bundle_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(BundleError, match="does not exist"):
        ValueBundle.load(tmp_path / "nothing")
