"""Writes what nodes of the bundles show that are unpacked in the current directory.

Only ever run with the code of commit 86d1cbc: the documents are what later code must show as well.
"""

import json
import sys
from pathlib import Path

from typer.testing import CliRunner

import runout
from runout.cli.program import app

HANDS = "AA,AKs,T9s,87s,72o"
FULL = "QsTs5s"  # as the joint runs have it; QhTh5h and QcTc5c are the same flop in other suits


def show_spot(bundle, *options):
    return ["spot", "show", bundle, *options, "--json"]


def list_commands():
    """Returns the arguments of each document, by the bundle whose file it goes to."""
    spots = {
        "river": ["", "x", "b10", "a", "x:b10", "b10:r25", "b10:r25:c", "x:x", "b10:f"],
        "flop_exact": [
            *["", "x", "b10", "b10:c", "x:x", "x:b10:c:8h", "x:b10:c:8h:x", "b10:c:2c:x", "x:x:7d"],
            *[
                "x:x:7d:x:b10",
                "x:x:7d:x:b10:c",
                "x:x:7d:x:x:Kc",
                "b10:c:8h:x:x:Ah",
                "x:a:c",
                "b10:f",
            ],
        ],
        "flop_compact": [
            *["", "x", "b15", "b15:c", "x:b15:c:2c", "x:b15:c:Jd:x", "x:x:3s", "x:x:3s:x:x:4h"],
            *["b15:c:2c:x:x:2d", "b15:c:2d:x:x:2c", "b15:c:2c:x:x:2d:a", "x:x:3s:x:x:Ad:x:a"],
        ],
        "report/spots/AhKd7s": ["", "x", "a", "x:x", "x:x:7h", "x:x:7h:x:x:2c"],
        "report/spots/9h6h2h": ["", "x:a", "x:x:7h:x:x:2c:x"],
    }
    commands = {}
    for bundle, paths in spots.items():
        name = bundle.partition("/")[0]
        commands.setdefault(name, []).extend(
            show_spot(bundle, *(["-n", path] if path else [])) for path in paths
        )
    commands["river"] += [
        show_spot("river", "-n", "x", "--hand", "KK"),
        show_spot("river", "--player", "ip", "--range", "KK,T9s"),
        show_spot("river", "-n", "x", "--by", "class"),
        show_spot("river", "-n", "x", "--compare", "b10"),
    ]
    commands["flop_exact"] += [
        show_spot("flop_exact", "--depth", "2"),
        show_spot("flop_exact", "-n", "x:b10:c:8c:x", "--hand", "8h7h"),
        show_spot("flop_exact", "-n", "x", "--by", "equity"),
        ["spot", "report", "flop_exact", "-n", "b10:c", "--json"],
    ]
    commands["flop_compact"] += [
        show_spot("flop_compact", "-n", "x:x:3s:x:x:4h", "--hand", "KdQd"),
        ["spot", "report", "flop_compact", "-n", "x:x", "--json"],
    ]
    commands["report"] += [
        ["report", "report", "--json"],
        ["report", "report", "--line", "x", "--json"],
        ["report", "report", "--line", "x:a", "--where", "suits=monotone", "--json"],
    ]
    commands["pushfold"] = [
        ["show", "pushfold", "--json"],
        ["show", "pushfold", "-n", "a", "--range", "22+,A2s+", "--json"],
        ["trace-hand", "pushfold", "A5s", "--json"],
        ["ranges", "pushfold", "-n", "a-c", "--json"],
    ]
    commands["two_phase"] = [
        ["show", "two_phase", "-n", "c", "--json"],
        ["show", "two_phase", "-n", "r2", "--json"],
        ["show", "two_phase", "-n", "c-r2", "--json"],
        ["trace-hand", "two_phase", "AKs", "--json"],
        ["ranges", "two_phase", "-n", "c-x", "--json"],
        ["values", "two_phase", "--hero", "AA", "-v", "KK", "--json"],
        ["values", "two_phase", "--hero", "T9s", "-v", "AKo", "--flop", "AdKcQs", "--json"],
        *(
            show_spot("two_phase", "-f", flop, "--spr", spr, "-n", path, "--hand", hand)
            for flop, spr, path, hand in [
                ("AdKcQs", "3.5", "x", "JdTd"),
                ("9h6h2h", "3.5", "x:x:2d", "AhKh"),
                ("9c6c2c", "1.5", "x:x:7d:x:x:8s", "87s"),
            ]
        ),
        show_spot("two_phase", "-f", "9c6c2c", "--spr", "3.5", "-n", "x", "--range", HANDS),
    ]
    commands["joint"] = [
        ["show", "joint", "-n", "c", "--json"],
        ["trace-hand", "joint", "87s", "--json"],
        show_spot("joint", "--range", HANDS),
        show_spot("joint", "-n", "c-x"),
        show_spot("joint", "-n", f"c-x:{FULL}:x", "--range", HANDS),
        show_spot("joint", "-n", "c-x:QhTh5h:x"),
        show_spot("joint", "-n", "c-x:8s8h8c:x", "--range", HANDS),
        *(
            show_spot("joint", "-n", path, "--hand", hand)
            for path, hand in [
                (f"c-x:{FULL}", "AhKh"),
                ("c-x:QcTc5c", "AhKh"),
                ("c-x:QcTc5c", "AcKc"),
                ("c-x:QcTc5c:a", "T9s"),
                ("c-x:QcTc5c:x:a", "87s"),
                ("c-x:QcTc5c:x:x:2h", "87s"),
                ("c-x:QcTc5c:x:x:2c:x", "J8o"),
                ("c-x:8d8c8s:x:x:Ah:x", "T8s"),
                ("c-x:8d8c8s:x:x:Ah:a", "KTs"),
            ]
        ),
    ]
    commands["joint_compact"] = [
        show_spot("joint_compact", "-n", "c-x"),
        show_spot("joint_compact", "-n", "c-x:QdTd5d:x:x:2c:x:x:7d", "--range", HANDS),
        *(
            show_spot("joint_compact", "-n", path, "--hand", hand)
            for path, hand in [
                (f"c-x:{FULL}", "87s"),
                ("c-x:QhTh5h:x:x:2c", "87s"),
                ("c-x:QhTh5h:x:x:2h:x", "JTs"),
                (f"c-x:{FULL}:x:x:2c:x:x:7d", "87s"),
                ("c-x:QdTd5d:x:x:2c:x:x:7d:x", "98o"),
                ("c-x:QdTd5d:x:x:2d:x:x:7h:a", "T8o"),
            ]
        ),
    ]
    for name, flop, path in [
        ("values", "AdKcQs", "x:x:2d"),
        ("values_bucketed", "9c6c2c", "x:x:2d"),
    ]:
        commands[name] = [
            ["values", name, "--hero", "AA", "--json"],
            ["values", name, "--hero", "87s", "-v", "AKo", "--flop", flop, "--json"],
            show_spot(name, "-f", flop, "-n", "x", "--range", HANDS),
            show_spot(name, "-f", flop, "-n", f"{path}:x:x:7d", "--hand", "87s"),
        ]
    commands["values_bucketed"] += [
        show_spot("values_bucketed", "-f", "9h6h2h", "--hand", "T9s"),
        show_spot("values_bucketed", "-f", "9d6d2d", "-n", "x:x:2h:x:a", "--hand", "AKo"),
        ["diag-buckets", "values_bucketed", "--json"],
    ]
    commands["buckets"] = [
        ["abstraction", "inspect", "buckets", "--json"],
        *(
            ["abstraction", "bucket", "buckets", "-b", board, "--hand", hand, "--json"]
            for board, hand in [("AhKsQd", "JcTc"), ("AhKsQd2c", "JcTc"), ("AhKsQd2c2d", "9c9d")]
        ),
    ]
    # What a bundle consists of: the one document that another format changes by right.
    commands["inspect"] = [
        *(
            ["inspect", name, "--json"]
            for name in [*spots, "pushfold", "joint", "joint_compact", "report"]
        ),
        *(
            ["inspect", name, "--flops", "--json"]
            for name in ["two_phase", "values", "values_bucketed"]
        ),
    ]
    return commands


def round_floats(document):
    """Returns a document with floats of 7 digits, so that files stay small."""
    if isinstance(document, float):
        return float(f"{document:.7g}")
    if isinstance(document, list):
        return [round_floats(item) for item in document]
    if isinstance(document, dict):
        return {key: round_floats(item) for key, item in document.items()}
    return document


def main():
    print(runout.__file__)
    for name, commands in list_commands().items():
        lines = []
        for arguments in commands:
            result = CliRunner().invoke(app, arguments)
            if result.exit_code:
                print(
                    f"{' '.join(arguments)}: {result.stderr} {result.exception!r}", file=sys.stderr
                )
                continue
            document = round_floats(json.loads(result.stdout))
            lines.append(json.dumps({"arguments": arguments, "document": document}))
        text = "[\n" + ",\n".join(lines) + "\n]\n"
        (Path(__file__).parent / f"{name}.json").write_text(text)
        print(f"{name}: {len(lines)} documents, {len(text) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
