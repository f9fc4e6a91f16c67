import numba
import numpy as np

from runout.storage import machine as machine_module
from runout.storage.bundle import read_manifest
from runout.storage.machine import describe_machine
from tests.storage.samples import write_sample


def test_a_machine_is_described_by_what_computes():
    machine = describe_machine()
    assert machine.processor not in ("", "unknown")
    assert machine.blas
    assert (machine.numpy_version, machine.numba_version) == (np.__version__, numba.__version__)


def test_a_bundle_says_where_it_was_computed(tmp_path):
    write_sample(tmp_path / "a")
    assert read_manifest(tmp_path / "a").machine == describe_machine()


def test_a_system_that_tells_nothing_is_an_unknown_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(machine_module, "_PROCESSOR_LIST", tmp_path / "nothing")
    monkeypatch.setattr(machine_module.platform, "processor", lambda: "")
    monkeypatch.setattr(machine_module.platform, "machine", lambda: "")
    monkeypatch.setattr(machine_module, "threadpool_info", lambda: [])
    machine = describe_machine.__wrapped__()
    assert (machine.processor, machine.blas) == ("unknown", "unknown")
