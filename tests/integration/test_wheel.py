"""The wheel works outside the repository: files, metadata, a river, configs, the page."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RIVER = """
import runout
solution = runout.solve_spot(board="QsJh2h8c3d", oop="22+,A2s+", ip="22+,KTs+", pot=180, stack=910)
print(solution.exploitability_pot < 0.005, runout.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(place), str(ROOT)], check=True)
    (path,) = place.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The directory of programs of an environment with the wheel and what it depends on.

    Dependencies are those of this environment, found by path: its own `.pth` files, which lead to
    the checkout, are not read there.
    """
    place = tmp_path_factory.mktemp("installed") / "env"
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install"]
    subprocess.run([*pip, "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = {Path(p) for p in place.rglob("site-packages")}
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def run_in(directory, *words):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run(
        [*map(str, words)], cwd=directory, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_wheel_holds_what_it_should_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "runout/py.typed" in names
    assert "runout/explorer/static/index.html" in names
    assert {f"runout/configs/{p.name}" for p in (ROOT / "configs").iterdir()} <= {*names}
    assert {f"runout/examples/{p.name}" for p in (ROOT / "examples").glob("*.py")} <= {*names}
    licences = {Path(name).name for name in names if "licenses/" in name or "vendor" in name}
    assert "LICENSE" in licences
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2, tops
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_metadata_is_complete(wheel):
    files = zipfile.ZipFile(wheel)
    (name,) = (name for name in files.namelist() if name.endswith("METADATA"))
    metadata = Parser().parsestr(files.read(name).decode())
    classifiers = metadata.get_all("Classifier")
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.11"} <= {*classifiers}
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Keywords"]
    assert {"explorer", "plots", "dist"} <= {*metadata.get_all("Provides-Extra")}
    # A package index resolves no link of a repository.
    text = re.sub(r"```.*?```", "", metadata.get_payload(), flags=re.DOTALL)
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", text) == []


def test_a_river_is_solved_from_python(installed, tmp_path):
    answer = run_in(tmp_path, installed / "python", "-c", RIVER).split(maxsplit=1)
    assert answer[0] == "True"
    assert "installed" in answer[1]  # not the checkout's


def test_a_config_that_ships_is_written_and_solved(installed, tmp_path):
    runout = installed / "runout"
    run_in(tmp_path, runout, "config", "init", "spot_river", "-o", "river.yaml")
    run_in(tmp_path, runout, "solve-spot", "-c", "river.yaml", "-o", "runs/river")
    shown = json.loads(run_in(tmp_path, runout, "show", "runs/river", "--json"))
    assert shown["quality"]["exploitability"] < 0.005


def test_the_page_is_served(installed, tmp_path):
    words = [str(installed / "runout"), "explore", ".", "--no-browser"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    server = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=-1, stderr=-2, text=True)
    try:
        address = next(m[0] for line in server.stdout if (m := re.search(r"http://\S+", line)))
        page = urllib.request.urlopen(address, timeout=20).read().decode()
    finally:
        server.terminate()
        server.communicate()
    assert "<title>" in page
