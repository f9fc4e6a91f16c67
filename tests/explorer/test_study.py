"""What users make on the page: ranges, spots, names, tags and the trash."""

import json
import shutil
import sys
import time

import pytest

from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.explorer.jobs import Jobs
from runout.explorer.library import Library
from runout.explorer.study import Study
from tests.explorer.conftest import RIVER, make_client, make_explorer

OWN = {"X-Runout": "1"}
PROGRAM = [sys.executable, "-c", "from runout.cli.app import main; main()", "solve-spot"]
WAITS = [sys.executable, "-c", "import time; time.sleep(600)"]
SMALL = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK,JTs", "pot": 100, "stack": 100}


@pytest.fixture
def folder(runs, tmp_path):
    """A directory with one solved river."""
    shutil.copytree(runs / "river", tmp_path / "river")
    return tmp_path


@pytest.fixture
def study(folder):
    jobs = Jobs(PROGRAM)
    with make_client(make_explorer(folder, jobs), headers=OWN) as client:
        yield client
    jobs.stop_all()


def ask(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for(client, job):
    deadline = time.monotonic() + 600
    while not job["is_over"] and time.monotonic() < deadline:
        time.sleep(0.05)
        job = client.get(f"/api/jobs/{job['id']}").json()
    return job


@pytest.mark.parametrize(
    "text",
    [
        "AKs:0.5",
        "[50]AKs[/50]",
        "AKs@50",
        "AKs:50%",
        " AKs:50% , ",
        "A♠K♠:.5;AhKh:.5 AdKd:.5,AcKc:.5",
    ],
)
def test_a_range_is_read_in_every_notation(study, text):
    answer = ask(study, "/api/range", text=text)
    assert answer["num_combos"] == 2.0
    assert answer["texts"]["pio"] == "AKs:0.5"
    assert answer["texts"]["gto+"] == "[50.0]AKs[/50.0]"
    assert answer["texts"]["percent"] == "AKs@50"


def test_a_range_that_cannot_be_read_says_where(study):
    assert ask(study, "/api/range", text="22+,AAs")["where"] == "'AAs'"


def test_the_shelf_keeps_ranges_and_gives_them_up(study, folder):
    assert ask(study, "/api/shelf", name="mine", text="QQ+")["ranges"] == {"mine": "QQ+"}
    assert Study(Library([folder])).read()["ranges"] == {"mine": "QQ+"}
    assert ask(study, "/api/shelf", name="mine", text="")["ranges"] == {}
    assert study.post("/api/shelf", json={"name": "x", "text": "??"}).status_code == 400


def test_a_draft_says_all_that_is_wrong_with_it(study):
    answer = ask(study, "/api/draft", keys={**SMALL, "pot": -1, "bet_sizes": {"river": ["33"]}})
    wrong = {error["where"] for error in answer["errors"]}
    assert wrong >= {"pot", "bet_sizes.river[0]"}
    assert answer["yaml"] == ""


def test_a_draft_as_yaml_is_the_spot(study):
    answer = ask(study, "/api/draft", keys={**SMALL, "add_all_in_threshold": ".inf"})
    assert answer["errors"] == []
    again = ask(study, "/api/import", text=answer["yaml"])["spots"][0]["keys"]
    assert again["add_all_in_threshold"] == ".inf"
    assert SpotConfig.parse({**again, "add_all_in_threshold": 1.5}) == SpotConfig.parse(SMALL)


def test_a_hand_that_was_played_becomes_spots(study):
    hand = (
        'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\n'
        "starting_stacks = [200, 200]\n"
        'actions = ["d dh p1 ????", "d dh p2 ????", "p2 cbr 6", "p1 cc", "d db QsJh2h", "p1 cc"]\n'
    )
    spots = ask(study, "/api/import", text=hand)["spots"]
    assert spots[0]["keys"] == {"board": "QsJh2h", "pot": 12, "stack": 194}
    assert "is a file of none of" in ask(study, "/api/import", text="no hand\nat all")["problem"]


def test_memory_is_that_of_the_command_line(study):
    size = ask(study, "/api/draft/size", keys=SMALL)
    assert size["num_hands"] == [9, 9]
    assert size["memory_bytes_32"] > 0
    assert 0 < size["seconds_per_iteration"] < 1
    more = ask(study, "/api/draft/size", keys={**SMALL, "bet_sizes": ["20%", "50%", "90%"]})
    assert more["num_nodes"] > size["num_nodes"]
    sizes = [f"{share}%" for share in range(1, 200)]
    huge = {**SMALL, "board": "QsJh2h", "bet_sizes": sizes, "stack": 1e6, "merging_threshold": 0}
    assert ask(study, "/api/draft/size", keys=huge)["problem"]


def test_a_spot_is_solved_and_solved_further(study, folder):
    job = ask(study, "/api/spots", keys={**SMALL, "target": "5%"}, name="lesson 3/small")
    job = wait_for(study, job)
    assert job["state"] == "done", job
    found = study.get(f"/api/facts/{job['run']}").json()
    assert found["name"] == "lesson 3/small"
    assert found["spot"]["oop"] == "AA,QQ"
    before = found["quality"]["exploitability"]
    job = wait_for(study, ask(study, f"/api/further/{job['run']}", target="0.01%"))
    assert job["state"] == "done", job
    after = study.get(f"/api/facts/{job['run']}").json()["quality"]["exploitability"]
    assert after <= 0.0001 < before


@pytest.mark.parametrize("name", ["../out", "/etc/x", "a//b", ".hidden", "a/b/c/d", "", "x\n"])
def test_no_name_leads_out_of_the_directory(study, folder, name):
    refused = study.post("/api/spots", json={"keys": SMALL, "name": name})
    assert refused.status_code == 422
    assert not list(folder.rglob("*.yaml")) or all(
        "river" in file.parts for file in folder.rglob("*.yaml")
    )


def test_a_spot_that_was_never_solved_is_not_lost(folder):
    jobs = Jobs(WAITS)
    with make_client(make_explorer(folder, jobs), headers=OWN) as client:
        ask(client, "/api/spots", keys=SMALL, name="never")
        refused = client.post("/api/spots", json={"keys": SMALL, "name": "never"})
        assert "is under way" in refused.json()["problem"]
    jobs.stop_all()
    again = Jobs(PROGRAM)
    with make_client(make_explorer(folder, again), headers=OWN) as client:
        assert client.get("/api/runs").json()["waiting"] == ["never"]
        job = wait_for(client, ask(client, "/api/spots", keys={}, name="never"))
        assert job["state"] == "done"
        assert client.get("/api/runs").json()["waiting"] == []


def test_a_solution_is_renamed_and_tagged(study, folder):
    ask(study, "/api/change/river", name="old/river 1", tags=["dry", " dry", "check"])
    listed = study.get("/api/runs").json()
    assert [run["name"] for run in listed["runs"]] == ["old/river 1"]
    assert list(listed["tags"].values()) == [["check", "dry"]]
    assert not (folder / "river").exists()
    run = listed["runs"][0]["id"]
    assert study.post(f"/api/change/{run}", json={"name": "old"}).status_code == 422
    assert study.get(f"/api/node/{run}").status_code == 200


def test_a_solution_goes_into_the_trash_and_comes_back(study, folder):
    ask(study, "/api/change/river", tags=["kept"])
    trash = study.delete("/api/runs/river").json()["trash"]
    assert [entry["name"] for entry in trash] == ["river"]
    assert study.get("/api/runs").json()["runs"] == []
    assert ask(study, f"/api/trash/{trash[0]['id']}")["trash"] == []
    listed = study.get("/api/runs").json()
    assert listed["tags"] == {"river": ["kept"]}
    assert study.get("/api/node/river").status_code == 200
    assert study.post("/api/trash/none").status_code == 422


def test_what_is_being_solved_stays_where_it_is(folder):
    jobs = Jobs(WAITS)
    with make_client(make_explorer(folder, jobs), headers=OWN) as client:
        ask(client, "/api/further/river", target="0.1%")
        assert client.delete("/api/runs/river").status_code == 409
    jobs.stop_all()


def test_nothing_is_changed_where_no_solve_may_be_started(client):
    assert "can_edit" not in client.get("/api/runs").json()
    for path in ("/api/spots", "/api/range", "/api/shelf", "/api/change/river"):
        assert client.post(path, json={}, headers=OWN).status_code in (404, 405)
    assert client.delete("/api/runs/river", headers=OWN).status_code in (404, 405)


def test_damaged_notes_are_said_and_not_overwritten(folder):
    place = folder / ".runout" / "study.json"
    place.parent.mkdir()
    place.write_text("{")
    with pytest.raises(BundleError, match="cannot be read"):
        Study(Library([folder])).keep_range("x", "AA")
    assert place.read_text() == "{"


def test_river_of_the_samples_is_a_draft(study):
    assert ask(study, "/api/draft", keys=RIVER)["errors"] == []


@pytest.mark.parametrize("what", ["study.json", "study.json.new", "spots", "trash", "."])
def test_nothing_is_written_where_a_link_leads(study, folder, tmp_path_factory, what):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "study.json").write_text("mine")
    place = folder / ".runout" / what
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside / "study.json" if "json" in what else outside)
    study.post("/api/shelf", json={"text": "AA", "name": "aces"})
    study.post("/api/spots", json={"keys": SMALL, "name": "new"})
    study.post("/api/change/river", json={"tags": ["x"]})
    study.delete("/api/runs/river")
    assert [file.name for file in outside.iterdir()] == ["study.json"]
    assert (outside / "study.json").read_text() == "mine"
    assert study.get("/api/runs").status_code == 200


@pytest.mark.parametrize("token", ["..", ".", "0123abcd"])
def test_an_edited_trash_moves_nothing_elsewhere(study, folder, tmp_path_factory, token):
    outside = tmp_path_factory.mktemp("outside")
    entry = {"name": "x", "path": str(outside / "new"), "tags": []}
    (folder / ".runout" / "trash" / "0123abcd").mkdir(parents=True)
    (folder / ".runout" / "study.json").write_text(json.dumps({"trash": {token: entry}}))
    assert study.post(f"/api/trash/{token.replace('.', '%2e')}").status_code in (404, 405, 422)
    assert list(outside.iterdir()) == []
    assert (folder / ".runout" / "trash" / "0123abcd").exists()
    entry["path"] = str(folder / "new")
    (folder / ".runout" / "study.json").write_text(json.dumps({"trash": {token: entry}}))
    study.post(f"/api/trash/{token.replace('.', '%2e')}")
    assert (folder / ".runout" / "study.json").exists()


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"trash": {"a": 7}}', '{"tags": {"a": [1]}}', "{" * 9999, '{"tags": NaN}'],
)
def test_a_damaged_file_of_the_study_hides_no_solution(study, folder, content):
    (folder / ".runout").mkdir(exist_ok=True)
    (folder / ".runout" / "study.json").write_text(content)
    assert [run["name"] for run in study.get("/api/runs").json()["runs"]] == ["river"]
    for path in ("/api/shelf", "/api/trash"):
        assert study.get(path).status_code == 422
