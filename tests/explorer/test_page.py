"""Every view of the page in a real browser, opened from bundles made here."""

import json
import re
import shlex
import shutil
import sys

import pytest
from typer.testing import CliRunner

from runout.cli.program import app as program
from runout.explorer.jobs import Jobs
from tests.explorer.browser import Viewer, chromium, needs_browser, serving
from tests.explorer.conftest import make_explorer

pytestmark = [needs_browser, pytest.mark.browser]

WIDE, NARROW = {"width": 1600, "height": 1000}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def address(explorer):
    with serving(explorer) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def viewer(browser, address):
    context = browser.new_context(viewport=WIDE, color_scheme="dark", reduced_motion="reduce")
    viewer = Viewer(context.new_page(), address)
    yield viewer
    context.close()
    assert viewer.problems == []


@pytest.fixture
def narrow(browser, address):
    context = browser.new_context(viewport=NARROW, color_scheme="light", has_touch=True)
    viewer = Viewer(context.new_page(), address)
    yield viewer
    context.close()
    assert viewer.problems == []


def number_in(text):
    return float(re.search(r"-?\d+(\.\d+)?", text).group())


def test_all_solutions_are_listed_and_one_opens(viewer, ids):
    viewer.open("/")
    viewer.check_access()
    viewer.shoot("home")
    assert viewer.page.locator(".runs li").count() == 7
    assert "cannot be opened" in viewer.page.locator(".runs .broken").inner_text()
    viewer.page.get_by_role("link", name="river", exact=True).click()
    viewer.settle()
    assert viewer.page.url.endswith(f"/s/{ids['river']}")
    assert viewer.page.locator("[data-hand]").count() == 169


def test_numbers_on_the_page_are_those_of_the_command_line(viewer, ids, runs):
    arguments = ["show", str(runs / "river"), "--node", "x", "--json"]
    said = json.loads(CliRunner().invoke(program, arguments).stdout)
    node = said.get("node", said)
    viewer.open(f"/s/{ids['river']}?n=x&h=AA")
    rows = viewer.page.locator(".actions tbody tr:has(.action)")
    for number, action in enumerate(node["actions"]):
        cells = rows.nth(number).locator("td")
        assert number_in(cells.nth(0).inner_text()) == pytest.approx(
            100 * action["frequency"], abs=0.051
        )
        assert number_in(cells.nth(2).inner_text()) == pytest.approx(action["ev"], abs=0.051)
    aces = [i for i, hand in enumerate(node["hands"][1]) if hand[0] == hand[2] == "A"]
    shown = viewer.page.locator(".combos tbody tr:not(.total)")
    assert shown.count() == len(aces)
    for row, column in enumerate(aces):
        cells = shown.nth(row).locator("td")
        assert number_in(cells.nth(2).inner_text()) == pytest.approx(
            node["ev"][1][column], abs=0.051
        )


def test_the_matrix_says_what_every_hand_does(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    label = viewer.cell("AA").get_attribute("aria-label")
    assert label.startswith("AA: ")
    assert "EV" in label
    assert "is not in the range" in viewer.cell("72o").get_attribute("aria-label")
    assert "absent" in viewer.cell("72o").get_attribute("class")


def test_bars_are_as_high_as_the_hand_gets_here(viewer, ids):
    viewer.open(f"/s/{ids['flop']}?n=b59")
    page = viewer.page
    grid = page.evaluate(
        "[...document.querySelectorAll('[data-hand]')].map(b => [b.getAttribute('aria-label'),"
        "b.querySelector('.fill')?.style.height])"
    )
    shown = [(label, height) for label, height in grid if height]
    assert shown
    for label, height in shown:
        share = float(re.search(r"([\d.]+) % gets here", label).group(1))
        assert float(height.rstrip("%")) == pytest.approx(max(4.0, share), abs=0.1)


def test_a_line_is_followed_and_left_by_the_ribbon(viewer, ids):
    viewer.open(f"/s/{ids['flop']}")
    ribbon = viewer.page.get_by_role("navigation", name="line")
    ribbon.get_by_role("button", name="check").click()
    viewer.settle()
    assert viewer.params()["n"] == "x"
    ribbon.locator(".place.here").get_by_role("button", name="check").click()
    viewer.settle()
    viewer.page.get_by_role("tab", name="Runouts").click()
    viewer.page.get_by_role("button", name="8 of hearts").click()
    viewer.settle()
    assert viewer.params()["n"] == "x:x:8h"
    assert ribbon.locator(".place").count() == 4
    viewer.check_access()
    viewer.shoot("spot-line")
    # Going back up keeps what came after in sight; another action there is another line.
    ribbon.locator(".place-head").first.click()
    viewer.settle()
    assert ribbon.locator(".place.future").count() == 3
    ribbon.locator(".place").first.locator(".step").nth(1).click()
    viewer.settle()
    assert ribbon.locator(".place.future").count() == 0


def test_modes_of_the_matrix_and_both_players(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    page = viewer.page
    modes = page.get_by_role("group", name="mode")
    for mode, in_address in (
        ("EV", "ev"),
        ("EQ", "eq"),
        ("EQR", "eqr"),
        ("Reach", "reach"),
        ("+ EV", "strategy+ev"),
    ):
        modes.get_by_role("button", name=mode, exact=True).click()
        assert viewer.params()["m"] == in_address
        assert viewer.cell("AA").locator(".value").inner_text()
    page.get_by_role("group", name="player").get_by_role("button", name="IP").click()
    assert viewer.params()["p"] == "1"
    assert modes.get_by_role("button", name="Strategy").is_disabled()
    viewer.shoot("spot-reach")


def test_a_hand_is_hovered_and_pinned_with_all_its_combos(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    viewer.cell("KTs").hover()
    assert viewer.page.get_by_role("region", name="combos of KTs").is_visible()
    viewer.cell("AJs").click()
    assert viewer.params()["h"] == "AJs"
    table = viewer.page.get_by_role("region", name="combos of AJs")
    assert table.locator("tbody tr:not(.total)").count() == 3  # one jack is on the board
    table.get_by_role("button").first.click()
    assert len(viewer.params()["h"]) == 4
    viewer.shoot("spot-pinned")
    viewer.check_access()


def test_an_action_is_a_filter_and_p_clears_it(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    viewer.page.locator(".action").first.click()
    assert viewer.params()["a"] == "x"
    filtered = viewer.page.locator(".players .filtered")
    share = number_in(filtered.locator("th").inner_text())
    frequency = number_in(viewer.page.locator(".meter").first.inner_text())
    assert 0 < share < 100
    assert frequency > share or frequency == 100
    viewer.page.keyboard.press("p")
    assert "a" not in viewer.params()
    assert filtered.count() == 0


def test_the_breakdown_drills_down_by_class_and_equity(viewer, ids):
    viewer.open(f"/s/{ids['flop']}?tab=breakdown")
    page = viewer.page
    page.get_by_role("button", name="overpair", exact=True).click()
    assert viewer.params()["f"] == "overpair"
    viewer.shoot("spot-breakdown")
    viewer.check_access()
    absent = page.locator(".cell.absent").count()
    page.get_by_role("button", name="overpair", exact=True).click()
    assert page.locator(".cell.absent").count() < absent
    page.locator(".breakdown").last.get_by_role("button").first.click()
    assert re.fullmatch(r"\d+-\d+", viewer.params()["q"])


def test_a_class_can_be_left_out(viewer, ids):
    viewer.open(f"/s/{ids['flop']}?f=sets")
    viewer.page.get_by_role("button", name="only sets").click()
    assert viewer.params()["x"] == "sets"
    assert "f" not in viewer.params()


def test_ranges_of_both_players_can_be_copied(viewer, ids, browser):
    viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viewer.open(f"/s/{ids['river']}?tab=ranges")
    viewer.shoot("spot-ranges")
    viewer.check_access()
    viewer.page.get_by_role("button", name="Copy as text").first.click()
    text = viewer.page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("AA-")
    viewer.page.get_by_role("button", name="table", exact=True).click()
    assert viewer.page.get_by_role("table", name="Equity over the range").is_visible()


def test_all_runouts_as_chart_and_table(viewer, ids):
    viewer.open(f"/s/{ids['flop']}?n=x:x&tab=runouts")
    assert viewer.page.locator(".card-bars li").count() == 49
    viewer.shoot("spot-runouts")
    viewer.check_access()
    viewer.page.keyboard.press("w")
    table = viewer.page.get_by_role("region", name="Runouts")
    assert table.locator("tbody tr").count() == 49
    table.get_by_role("button", name="OOP EV").click()
    values = [
        number_in(text) for text in table.locator("tbody tr td:nth-child(4)").all_inner_texts()
    ]
    assert values == sorted(values, reverse=True)


def test_trust_says_how_well_it_is_solved_and_where(viewer, ids):
    viewer.open(f"/s/{ids['flop']}?tab=trust")
    text = viewer.page.get_by_role("tabpanel").inner_text()
    assert "measured in the game with real cards" in text
    assert "config digest" in text
    viewer.check_access()


def test_a_preflop_game_with_all_its_lines(viewer, ids):
    viewer.open(f"/p/{ids['preflop_game']}?tab=runouts")
    viewer.shoot("preflop-lines")
    viewer.check_access()
    lines = viewer.page.get_by_role("region", name="All lines")
    lines.get_by_role("button", name="SB raise to 2", exact=True).click()
    viewer.settle()
    assert viewer.params()["n"] == "r2"
    viewer.tab("Trust")
    assert "raw equity" in viewer.page.get_by_role("tabpanel").inner_text()
    viewer.shoot("preflop-trust")


def test_from_a_line_to_a_flop_the_command_is_shown(viewer, ids):
    viewer.open(f"/p/{ids['preflop_game']}?n=r2-c&tab=runouts")
    viewer.page.get_by_placeholder("Flop, such as Td9d6h").fill("td 9d 6h")
    viewer.page.get_by_placeholder("Flop, such as Td9d6h").press("Enter")
    viewer.settle()
    assert viewer.params()["flop"] == "Td9d6h"
    command = viewer.page.locator(".command code").inner_text()
    assert command.startswith("runout solve-spot --from ")
    assert "--node r2:c --board Td9d6h" in command


def test_the_flop_report_groups_filters_and_sorts(viewer, ids):
    viewer.open(f"/f/{ids['flop_values']}")
    viewer.shoot("flops")
    viewer.check_access()
    page = viewer.page
    assert page.locator(".sortable tbody tr").count() == 3
    page.get_by_role("button", name="monotone").click()
    assert page.locator(".sortable tbody tr").count() == 1
    assert "Filtered" in page.locator(".summary").inner_text()
    page.get_by_role("button", name="clear").click()
    page.get_by_label("group by").select_option("suits")
    assert page.locator(".sortable tbody tr").count() == 2


def test_a_report_over_flops_opens_its_flops(viewer, ids):
    viewer.open(f"/f/{ids['flop_report']}")
    viewer.shoot("report")
    viewer.check_access()
    page = viewer.page
    headings = page.locator(".sortable thead").inner_text()
    assert all(text in headings for text in ("bet 50% (10)", "OOP nuts", "all b20"))
    assert "3 of 4 flops are solved" in page.locator("main").inner_text()
    page.get_by_role("button", name="line x:x").click()
    assert viewer.params()["n"] == "x:x"
    page.get_by_role("button", name="line root").click()
    page.get_by_label("group by").select_option("suits")
    assert page.locator(".sortable tbody tr").count() == 3
    page.get_by_label("group by").select_option("")
    page.locator(".sortable tbody tr").filter(has_text="T♦").locator("button").click()
    viewer.settle()
    assert "/s/" in page.url
    assert viewer.page.locator(".matrix").count() == 1


def test_the_lens_and_the_comparison_of_two_actions(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    viewer.page.get_by_label("indifferent hands").select_option("2")
    assert viewer.page.locator(".cell.either").count() > 0
    viewer.page.get_by_label("compare EV").select_option("b59~x")
    assert re.match(r"[+-]?\d", viewer.cell("AA").locator(".value").inner_text())
    viewer.shoot("spot-compare")


def test_two_solutions_as_a_difference(viewer, ids):
    viewer.open(f"/d?a={ids['river']}&b={ids['river']}&n=x")
    viewer.shoot("difference")
    viewer.check_access()
    values = set(viewer.page.locator(".matrix .value").all_inner_texts())
    assert values <= {"", "0.0"}
    viewer.page.get_by_role("button", name="check", exact=True).last.click()
    assert set(viewer.page.locator(".matrix .value").all_inner_texts()) <= {"", "0"}


def test_a_deep_link_shows_the_same_and_the_back_button_goes_back(viewer, ids):
    viewer.open(f"/s/{ids['river']}?n=x:b59&h=AQs&m=eq&tab=breakdown")
    page = viewer.page
    assert page.get_by_role("tab", name="Breakdown").get_attribute("aria-selected") == "true"
    assert "pinned" in viewer.cell("AQs").get_attribute("class")
    viewer.tab("Ranges")
    page.keyboard.press("Backspace")
    viewer.settle()
    assert viewer.params()["n"] == "x"
    page.go_back()
    viewer.settle()
    assert (viewer.params()["n"], viewer.params()["tab"]) == ("x:b59", "ranges")
    page.go_back()
    viewer.settle()
    assert viewer.params()["tab"] == "breakdown"


def test_a_walk_by_keys_alone(viewer, ids):
    viewer.open(f"/s/{ids['flop']}")
    page = viewer.page
    viewer.cell("AA").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    focused = page.evaluate("document.activeElement.dataset.hand")
    assert focused == "KQo"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert viewer.params()["h"] == "AA"
    page.keyboard.press("Space")
    assert viewer.params()["u"] == "pct"
    page.keyboard.press("Escape")
    assert "h" not in viewer.params()
    for number, tab in enumerate(("hands", "ranges", "breakdown", "runouts", "trust"), start=1):
        page.keyboard.press(str(number))
        viewer.settle()
        assert viewer.params().get("tab", "hands") == tab
    page.keyboard.press("j")
    page.keyboard.press("Control+a")
    page.keyboard.type("x:x:8h:x")
    page.keyboard.press("Enter")
    viewer.settle()
    assert viewer.params()["n"] == "x:x:8h:x"
    page.keyboard.press("]")
    viewer.settle()
    assert viewer.params()["n"] != "x:x:8h:x"
    page.keyboard.press("s")
    assert viewer.params()["g"] == "1"
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.dialog'))")
    viewer.check_access()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_what_is_on_screen_can_be_exported(viewer, ids):
    viewer.open(f"/s/{ids['river']}?n=x&h=AA")
    viewer.page.get_by_role("button", name="Export").click()
    viewer.check_access()
    viewer.shoot("export")
    assert "--node x --hand AA" in viewer.page.locator(".exports code").inner_text()
    for name, ending in (
        ("CSV", ".csv"),
        ("JSON", ".json"),
        ("SVG of the matrix", ".svg"),
        ("PNG of the matrix", ".png"),
    ):
        with viewer.page.expect_download() as download:
            viewer.page.get_by_role("button", name=name, exact=True).click()
        assert download.value.suggested_filename.endswith(ending)


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ("river", "/s/{}?n=x&m=eqr&p=0"),
        ("flop", "/s/{}?n=x:x:8h&tab=breakdown&f=sets,overpair"),
        ("flop", "/s/{}?n=x:x&tab=runouts"),
        ("preflop_game", "/p/{}?n=r2&m=ev"),
        ("preflop_game", "/p/{}?n=r2&h=AKs"),
        ("joint_game", "/p/{}?n=c&m=ev"),
        ("joint_game", "/p/{}?n=c-x:QsTs5s&h=AA"),
    ],
)
def test_the_command_of_the_export_is_one(viewer, ids, run, place):
    viewer.open(place.format(ids[run]))
    viewer.page.get_by_role("button", name="Export").click()
    words = shlex.split(viewer.page.locator(".exports code").inner_text())
    assert words[0] == "runout"
    assert CliRunner().invoke(program, words[1:]).exit_code == 0


def test_light_and_dark_and_palettes_are_kept(viewer, ids):
    viewer.open(f"/s/{ids['river']}")
    viewer.page.get_by_role("button", name="light or dark").click()
    viewer.page.get_by_role("button", name="hatching").click()
    viewer.page.get_by_label("colours").select_option("contrast")
    viewer.check_access()
    viewer.shoot("spot-light")
    viewer.open(f"/s/{ids['river']}?n=x")
    root = viewer.page.locator("html")
    assert root.get_attribute("data-theme") == "light"
    assert root.get_attribute("data-palette") == "contrast"
    assert "hatching" in root.get_attribute("class")


@pytest.mark.parametrize("tab", ["hands", "ranges", "breakdown", "runouts", "trust"])
def test_everything_fits_a_telephone(narrow, ids, tab):
    narrow.open(f"/s/{ids['flop']}?n=x:x&tab={tab}&h=AA")
    narrow.shoot(f"narrow-{tab}")
    wide = narrow.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= NARROW["width"]
    if tab == "runouts":  # the others are checked where they are wide
        narrow.check_access()


def test_the_node_that_is_on_is_in_sight_on_a_telephone(narrow, ids):
    narrow.open(f"/s/{ids['flop']}?n=x:x:8h:x")
    box = narrow.page.locator(".place.here").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= NARROW["width"]


def test_a_place_that_is_not_there_is_said_and_can_be_tried_again(browser, address, ids):
    context = browser.new_context(viewport=WIDE)
    viewer = Viewer(context.new_page(), address)
    viewer.open(f"/s/{ids['river']}?n=b1")
    assert "is not an action" in viewer.page.get_by_role("alert").inner_text()
    viewer.open("/s/nothing")
    assert "there is none of this name" in viewer.page.get_by_role("alert").inner_text()
    context.close()
    assert all("404" in problem or "422" in problem for problem in viewer.problems)


def test_from_a_preflop_line_to_a_flop_of_a_joint_game_and_on(viewer, ids):
    viewer.open(f"/p/{ids['joint_game']}?n=c-x")
    page = viewer.page
    viewer.check_access()
    page.get_by_role("button", name="QsTs5s").click()
    viewer.settle()
    assert viewer.params()["n"] == "c:x:QsTs5s"
    viewer.shoot("joint-flop")
    for _ in range(2):
        page.locator(".place.here .step").first.click()
        viewer.settle()
    page.get_by_role("button", name="8 of hearts").click()
    viewer.settle()
    assert viewer.params()["n"] == "c:x:QsTs5s:x:x:8h"
    heads = page.locator(".place-head").all_inner_texts()
    assert [head.strip() for head in heads if head.strip().isalpha()] == [
        "SB",
        "BB",
        "BB",
        "SB",
        "BB",
    ]
    viewer.open(f"/p/{ids['joint_game']}?n=c-x")
    page.get_by_placeholder("Flop, such as Td9d6h").fill("5hThQh")
    page.keyboard.press("Enter")
    viewer.settle()
    assert viewer.params()["n"] == "c:x:5hThQh"


def test_flops_of_a_joint_game_as_a_report(viewer, ids):
    viewer.open(f"/p/{ids['joint_game']}?n=c-x")
    viewer.page.get_by_role("button", name="all of them as a report").click()
    viewer.settle()
    viewer.check_access()
    viewer.shoot("joint-report")
    assert "check" in viewer.page.locator(".sortable thead").inner_text()
    viewer.page.locator(".sortable tbody button").first.click()
    viewer.settle()
    assert viewer.params()["n"] == "c:x:QsTs5s"


#: Says that it solves, and copies a spot that was solved before.
SOLVES = """
import json, shutil, sys, time
if "--estimate" in sys.argv:
    sys.exit(print("5 nodes of betting"))
is_trial = "--output" not in sys.argv
for n in (10, 20, 30):
    step = {"iteration": n, "exploitability": 10 / n, "pot_chips": 10.0, "seconds": n / 10}
    told = {"event": "SpotSolving", **step, "seconds_left": 2}
    print(json.dumps(told), file=sys.stderr, flush=True)
    time.sleep(0 if is_trial else float(sys.argv[2]))
if is_trial:
    sys.exit()
shutil.copytree(sys.argv[1], sys.argv[-1])
"""


def open_solving(browser, runs, tmp_path, seconds):
    """Yields a viewer of a preflop game whose flops can be solved from the page."""
    shutil.copytree(runs / "preflop_game", tmp_path / "game")
    command = [sys.executable, "-c", SOLVES, str(runs / "river"), str(seconds)]
    jobs = Jobs(command)
    with serving(make_explorer(tmp_path, jobs)) as address:
        context = browser.new_context(viewport=WIDE)
        viewer = Viewer(context.new_page(), address)
        viewer.open("/p/game?n=r2-c&tab=runouts&flop=Td9d6h")
        yield viewer
        context.close()
    jobs.stop_all()
    assert viewer.problems == []


def test_a_flop_is_solved_from_the_page_and_opened(browser, runs, tmp_path):
    for viewer in open_solving(browser, runs, tmp_path, 0.1):
        page = viewer.page
        page.get_by_role("button", name="What will it take?").click()
        page.get_by_text("5 nodes of betting").wait_for()
        page.get_by_role("button", name="Solve it now").click()
        page.get_by_role("button", name="open it").click()
        viewer.settle()
        assert page.url.endswith("/s/game-spots-r2-c-Td9d6h")
        assert page.locator("[data-hand]").count() == 169


def test_a_solve_shows_its_progress_and_can_be_stopped(browser, runs, tmp_path):
    for viewer in open_solving(browser, runs, tmp_path, 600):
        viewer.page.get_by_role("button", name="Solve it now").click()
        viewer.page.get_by_text("10 iterations").wait_for()
        viewer.page.get_by_text("% of the pot").wait_for()
        viewer.page.get_by_role("button", name="Stop").click()
        viewer.page.get_by_text("stopped").wait_for()
