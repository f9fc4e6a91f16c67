"""Tests of `tools.seed_points`: every point of the founding documents is met where it says."""

import ast
import re
from collections import Counter
from functools import cache

import pytest

from tools.seed_points import ROOT, TITLES, read_points, renew_points

PAGE = ROOT / "docs" / "history.md"
NUM_POINTS = {"000": 42, "001": 17, "002": 36, "003": 13, "004": 47, "02": 10}


@cache
def find_tests(file):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def anchors_of(page):
    headings = re.findall(r"^#+ (.*)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_point_of_every_document_is_there_once():
    points = read_points()
    assert NUM_POINTS.keys() == TITLES.keys()
    assert Counter(point["document"] for point in points) == NUM_POINTS
    for document, number in NUM_POINTS.items():
        numbers = [point["point"] for point in points if point["document"] == document]
        assert numbers == list(range(1, number + 1))
    assert all(point["what"] and point["met"] for point in points)
    assert {point["status"] for point in points} <= {"works", "better", "partly"}


@pytest.mark.parametrize("document", TITLES)
def test_tests_and_pages_that_meet_the_points_exist(document):
    places = [p for point in read_points() if point["document"] == document for p in point["met"]]
    for place in places:
        file, _, test = place.partition("::")
        file, _, anchor = file.partition("#")
        assert (ROOT / file).exists(), place
        assert not test or test in find_tests(file), f"name it anew in seeds.json: {place}"
        assert not anchor or anchor in anchors_of(file), place


def test_the_page_has_the_points():
    page = PAGE.read_text("utf-8")
    assert renew_points(page) == page, "run: python -m tools.seed_points docs/history.md"
