"""Small reports over flops for tests: numbers made up, or a spot that is solved in moments."""

import numpy as np

from runout.solutions.node import NodeAction
from runout.solutions.reports import FlopRow, FlopsReport, ReportLine
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.actions import ActionKind

CHECK = NodeAction("x", "check", ActionKind.CHECK, 0.0)
SMALL = NodeAction("b10", "bet 50% (10)", ActionKind.BET, 10.0)
LARGE = NodeAction("b20", "bet 100% (20)", ActionKind.BET, 20.0)
ROOT_LINE = ReportLine("", "OOP", 20.0, 0, (CHECK, SMALL, LARGE))
CHECKED = ReportLine("x:x", "turn", 20.0, None, ())

#: A spot with few hands: a flop takes moments with real cards.
KEYS = {
    "oop": "AA,KJs",
    "ip": "QQ,T9s",
    "pot": 20,
    "stack": 20,
    "bet_sizes": {"flop": "50%", "turn": [], "river": []},
    "add_all_in_threshold": 0,
    "raise_sizes": [],
    "max_iterations": 10,
}


def make_row(flop, share, deals, ev, frequency, played=None):
    """A flop on which OOP gets `ev` of 20 chips, and has half of the equity."""
    first = np.array([deals, ev, 20.0 - ev, 0.5, 0.5, 0.25, 0.125, *frequency, 0.5, 1.0, 2.0])
    nan = float("nan")
    later = deals if played is None else played
    evs = (nan, nan) if later == 0.0 else (ev + 1.0, 19.0 - ev)
    second = np.array([later, *evs, 0.25, 0.75, 0.0, 0.0])
    return FlopRow(flop, share, deals, 0.004, 50, 1.5, (first, second))


def make_report(kept="8s8d3c"):
    """Three flops of different textures; the last is never played to the second line."""
    rows = (
        make_row("AhKd7s", 0.5, 100.0, 12.0, (0.2, 0.3, 0.5)),
        make_row("9h6h2h", 0.25, 40.0, 8.0, (0.6, 0.4, 0.0), played=10.0),
        make_row(kept, 0.25, 160.0, 10.0, (1.0, 0.0, 0.0), played=0.0),
    )
    return FlopsReport(
        "a spot", (ROOT_LINE, CHECKED), rows, 4, ExploitabilityMeaning.REAL_GAME, False
    )
