from pathlib import Path

import pytest

from runout.config.describe import format_reference, renew_reference
from runout.config.postflop import PostflopModelConfig

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_on_disk_is_up_to_date():
    page = PAGE.read_text("utf-8")
    assert renew_reference(page) == page, (
        "run: python -m runout.config.describe docs/configuration.md"
    )


def test_every_key_is_described_with_its_default_and_unit():
    rows = {line.split("`")[1]: line for line in format_reference().splitlines() if "`" in line}
    assert rows.keys() >= PostflopModelConfig.model_fields.keys()
    assert "| `[3.5]` | flop pots |" in format_reference()
    for key in PostflopModelConfig.model_fields:
        about = PostflopModelConfig.about(key)
        assert about.description.endswith(".")
        assert "|" not in about.description + about.allowed + about.unit


def test_the_rest_of_the_page_is_left_alone():
    page = PAGE.read_text("utf-8")
    stale = page.replace("| `seed` |", "| `sede` |")
    assert stale != page
    assert renew_reference(stale) == page


def test_a_page_without_marks_is_a_mistake():
    with pytest.raises(ValueError, match="the page has no <!-- begin"):
        renew_reference("# A page")
