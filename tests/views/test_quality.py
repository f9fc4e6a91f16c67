"""How well something is solved, as JSON and from a manifest."""

import json

import pytest

from runout.results.solve_report import ExploitabilityMeaning
from runout.storage.writer import write_bundle
from runout.views.quality import ExploitabilityUnit, Provenance, Quality


def test_quality_says_in_which_game_it_was_measured(tmp_path):
    manifest = write_bundle(
        tmp_path / "b", kind="x", schema_version=1, package_version="7", arrays={}, config_text="a"
    )
    provenance = Provenance.of(manifest)
    meaning = ExploitabilityMeaning.OWN_GAME
    quality = Quality(0.01, ExploitabilityUnit.POT, meaning, None, 5, 2.0, ((1, 0.5),), provenance)
    document = json.loads(json.dumps(quality.to_json()))
    assert document["meaning"] == "own game"
    assert document["explanation"] == meaning.explanation
    assert document["version"] == "7"
    assert document["processor"] == manifest.machine.processor
    assert document["config_digest"] == manifest.config_digest
    assert document["curve"] == [[1, 0.5]]


def test_what_is_not_saved_comes_from_nowhere():
    quality = Quality(1.0, ExploitabilityUnit.MBB, ExploitabilityMeaning.REAL_GAME, 2.0, 5, 2.0)
    document = quality.to_json()
    assert (document["date"], document["version"]) == (None, None)
    assert document["real_exploitability"] == 2.0


@pytest.mark.parametrize(
    ("exploitability", "unit", "is_rough"),
    [
        (0.0099, ExploitabilityUnit.POT, False),
        (0.0101, ExploitabilityUnit.POT, True),
        (19.0, ExploitabilityUnit.MBB, False),
        (21.0, ExploitabilityUnit.MBB, True),
    ],
)
def test_above_a_hundredth_of_the_pot_a_solution_is_rough(exploitability, unit, is_rough):
    quality = Quality(exploitability, unit, ExploitabilityMeaning.OWN_GAME, None, 5, 2.0)
    assert quality.is_rough is is_rough
    assert quality.to_json()["rough"] is is_rough
