import re

from runout.explorer.static_files import INDEX, static_files

MAX_LINES = 400


def own_files():
    files = static_files()
    return {
        name: file.content.decode()
        for name, file in files.items()
        if not name.startswith("vendor/")
    }


def test_the_page_and_all_that_it_names_are_packaged():
    files = static_files()
    named = re.findall(r'(?:href|src)="/static/([^"]+)"', files[INDEX].content.decode())
    assert "js/main.js" in named
    assert set(named) <= set(files)


def test_every_import_of_a_module_leads_to_a_file():
    files = static_files()
    for name, text in own_files().items():
        if not name.endswith(".js"):
            continue
        folder = name.rpartition("/")[0].split("/")
        for target in re.findall(r'from "([^"]+)"', text):
            place = list(folder)
            for part in target.split("/"):
                place = place[:-1] if part == ".." else place if part == "." else [*place, part]
            assert "/".join(place) in files, f"{name} imports {target}"


def test_files_are_short():
    assert not [name for name, text in own_files().items() if text.count("\n") > MAX_LINES]


def test_nothing_is_loaded_from_elsewhere():
    for name, text in own_files().items():
        addresses = re.findall(r"https?://[\w.]+", text)
        assert set(addresses) <= {"http://www.w3.org"}, name


def test_libraries_come_with_their_licences():
    files = static_files()
    libraries = {name for name in files if name.startswith("vendor/") and name.endswith(".js")}
    assert libraries == {"vendor/preact.js", "vendor/htm.js"}
    for name in libraries:
        assert name.replace(".js", ".LICENSE") in files
