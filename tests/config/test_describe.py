from pathlib import Path

import pytest

from runout.config.backends import BACKENDS, load_config_class
from runout.config.describe import format_reference, renew_reference
from runout.config.joint import JointConfig, PotSizesConfig
from runout.config.preflop import PreflopConfig
from runout.config.presets import PREFLOP_PRESETS, PRESETS
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_on_disk_is_up_to_date():
    page = PAGE.read_text("utf-8")
    assert renew_reference(page) == page, (
        "run: python -m runout.config.describe docs/configuration.md"
    )


@pytest.mark.parametrize(
    "section",
    [
        RunConfig,
        JointConfig,
        PotSizesConfig,
        PreflopConfig,
        SpotConfig,
        *map(load_config_class, BACKENDS),
    ],
)
def test_every_key_is_described_with_its_default_and_unit(section):
    reference = format_reference()
    for key in section.model_fields:
        about = section.about(key)
        assert f"\n| `{key}` | {about.allowed} | " in reference
        assert f" | {about.unit} | {about.description} |\n" in reference
        assert about.description.endswith(".")
        assert "|" not in about.description + about.allowed + about.unit


def test_defaults_are_written_as_in_a_file():
    reference = format_reference()
    for default in (
        "| `[3.5]` | flop pots |",
        "| `mccfr` |",
        "| `10000` | iterations |",
        "| `null` | flops |",
        "| `[[2.5bb], [3x], [allin]]` |",
        "| `preflop` | a mapping of keys to values | must be given |",
    ):
        assert default in reference


@pytest.mark.parametrize("name", [*PRESETS, *PREFLOP_PRESETS])
def test_every_preset_is_shown(name):
    assert f"| `{name}` |" in format_reference()


def test_the_rest_of_the_page_is_left_alone():
    page = PAGE.read_text("utf-8")
    stale = page.replace("| `seed` |", "| `sede` |")
    assert stale != page
    assert renew_reference(stale) == page


def test_a_page_without_marks_is_a_mistake():
    with pytest.raises(ValueError, match="the page has no <!-- begin"):
        renew_reference("# A page")
