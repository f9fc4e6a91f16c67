"""Files of other programs, and commands of PioSOLVER's protocol."""

import json
import random
from functools import cache
from pathlib import Path

from runout.cards.ranges import Range
from runout.cli.config import spot_text
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.errors import FormatError
from runout.flops.spot_solution import look_at, start_solver
from runout.formats.imports import read_text
from runout.formats.upi import UpiServer
from runout.solutions.flop import StoredSpot
from tools.fuzzing.campaign import Kind
from tools.fuzzing.mutations import mutate_text

ROOT = Path(__file__).parents[2]
PIO = "#Range0#AA,KK:0.5\n#Range1#QQ\n#Board#Qs Jh 2h\n#Pot#100\n#EffectiveStacks#300\n" + "".join(
    f"#{street}Config{who}.{kind}#{value}\n"
    for street in ("Flop", "Turn", "River")
    for who in ("", "IP")
    for kind, value in (("BetSize", "52, ai"), ("RaiseSize", "2.5x"), ("AddAllin", "True"))
)
MORE_PIO = r"#AllinThreshold#67\n#RemovedLines#100;0 52\n#Rake.Enabled#True\n#Rake.Fraction#0.05\n"
POSTFLOP = {
    **{
        "startingPot": 20,
        "effectiveStack": 100,
        "rakePercent": 5,
        "rakeCap": 3,
        "oopFlopBet": "50%",
    },
    **{
        "ipTurnBet": "e, 2e",
        "ipRiverRaise": "2.5x,a",
        "addAllInThreshold": 150,
        "donkOption": True,
    },
}
HRC = {
    "player": 0,
    "actions": [{"type": "F", "amount": 0}, {"type": "R", "amount": 200}],
    "hands": {"AA": {"weight": 1.0, "played": [0.0, 1.0], "evs": [0.0, 1.5]}},
}
PHH = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
starting_stacks = [1000, 300]
actions = ['d dh p1 AhAs', 'd dh p2 ????', 'p2 cc', 'p1 cc', 'd db Qs2h3d', 'p1 cbr 100', 'p2 cc']
"""
LIBRARY = {"version": 2, "name": "configurations"}
FILES = (
    PIO,
    PIO + MORE_PIO,
    "set_pot 50\nset_effective_stack 80\nset_board Qs,Jh,2h,8c,3d\nset_range_ip AA\n"
    "set_range_oop KK\nset_bet_sizes oop,river,bet,50,100\nset_allin_threshold 0.67\n",
    json.dumps(LIBRARY | {"data": [{"path": ["a"], "isGroup": False, "value": POSTFLOP}]}),
    json.dumps(LIBRARY | {"name": "ranges", "data": [{"path": ["a"], "value": "22+,A2s:0.5"}]}),
    json.dumps(HRC),
    PHH,
    "AA-22,AKs,[50.0]JTs,KJo[/50.0]",
)
RIVER = {"board": "QsJh2h8c3d", "oop": "AA,KK", "ip": "QQ,T9s", "pot": 100, "stack": 200}
COMMANDS = (
    *("set_board QsJh2h", "set_range OOP AA,KK:0.5", "set_pot 0 0 100", "set_eff_stack 200"),
    *("set_rake 0.05 3", "set_isomorphism 1 0", "add_line 0 50 200", "remove_line 0 50 200"),
    *("set_accuracy 0.5 chips", "estimate_tree", "show_node r:0:c:b50", "show_children r:0"),
    *("show_range IP r:0:c", "show_strategy r:0", "calc_ev OOP r:0:c", "calc_eq_node IP r:0"),
    *("calc_line_freq r:0:b50:c", "calc_global_freq r:0:c", "show_categories QsJh2h8c"),
    *("load_tree nothing", 'load_script "nothing"', "echo a", "set_threads 1", "calc_eq OOP"),
)


def format_kinds() -> list[Kind]:
    """Returns the kinds of other programs."""
    return [
        Kind("foreign files", 0.05, lambda rng: mutate_text(rng, rng.choice(FILES), FILES), _read),
        Kind("UPI commands", 0.05, _make_command, _answer),
    ]


def _make_command(rng: random.Random) -> str:
    return " ".join(mutate_text(rng, rng.choice(COMMANDS), COMMANDS).split("\n"))


def _read(text: str) -> object:
    _, items = read_text(text, "file")
    for item in items:
        if item.is_range:
            Range(item.keys["range"])
        else:
            parse_config(spot_text(item, {"board": "QsJh2h"})[0])
    return items


@cache
def _river() -> StoredSpot:
    return look_at(start_solver(SpotConfig.parse(RIVER)))


def _answer(command: str) -> object:
    server, name, rest = UpiServer(len), *command.strip().partition(" ")[::2]
    server._view = _river()
    server._keys.update(RIVER)
    answer = server._answer(name, rest.strip())
    for line in answer:
        assert "\n" not in line
        if line.startswith("ERROR: "):
            raise FormatError("answer", line)
    return answer
