"""Bundles of commit 86d1cbc open, and their nodes show what the code of that commit showed.

`tests/data/bundles_86d1cbc/README.md` says what they are and how they were made.
"""

import json
import math
import re
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

import runout
from runout.cards.deck import live_combos, parse_canonical_hand, parse_combo
from runout.cards.flops import GivenFlop
from runout.cli.program import app
from runout.flops.solve import kept_rounds
from tests.cli.retired import modern_arguments, modern_document
from tests.conftest import SAMPLES as DATA

TOLERANCE = 1e-4
OLD_PATH = re.compile(r"([fca]|r[0-9.]+)-([fxca]|r[0-9.]+)(?=$|[-:])")
OLD_RAISE = re.compile(r"raise (?:to ([0-9.]+)(?: \(.*\))?|.* \(to ([0-9.]+)\))")

#: What is called otherwise now: players keep their blinds on the flops of a preflop game.
RENAMED = {"joint": {"OOP": "BB", "IP": "SB"}, "joint_compact": {"OOP": "BB", "IP": "SB"}}

#: Names that old documents do not have.
NEW = tuple(
    f".{name}: new"
    for name in (
        "buckets",
        "command",
        "content_digest",
        "ledger",
        "num_cores",
        "num_workers",
        "python_version",
        "system",
        "trusted",
    )
)
#: What exact solves had in one place only.
KNOWN = (".quality.real_exploitability",)

#: Names that only old documents have: flops are not solved in rounds any more.
GONE = (".ranges_rounds: missing",)


#: Commands that are gone; their documents are held against what Python reads.
RETIRED = ("values", "diag-buckets")


@cache
def read_golden(name):
    return json.loads((DATA / "golden" / f"{name}.json").read_text())


def list_documents(command=None):
    """Yields the documents of a command that is gone, or of all others."""
    for file in sorted((DATA / "golden").glob("*.json")):
        for number, golden in enumerate(read_golden(file.stem)):
            asked = golden["arguments"][0]
            if (asked if asked in RETIRED else None) == command:
                yield pytest.param(file.stem, number, id=" ".join(golden["arguments"]))


def find_differences(new, old, place=""):
    """Yields where a document differs from an old one; floats may by a ten-thousandth."""
    if isinstance(new, dict) and isinstance(old, dict):
        for key in sorted(old.keys() ^ new.keys()):
            yield f"{place}.{key}: {'new' if key in new else 'missing'}"
        for key in old.keys() & new.keys():
            yield from find_differences(new[key], old[key], f"{place}.{key}")
    elif isinstance(new, list) and isinstance(old, list):
        if len(new) != len(old):
            yield f"{place}: {len(new)} entries, were {len(old)}"
        for number, (item, old_item) in enumerate(zip(new, old, strict=False)):
            yield from find_differences(item, old_item, f"{place}[{number}]")
    elif float in (type(new), type(old)) and {type(new), type(old)} <= {int, float}:
        both_nan = math.isnan(new) and math.isnan(old)
        if not (both_nan or math.isclose(new, old, rel_tol=TOLERANCE, abs_tol=TOLERANCE)):
            yield f"{place}: {new}, was {old}"
    elif type(new) is not type(old) or new != old:
        yield f"{place}: {new!r}, was {old!r}"


def modern(document, names):
    """Returns an old document with its texts as they are written now.

    Before the flop the steps of paths were parted by dashes; labels of actions are reduced to
    amounts, because sizes come as they were asked for.
    """
    if isinstance(document, dict):
        return {modern(key, names): modern(value, names) for key, value in document.items()}
    if isinstance(document, list):
        return [modern(item, names) for item in document]
    if not isinstance(document, str):
        return document
    if OLD_PATH.match(document):
        return document.replace("-", ":")
    if raised := OLD_RAISE.fullmatch(document):
        return f"raise {raised[1] or raised[2]}"
    return names.get(document, document)


@pytest.mark.parametrize(("name", "number"), list(list_documents()))
def test_an_old_bundle_shows_what_it_showed(name, number, samples, monkeypatch):
    golden = read_golden(name)[number]
    monkeypatch.chdir(samples)
    result = CliRunner().invoke(app, modern_arguments(golden["arguments"]))
    assert result.exit_code == 0, result.stderr or repr(result.exception)
    document = modern_document(golden["arguments"], json.loads(result.stdout))
    shown = modern(document, {})
    expected = modern(golden["document"], RENAMED.get(name, {}))
    found = (d for d in find_differences(shown, expected) if not d.startswith(KNOWN))
    differences = [difference for difference in found if not difference.endswith((*NEW, *GONE))]
    assert not differences, "\n".join(differences[:20])


@pytest.mark.parametrize(("name", "number"), list(list_documents("values")))
def test_old_values_of_hands_are_what_they_were(name, number, samples):
    document = read_golden(name)[number]["document"]
    folder = samples / name / "values"
    bundle = runout.open(folder if folder.is_dir() else samples / name)
    hand = parse_canonical_hand(document["hero"])
    for old in document["sprs"]:
        values = bundle.at_spr(old["spr"])
        for position, player in enumerate(("oop", "ip")):
            if document["flop"] is None:
                found = values.average(position)[hand]
            else:
                flop = values.flops.find(GivenFlop.parse(document["flop"]))
                found = values.value_pot[flop, position, hand]
            if document["villain"] is not None:
                found = found[parse_canonical_hand(document["villain"])]
            expected = np.array(old[player]["value_pot"], dtype=float)
            np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_every_bundle_has_documents():
    shown = {file.stem for file in (DATA / "golden").glob("*.json")}
    assert {file.name.removesuffix(".tar.xz") for file in DATA.glob("*.tar.xz")} <= shown


def test_old_rounds_of_buckets_are_what_they_were(samples):
    (case,) = list_documents("diag-buckets")
    name, number = case.values
    bundle = runout.open(samples / name)
    for index, old in enumerate(read_golden(name)[number]["document"]["flops"]):
        rounds = kept_rounds(bundle, index)
        assert len(rounds.facts) == len(old["rounds"]) == 2
        for place, of_round in enumerate(old["rounds"]):
            for bucket, contents in enumerate(of_round["buckets"]):
                combos = sorted(map(parse_combo, contents["combos"]))
                assert np.flatnonzero(rounds.flop_buckets[place] == bucket).tolist() == combos
                live = np.isin(live_combos(bundle.flops.flops[index]), combos)
                earned = contents["ev_pot"]["mean"]
                found = rounds.mean_values[place][live].mean()
                assert found == pytest.approx(earned, abs=TOLERANCE)
            names = ("iterations", "exploitability_bound_pot", "final_delta")
            expected = [of_round[name] for name in names]
            assert rounds.facts[place] == pytest.approx(expected, abs=TOLERANCE)
        iterations, bound, _ = rounds.facts.T
        report = bundle.values[0].reports[index]
        assert bound[-1] == report.exploitability_pot
        assert iterations.sum() == report.iterations


@pytest.mark.parametrize(
    ("new", "place"),
    [
        ({"a": [1.0, 2.001], "b": "x", "n": None}, ".a[1]: 2.001, was 2.0"),
        ({"a": [1.0], "b": "x", "n": None}, ".a: 1 entries, were 2"),
        ({"a": [1.0, None], "b": "x", "n": None}, ".a[1]: None, was 2.0"),
        ({"a": [1.0, 2.0], "b": "y", "n": None}, ".b: 'y', was 'x'"),
        ({"a": [1.0, 2.0], "b": "x"}, ".n: missing"),
        ({"a": [True, 2.0], "b": "x", "n": None}, ".a[0]: True, was 1.0"),
    ],
)
def test_a_difference_is_seen(new, place):
    old = {"a": [1.0, 2.0], "b": "x", "n": None}
    assert list(find_differences(new, old)) == [place]
    assert not list(find_differences(old, {"a": [1.00005, 2], "b": "x", "n": None}))
