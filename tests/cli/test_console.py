import io
import json

import pytest
from rich.console import Console

from runout import jit
from runout.cli import console
from runout.cli.console import (
    print_error,
    print_json,
    showing_events,
    using_kernels,
)
from runout.cli.progress import Display
from runout.events import (
    KernelCompiled,
    KernelCompiling,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
    ResultDamaged,
    TaskLost,
    TasksShared,
)

COMPILING_TWO = [
    KernelCompiling("outer"),
    KernelCompiling("inner"),
    KernelCompiled("inner", 0.5),
    KernelCompiled("outer", 1.0),
]


def test_files_get_one_line_when_compiling_starts_and_one_when_it_ends(capsys, monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE", "/somewhere")
    with showing_events() as on_event:
        for event in COMPILING_TWO:
            on_event(event)
    captured = capsys.readouterr()
    first, last = captured.err.splitlines()
    assert first == "Compiling kernels (first run only), outer"
    assert last.startswith("compiled 2 kernels in ")
    assert captured.out == ""


def test_files_are_not_told_of_a_cache_that_cannot_be_written(capsys):
    with showing_events(can_cache=False) as on_event:
        for event in COMPILING_TWO:
            on_event(event)
    assert capsys.readouterr().err.splitlines()[0] == "Compiling kernels (every run), outer"


def test_a_cache_that_cannot_be_written_costs_time_only(run_program):
    result = run_program("eval", "AhKhQhJhTh", RUNOUT_CACHE="/dev/null/cache")
    assert result.returncode == 0
    assert result.stdout.startswith("royal flush")
    assert result.stderr.splitlines()[0] == (
        "/dev/null/cache: cannot be used (Not a directory), "
        "choose another by $RUNOUT_CACHE: kernels are compiled in every run"
    )


def test_kernels_without_vector_instructions_are_told_of_unless_they_were_asked_for(
    capsys, monkeypatch
):
    reason = "numba's internals are not those that were expected"
    for number in (1, 0):
        monkeypatch.setattr(jit, "compile_problems", [reason] * number)
        with using_kernels():
            pass
        lines = capsys.readouterr().err.splitlines()
        assert [line.startswith(f"{reason}: kernels are compiled") for line in lines] == [
            True
        ] * number


def test_files_get_one_line_when_a_phase_starts_and_one_when_it_ends(capsys):
    with showing_events() as on_event:
        on_event(PhaseStarted("counting boards", 2000))
        on_event(PhaseAdvanced("counting boards", 1000, 2000))
        on_event(PhaseEnded("counting boards", 12.0))
    first, last = capsys.readouterr().err.splitlines()
    assert first == "Counting boards 0/2,000"
    assert last == "counting boards: done in 12.0 s"


def test_nothing_is_shown_when_nothing_happens(capsys):
    with showing_events():
        pass
    assert capsys.readouterr() == ("", "")


def shown_live(events):
    file = io.StringIO()
    display = Display(Console(file=file, force_terminal=True, width=100, color_system=None))
    for event in events:
        display.on_event(event)
    display._bars.refresh()
    text = file.getvalue()
    display.close()
    return text, file.getvalue()


def test_terminals_see_which_kernel_is_compiled_and_nothing_when_none_is():
    text, _ = shown_live(COMPILING_TWO[:2])
    assert "Compiling kernels (first run only)" in text
    assert "inner" in text
    text, _ = shown_live([*COMPILING_TWO, PhaseStarted("counting", 10)])
    assert "Compiling" not in text.splitlines()[-1]


def test_terminals_see_the_steps_of_a_phase():
    text, _ = shown_live([PhaseStarted("counting", 2000), PhaseAdvanced("counting", 1000, 2000)])
    assert "1,000/2,000" in text


def test_a_phase_that_has_ended_leaves_no_bar():
    text, _ = shown_live([PhaseStarted("counting", 2), PhaseEnded("counting", 5.0)])
    assert "Counting" not in text.splitlines()[-1]


def test_the_cursor_comes_back_and_the_bar_vanishes():
    _, text = shown_live([PhaseStarted("counting", 10)])
    hide, show, erase_line = "\x1b[?25l", "\x1b[?25h", "\x1b[2K"
    assert text.count(hide) == text.count(show) == 1
    assert text.endswith(erase_line)


def test_the_display_is_closed_when_work_is_interrupted(monkeypatch):
    file = io.StringIO()
    terminal = Console(file=file, force_terminal=True, width=100)
    monkeypatch.setattr(console, "messages", lambda: terminal)

    def interrupted_work():
        with showing_events() as on_event:
            on_event(PhaseStarted("counting", 10))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted_work()
    assert "\x1b[?25h" in file.getvalue()


def test_an_error_is_one_line_whatever_its_length_and_brackets(capsys):
    print_error("[red]" + "long " * 100)
    assert capsys.readouterr().err == "error: [red]" + "long " * 100 + "\n"


def test_json_goes_to_stdout(capsys):
    print_json({"board": "[bold]", "values": list(range(200))})
    captured = capsys.readouterr()
    assert json.loads(captured.out)["board"] == "[bold]"
    assert captured.err == ""


def test_a_damaged_result_is_a_line(capsys):
    with showing_events() as on_event:
        on_event(ResultDamaged("runs/a.checkpoints/AhKd7s-0.result", "is damaged"))
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "runs/a.checkpoints/AhKd7s-0.result: is damaged; its task is done again"


def test_lost_tasks_and_who_did_the_others_are_lines(capsys):
    with showing_events() as on_event:
        on_event(TaskLost("AhKd7s", "process 7 has died, killed by SIGKILL", 1, 4))
        on_event(TaskLost("AhKd7s", "process 8 has died, killed by SIGKILL", 4, 4))
        on_event(TasksShared((("left", 12), ("right", 1)), 2))
    assert capsys.readouterr().err.splitlines() == [
        "AhKd7s: process 7 has died, killed by SIGKILL; try 2 of 4",
        "AhKd7s: process 8 has died, killed by SIGKILL; given up",
        "done by left 12 tasks, right 1 task; 2 workers lost",
    ]
