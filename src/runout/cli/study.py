"""`runout drill`: hands to play against a solution, graded by what they lose."""

import sys
from pathlib import Path
from secrets import randbits
from typing import Annotated

from runout.cache import cache_directory
from runout.cards.deck import combo_cards
from runout.cli.console import print_note, show
from runout.cli.formatting import format_count_of, format_percent
from runout.cli.options import JsonFlag, argument, flag, option, positive
from runout.runs.study import Grade, Missed, Question, drill
from runout.solutions.run import open as open_solution
from runout.trees.actions import format_amount

_NODE = "Where hands begin; default: the first decision."
_PLAYER = "Whose decisions are asked; default: the player to act."
_SEED = "Seed of the hands; default: new ones each time."


def drill_hands(
    path: Annotated[Path, argument("DIR", "Directory of a solved spot or preflop game.")],
    node: Annotated[str, option("--node -n", "PATH", _NODE)] = "",
    player: Annotated[str | None, option("--player", "NAME", _PLAYER)] = None,
    hands: Annotated[int, option("--hands", "N", "Number of hands.", positive)] = 10,
    seed: Annotated[int | None, option("--seed", "N", _SEED)] = None,
    forget: Annotated[bool, flag("--forget", "Do not repeat or remember missed hands.")] = False,
    json: JsonFlag = False,
) -> None:
    """Play hands against a solution, graded by EV.

    Answer with an action's letter or code, q stops. Hands that were missed come again later.
    """
    solution = open_solution(path)
    whose = None if player is None else solution.node(node).player_index(player)
    missed = Missed(None if forget else cache_directory() / "drill.json")
    number, grades = randbits(32) if seed is None else seed, list[Grade]()
    dealt = drill(
        solution, _ask, path=node, player=whose, num_hands=hands, seed=number, missed=missed
    )
    try:
        for grade in dealt:
            grades.append(grade)
            print_note(_describe(grade))
    finally:
        missed.save()
    wrong, lost = sum(g.is_mistake for g in grades), sum(g.lost_pot for g in grades)
    mean = format_percent(lost / max(len(grades), 1), 2)
    asked = f"{format_count_of(len(grades), 'decision')}, {format_count_of(wrong, 'mistake')}"
    answers = [grade.to_json() for grade in grades]
    document = {"path": str(path), "seed": number, "mistakes": wrong, "answers": answers}
    show(json, document, f"{asked}, {mean} of the pot lost per decision (seed {number})")


def _ask(question: Question) -> int | None:
    """Shows a decision and reads an answer; None to stop."""
    node = question.node
    board = question.show(node.board) if node.board else "before the flop"
    hand = question.show(reversed(combo_cards(question.combo)))
    line = [f"{node.players[step.actor or 0]} {a.label}" for step, a, _ in node.actions_taken()]
    facts = [f"pot {format_amount(node.pot)} {node.unit.value}", *line]
    print_note(f"\n{node.players[node.actor or 0]} has {hand}, {board}; {', '.join(facts)}")
    print_note("  ".join(f"{action.code} {action.label}" for action in node.actions))
    codes = [action.code for action in node.actions]
    while True:
        text = (answer := sys.stdin.readline()).strip().lower()
        if not answer or text in ("q", "quit"):
            return None
        found = [n for n, code in enumerate(codes) if code == text]
        found = found or [n for n, code in enumerate(codes) if text and code.startswith(text)]
        if len(found) == 1:
            return found[0]
        print_note(f"answer with one of {', '.join(codes)}, or q to stop")


def _describe(grade: Grade) -> str:
    node = grade.question.node
    mix = zip(node.actions, grade.played, strict=True)
    plays = ", ".join(f"{action.label} {share:.0%}" for action, share in mix if share >= 0.005)
    if not grade.is_mistake:
        return f"good; the solution plays {plays}"
    better, lost = node.actions[grade.best].label, f"{format_amount(grade.lost)} {node.unit.value}"
    return f"loses {lost} ({grade.lost_pot:.1%} of the pot) against {better}; it plays {plays}"
