"""The study room in a real browser: spots are made, solved, kept and thrown away."""

import json
import shutil
import sys

import pytest
from typer.testing import CliRunner

from runout.cli.program import app as program
from runout.explorer.jobs import Jobs
from tests.explorer.browser import Viewer, chromium, needs_browser, serving
from tests.explorer.conftest import make_explorer
from tests.explorer.test_jobs import wait_until
from tests.explorer.test_study import PROGRAM

pytestmark = [needs_browser, pytest.mark.browser]

SIZES = {
    "wide": {"width": 1600, "height": 1000},
    "laptop": {"width": 1280, "height": 800},
    "narrow": {"width": 390, "height": 844},
}


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def folder(runs, tmp_path):
    shutil.copytree(runs / "river", tmp_path / "river")
    return tmp_path


@pytest.fixture
def address(folder):
    jobs = Jobs(PROGRAM)
    with serving(make_explorer(folder, jobs)) as address:
        yield address
    jobs.stop_all()


def open_viewer(browser, address, size="wide", scheme="dark"):
    context = browser.new_context(
        viewport=SIZES[size],
        color_scheme=scheme,
        reduced_motion="reduce",
        has_touch=size == "narrow",
    )
    viewer = Viewer(context.new_page(), address)
    yield viewer
    context.close()
    assert viewer.problems == []


@pytest.fixture
def viewer(browser, address):
    yield from open_viewer(browser, address)


def range_box(viewer, player):
    return viewer.page.get_by_role("textbox", name="Range as text").nth(player)


def cell(viewer, player, hand):
    return viewer.page.locator(f'.range-editor >> nth={player} >> [data-paint="{hand}"]')


def wait_for_estimate(viewer):
    viewer.page.get_by_text("betting nodes").wait_for()
    viewer.page.get_by_text("measuring").wait_for(state="detached")


@pytest.mark.parametrize(
    ("size", "scheme"), [("wide", "dark"), ("laptop", "light"), ("narrow", "light")]
)
def test_a_new_spot_is_accessible_and_fits(browser, address, size, scheme):
    for viewer in open_viewer(browser, address, size, scheme):
        viewer.open("/new")
        wait_for_estimate(viewer)
        viewer.page.wait_for_timeout(200)
        wide = viewer.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= SIZES[size]["width"]
        viewer.check_access()
        viewer.shoot(f"new-{size}-{scheme}", whole=True)


def test_a_range_is_painted_by_dragging_and_its_text_follows(viewer):
    viewer.open("/new")
    page = viewer.page
    page.get_by_role("button", name="Clear").first.click()
    cell(viewer, 0, "AA").hover()
    page.mouse.down()
    for hand in ("KK", "QQ", "JJ"):
        cell(viewer, 0, hand).hover()
    page.mouse.up()
    cell(viewer, 0, "TT").hover()  # the stroke is over
    assert range_box(viewer, 0).input_value() == "AA-JJ"
    page.get_by_role("button", name="50 %").click()
    cell(viewer, 0, "AKs").click()
    assert range_box(viewer, 0).input_value() == "AA-JJ,AKs:0.5"
    cell(viewer, 0, "AKs").click()
    assert range_box(viewer, 0).input_value() == "AA-JJ"


def test_a_range_is_painted_by_keyboard_and_by_suits(viewer):
    viewer.open("/new")
    page = viewer.page
    page.get_by_role("button", name="Clear").first.click()
    cell(viewer, 0, "AA").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("3")
    assert range_box(viewer, 0).input_value() == "KK:0.3,AKs"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("s")
    page.get_by_role("button", name="AhKh").click()
    assert range_box(viewer, 0).input_value() == "KK:0.3,AsKs,AdKd,AcKc"


@pytest.mark.parametrize(
    ("text", "weight"),
    [("[50]JTs[/50]", "50 %"), ("JTs@50", "50 %"), ("JTs:50%,", "50 %"), ("JTs; AA", "100 %")],
)
def test_a_text_in_any_notation_fills_the_grid(viewer, text, weight):
    viewer.open("/new")
    range_box(viewer, 1).fill(text)
    label = cell(viewer, 1, "JTs")
    viewer.page.locator(f'.range-editor >> nth=1 >> [aria-label="JTs {weight}"]').wait_for()
    assert label.get_attribute("aria-label") == f"JTs {weight}"


def test_a_text_that_is_no_range_is_said_and_kept(viewer):
    viewer.open("/new")
    range_box(viewer, 0).fill("AAs,KK")
    assert "AAs" in viewer.page.get_by_role("alert").inner_text()
    assert range_box(viewer, 0).input_value() == "AAs,KK"
    viewer.page.reload()
    range_box(viewer, 0).wait_for()
    assert range_box(viewer, 0).input_value() == "AAs,KK"  # a draft outlives a reload


def test_memory_changes_with_sizes_and_the_board_is_picked(viewer):
    viewer.open("/new")
    page = viewer.page
    wait_for_estimate(viewer)
    before = page.locator(".estimate").inner_text()
    page.get_by_label("OOP flop bet").fill("25%, 50%, 100%")
    wait_until(lambda: before not in page.locator(".estimate").inner_text())
    wait_for_estimate(viewer)
    assert page.locator(".estimate").inner_text() != before
    page.get_by_role("region", name="Board").get_by_role("button", name="Clear").click()
    for card in ("2 of clubs", "3 of clubs", "4 of hearts", "8 of spades"):
        page.get_by_role("button", name=card).click()
    assert page.get_by_label("Board as text").input_value() == "2c3c4h8s"
    page.get_by_label("texture").select_option("monotone")
    page.get_by_role("button", name="Random flop").click()
    board = page.get_by_label("Board as text").input_value()
    assert len(board) == 6
    assert len(set(board[1::2])) == 1


def make_small_river(viewer):
    viewer.open("/new")
    range_box(viewer, 0).fill("AA,QQ,T9s")
    range_box(viewer, 1).fill("KK,JTs,AKo")
    viewer.page.get_by_label("Board as text").fill("QsJh2h8c3d")


def test_a_spot_is_made_solved_opened_and_solved_further(viewer, folder):
    make_small_river(viewer)
    page = viewer.page
    wait_for_estimate(viewer)
    page.get_by_role("button", name="Solve", exact=True).click()
    viewer.shoot("new-solving")
    page.get_by_role("button", name="open it").click()
    viewer.settle()
    assert page.url.endswith("/s/QsJh2h8c3d")
    said = json.loads(
        CliRunner().invoke(program, ["show", str(folder / "QsJh2h8c3d"), "--json"]).stdout
    )
    node = said.get("node", said)
    assert page.locator(".action").first.inner_text().strip() == node["actions"][0]["label"]
    page.get_by_role("button", name="Duplicate and change").click()
    wait_for_estimate(viewer)
    assert range_box(viewer, 0).input_value() == "AA,QQ,T9s"
    assert page.get_by_label("Board as text").input_value() == "QsJh2h8c3d"


def test_several_spots_wait_for_each_other(browser, folder):
    jobs = Jobs([sys.executable, "-c", "import time; time.sleep(600)"])
    with serving(make_explorer(folder, jobs)) as address:
        for viewer in open_viewer(browser, address):
            viewer.page.add_init_script("localStorage.clear()")
            for name in "ab":
                make_small_river(viewer)
                viewer.page.get_by_label("Save as").last.fill(name)
                viewer.page.get_by_role("button", name="Solve", exact=True).click()
                viewer.page.locator(".job").wait_for()
            assert "queued" in viewer.page.locator(".job").inner_text()
            viewer.page.get_by_role("button", name="Stop").click()
            viewer.page.get_by_text("stopped").wait_for()
        jobs.stop_all()


def test_a_range_is_saved_loaded_and_removed(viewer):
    viewer.open("/new")
    page = viewer.page
    range_box(viewer, 0).fill("TT+,AKs")
    page.get_by_label("Name of the range").first.fill("four-bet")
    page.get_by_role("button", name="Save as").first.click()
    page.get_by_label("Shelf: load a range").nth(1).select_option(label="four-bet")
    assert range_box(viewer, 1).input_value() == "TT+,AKs"
    page.locator(".shelf summary").click()
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("Shelf (0)").wait_for()


def test_a_hand_history_becomes_a_spot(viewer):
    viewer.open("/new")
    page = viewer.page
    page.get_by_text("Paste a config").click()
    hand = (
        'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\n'
        "starting_stacks = [200, 200]\n"
        'actions = ["d dh p1 ????", "d dh p2 ????", "p2 cbr 6", "p1 cc", "d db QsJh2h", "p1 cc"]\n'
    )
    page.get_by_role("textbox", name="Paste a config").fill(hand)
    page.get_by_role("button", name="Read").click()
    wait_until(lambda: page.get_by_label("Board as text").input_value() == "QsJh2h")
    assert page.get_by_role("textbox", name="Pot").input_value() == "12"


def test_a_solution_is_renamed_tagged_deleted_and_restored(viewer, folder):
    viewer.open("/")
    page = viewer.page
    page.get_by_role("button", name="Edit river").click()
    page.get_by_label("Rename").fill("lesson/dry river")
    page.get_by_label("tags").fill("dry, check-raise")
    viewer.check_access()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="lesson/dry river").wait_for()
    assert page.locator(".tag").all_inner_texts() == ["check-raise", "dry"]
    assert (folder / "lesson" / "dry river").is_dir()
    page.get_by_role("button", name="Edit lesson/dry river").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("link", name="lesson/dry river").wait_for(state="detached")
    page.get_by_text("Trash (1)").click()
    viewer.shoot("home-trash")
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("link", name="lesson/dry river").wait_for()
    assert (folder / "lesson" / "dry river").is_dir()


def test_a_started_spot_can_be_resumed_from_the_list(browser, folder):
    first = Jobs([sys.executable, "-c", "import time; time.sleep(600)"])
    with serving(make_explorer(folder, first)) as address:
        for viewer in open_viewer(browser, address):
            make_small_river(viewer)
            wait_for_name = viewer.page.get_by_label("Save as").last
            wait_for_name.fill("cut off")
            viewer.page.get_by_role("button", name="Solve", exact=True).click()
            viewer.page.locator(".job").wait_for()
    first.stop_all()
    second = Jobs(PROGRAM)
    with serving(make_explorer(folder, second)) as address:
        for viewer in open_viewer(browser, address):
            viewer.open("/")
            viewer.page.get_by_role("button", name="Resume").click()
            viewer.page.get_by_role("link", name="cut off").wait_for()
    second.stop_all()


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_home_is_accessible_and_fits(browser, runs, size):
    with serving(make_explorer(runs, Jobs(PROGRAM))) as address:
        for viewer in open_viewer(browser, address, size, "light"):
            viewer.open("/")
            viewer.page.locator(".runs li").first.wait_for()
            wide = viewer.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= SIZES[size]["width"]
            viewer.check_access()
            viewer.shoot(f"home-{size}-light", whole=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "place",
    [
        "/p/joint-game?n=c&tab=runouts",
        "/p/joint-game?n=c:x:QsTs5s&tab=breakdown",
        "/f/flop-report",
        "/f/flop-values",
        "/d?a=flop&b=flop-report-spots-Td9d6h&n=x",
        "/s/flop?n=x:x:8h&m=ev&tab=runouts",
        "/s/flop?n=x:x:8h&a=x",
    ],
)
def test_no_view_scrolls_sideways(browser, runs, place, scheme):
    with serving(make_explorer(runs)) as address:
        for viewer in open_viewer(browser, address, "narrow", scheme):
            viewer.open(place)
            viewer.page.locator("main").wait_for()
            name = "".join(c if c.isalnum() else "-" for c in place)
            viewer.shoot(f"narrow{name}-{scheme}", whole=True)
            wide = viewer.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= SIZES["narrow"]["width"]
            viewer.check_access()
            viewer.page.set_viewport_size(SIZES["wide"])
            viewer.shoot(f"wide{name}-{scheme}")
            viewer.check_access()


def test_a_step_that_cannot_be_taken_keeps_the_view(browser, runs):
    with serving(make_explorer(runs)) as address:
        for viewer in open_viewer(browser, address):
            viewer.open("/s/river?n=x")
            viewer.page.keyboard.press("j")
            viewer.page.get_by_role("textbox", name="Go to a node").fill("x:b9999")
            viewer.page.keyboard.press("Enter")
            assert "b9999" in viewer.page.get_by_role("alert").inner_text()
            assert viewer.params()["n"] == "x"
            assert viewer.page.locator("[data-hand]").count() == 169
            viewer.open("/s/river?n=x:b1234")  # a stale link
            viewer.page.locator("[data-hand]").first.wait_for()
            assert "b1234" in viewer.page.get_by_role("alert").inner_text()
            viewer.problems[:] = [each for each in viewer.problems if "404" not in each]


def test_an_action_filter_shows_that_action_only(browser, runs):
    with serving(make_explorer(runs)) as address:
        for viewer in open_viewer(browser, address):
            viewer.open("/s/river?a=x")
            shares = [row.inner_text() for row in viewer.page.locator(".actions .meter").all()]
            assert shares[0] == "100 %"
            assert set(shares[1:]) == {"0 %"}


def test_a_node_is_locked_solved_again_and_the_difference_opens(viewer):
    viewer.open("/s/river?n=x:b59")
    page = viewer.page
    page.get_by_text("Lock this node").click()
    before = page.locator(".actions .meter").first.inner_text()
    page.get_by_role("button", name="raise to 148 (30%): never").or_(
        page.locator('.lock button[aria-label$="never"]').last
    ).first.click()
    page.locator('.lock button[aria-label^="fold"][aria-label$="+ 10"]').click()
    text = page.get_by_role("textbox", name="Lock as text").input_value()
    assert "f+=10%" in text
    assert "=0%" in text
    viewer.check_access()
    page.get_by_role("button", name="Add lock").click()
    page.locator(".pending .chip").wait_for()
    viewer.shoot("lock")
    page.get_by_role("button", name="Solve again").click()
    page.get_by_role("button", name="Open the difference").click()
    viewer.settle()
    assert viewer.params()["b"] == "river-locked-1"
    assert "changes its action" in page.locator(".diff").inner_text()
    viewer.shoot("lock-difference")
    viewer.open("/s/river-locked-1?n=x:b59")
    after = [meter.inner_text() for meter in page.locator(".actions .meter").all()]
    assert after[-1] == "0 %"
    assert float(after[0].rstrip(" %")) > float(before.rstrip(" %"))
    assert page.locator(".place .locked").count() == 1
    viewer.open("/")
    assert page.locator(".runs .locked").count() == 1


def test_a_lock_that_cannot_be_is_said(viewer):
    viewer.open("/s/river?n=x")
    page = viewer.page
    page.get_by_text("Lock this node").click()
    page.get_by_role("textbox", name="Lock as text").fill("x jump=1")
    page.get_by_role("button", name="Add lock").click()
    assert "is not an action" in page.get_by_role("alert").inner_text()


@pytest.mark.parametrize("place", ["/s/flop?n=x", "/p/joint-game?n=c"])
def test_ten_hands_are_drilled_by_keyboard(browser, runs, place):
    with serving(make_explorer(runs)) as address:
        for viewer in open_viewer(browser, address):
            viewer.open(place)
            page = viewer.page
            page.get_by_role("button", name="Drill").click()
            for number in range(10):
                page.locator(".choice:not([disabled])").first.or_(
                    page.get_by_text("The hand is over")
                ).first.wait_for()
                # The numbers of the players change with the flop, but not who is asked.
                whose = page.locator(".question > p").nth(2).inner_text()
                assert whose.startswith("BB," if place[1] == "p" else "IP,")
                if page.locator(".choice").count():
                    page.keyboard.press(str(number % 2 + 1))
                    page.locator(".question [role=status]").wait_for()
                    lost = "loses" in page.locator(".question [role=status]").inner_text()
                    assert lost
                page.locator(".question").click(position={"x": 5, "y": 5})
                page.keyboard.press("Enter")
            summary = page.locator(".score").inner_text()
            assert int(summary.split()[0]) >= 3
            viewer.check_access()
            viewer.shoot(f"drill{place[1]}")
            page.set_viewport_size(SIZES["narrow"])
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= SIZES["narrow"]["width"]


def test_a_preset_of_a_solved_game_is_loaded(viewer):
    viewer.open("/new")
    shelf = viewer.page.get_by_label("Shelf: load a range").first
    shelf.locator("optgroup").first.wait_for(state="attached")
    shelf.select_option(label="raise 2, all-in, call: BB")
    viewer.page.locator('[data-paint="AA"][aria-label="AA 100 %"]').first.wait_for()
    assert "AA" in range_box(viewer, 0).input_value()
