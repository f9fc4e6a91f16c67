"""Tests of `runout.formats.imports` and the readers of other programs' files.

`texas_sample.txt` has the commands of the sample script that TexasSolver comes with; trees are held
against twins of the programs' own rules, hands against the table of pokerkit.
"""

import json
import random
from pathlib import Path

import pytest
from pokerkit import Automation, HandHistory, NoLimitTexasHoldem

from runout.cards.ranges import Range
from runout.cli.config import spot_text
from runout.config.load import parse_config
from runout.config.spot import ReportConfig, SpotConfig
from runout.errors import FormatError
from runout.formats.imports import read_path, read_text
from tests.reference.solver_trees import postflop_paths, texas_paths

DATA = Path(__file__).parents[1] / "data" / "formats"
BOARDS = ("QsJh2h", "QsJh2h8c", "QsJh2h8c3d")


def items_of(text):
    return {item.name: item for item in read_text(text, "file")[1]}


def spot_of(text, name="", **given):
    """The config that a file becomes, and what was left out."""
    written, left_out = spot_text(items_of(text)[name], given)
    return parse_config(written), left_out


def paths(config):
    tree = config.tree()
    return {tree.path(node) for node in range(tree.num_nodes)}


# PioSOLVER

PIO = """#Type#NoLimit
#Range0#AA,KK:0.5
#Range1#QQ,JJ
#Board#Qs Jh 2h 8c 3d
#Pot#100
#EffectiveStacks#300
"""


def test_the_settings_of_pioviewer_make_the_lines_of_pioviewer():
    text = (DATA / "pio_25bb_two_sizes.txt").read_text()
    config, left_out = spot_of(text)
    assert left_out == []
    lines = [line.split(" ", 1)[1] for line in text.splitlines() if line.startswith("add_line ")]
    keys = {"bet_sizes": [], "raise_sizes": [], "add_all_in_threshold": 0, "added_lines": lines}
    by_lines = SpotConfig(board="QhQc2c", oop="22+", ip="22+", pot=40, stack=230, **keys)
    assert len(lines) == 266
    assert paths(config) == paths(by_lines)
    assert Range(config.oop).weights.sum() > 100
    assert (config.pot, config.stack, config.board) == (40, 230, "QhQc2c")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "x x:x"),
        # Half of 100; then 50 and half of 200 make 150.
        (
            {"RiverConfig.BetSize": "50", "RiverConfigIP.RaiseSize": "50"},
            "x x:x b50 b50:f b50:c b50:r150 b50:r150:f b50:r150:c",
        ),
        # 150 of 300 are the threshold; 149 would not be.
        (
            {
                "RiverConfig.BetSize": "50",
                "RiverConfigIP.RaiseSize": "50",
                "AllinThreshold": "50",
            },
            "x x:x b50 b50:f b50:c b50:a b50:a:f b50:a:c",
        ),
        # 300 are three pots; after a bet of 50, 250 are less than three pots of 200.
        (
            {
                "RiverConfig.BetSize": "50",
                "RiverConfigIP.AddAllin": "True",
                "RiverConfig.AddAllin": "True",
                "AddAllinOnlyIfLessThanThisTimesThePot": "250",
            },
            "x x:x b50 b50:f b50:c b50:a b50:a:f b50:a:c",
        ),
        # Removed and added lines count from the root.
        (
            {
                "RiverConfig.BetSize": "50, 100",
                "RemovedLines": "100",
                "ExtraLines": r"0 20\n0 20 80",
            },
            "x x:x x:b20 x:b20:f x:b20:c x:b20:r80 x:b20:r80:f x:b20:r80:c b50 b50:f b50:c",
        ),
        # 60 and 50 are similar: 1.6 is less than 1.12 times 1.5.
        (
            {
                "RiverConfig.BetSize": "50 60",
                "MergeSimilarBets": "True",
                "MergeSimilarBetsThreshold": "12",
            },
            "x x:x b60 b60:f b60:c",
        ),
        # OOP does not raise the raise of IP, but IP that of OOP.
        (
            {
                "RiverConfig.BetSize": "10",
                "RiverConfig.RaiseSize": "10",
                "RiverConfigIP.BetSize": "10",
                "RiverConfigIP.RaiseSize": "10",
                "RiverConfig.Dont3bet": "True",
                "AllinThreshold": "25",
            },
            "x x:x b10 b10:f b10:c b10:r22 b10:r22:f b10:r22:c "
            "x:b10 x:b10:f x:b10:c x:b10:r22 x:b10:r22:f x:b10:r22:c "
            "x:b10:r22:r36 x:b10:r22:r36:f x:b10:r22:r36:c "
            "x:b10:r22:r36:r53 x:b10:r22:r36:r53:f x:b10:r22:r36:r53:c "
            "x:b10:r22:r36:r53:a x:b10:r22:r36:r53:a:f x:b10:r22:r36:r53:a:c",
        ),
    ],
)
def test_settings_of_pio_make_the_tree_that_its_rules_make(settings, expected):
    config, left_out = spot_of(PIO + "".join(f"#{k}#{v}\n" for k, v in settings.items()))
    assert left_out == []
    if "RiverConfig.Dont3bet" in settings:
        found = paths(config)
        assert "b10:r22:r36" not in found
        assert found >= {"x:b10:r22:r36", "b10:r22:c"}
        return
    assert paths(config) == {"", *expected.split()}


def test_donk_bets_of_pio_are_those_of_its_setting():
    text = PIO.replace(" 8c 3d", "")
    for street in ("Flop", "Turn", "River"):
        text += f"#{street}ConfigIP.BetSize#50\n#{street}Config.BetSize#100\n"
    found = paths(spot_of(text)[0])
    assert "x:b50:c:b200" not in found
    assert "x:x:b100" in found
    found = paths(spot_of(text + "#TurnConfig.DonkBetSize#25\n")[0])
    assert {step for step in ("x:b50:c:b50", "x:b50:c:b200") if step in found} == {"x:b50:c:b50"}


def test_what_pio_says_and_we_cannot_is_listed():
    text = PIO + "#ICM.Enabled#True\n#ICM.Payouts#5\n#MinimumBetsize#10\n#Foo#1\n"
    text += "#FlopConfig.BetSize#huge\n#Rake.Enabled#True\n#Rake.Fraction#0.05\n#Rake.Cap#4\n"
    config, left_out = spot_of(text)
    assert left_out == [
        "#FlopConfig.BetSize#: 'huge' is no size of ours",
        "#MinimumBetsize#10: the smallest bet is 1 chip",
        "#ICM.Enabled#True: no key of ours says that",
        "#Foo#1: no key of ours says that",
    ]
    assert (config.rake_rate, config.rake_cap) == (0.05, 4)


def test_a_save_is_read_from_its_end(tmp_path):
    path = tmp_path / "solve.cfr"
    path.write_bytes(bytes(range(256)) * 10_000 + PIO.encode())
    assert read_path(path)[1][0].keys["pot"] == 100


# TexasSolver


def test_the_sample_of_texassolver_makes_the_tree_that_texassolver_builds():
    config, left_out = spot_of((DATA / "texas_sample.txt").read_text())
    menus = {
        "bet": [[[50], [50]]] * 3,
        "raise": [[[60], [60]], [[60], [60]], [[60, 100], [60, 100]]],
        "donk": [[[], []], [[], []], [[50], []]],
    }
    expected = texas_paths(50, 200, menus)
    assert left_out == []
    assert paths(config) == expected
    assert len(expected) == config.tree().num_nodes


@pytest.mark.parametrize("seed", range(12))
def test_random_scripts_of_texassolver_make_its_trees(seed):
    rng = random.Random(seed)
    pot, stack = 2 * rng.randint(10, 60), rng.randint(100, 500)
    street, limit, threshold = rng.randrange(3), rng.randint(1, 4), rng.choice([0.5, 0.67, 1.0])
    menus = {k: [[[], []] for _ in range(3)] for k in ("bet", "raise", "donk")}
    script = [f"set_pot {pot}", f"set_effective_stack {stack}", f"set_raise_limit {limit}"]
    script += [f"set_allin_threshold {threshold}", "set_board " + BOARDS[street]]
    for kind, by_street in menus.items():
        for number, name in enumerate(("flop", "turn", "river")):
            for player, position in enumerate(("oop", "ip")):
                if kind == "donk" and player:
                    continue
                sizes = rng.sample([10, 33, 75, 100, 200], rng.randint(0, 2))
                by_street[number][player] = sizes
                if sizes:
                    row = ",".join(map(str, sizes))
                    script.append(f"set_bet_sizes {position},{name},{kind},{row}")
    config, _ = spot_of("\n".join(script))
    expected = texas_paths(pot, stack, menus, street=street, threshold=threshold, raise_limit=limit)
    too_small = {path for path in paths(config) - expected}
    assert expected <= paths(config)
    assert all(":a" in path for path in too_small)


# WASM and Desktop Postflop


def test_configurations_of_wasm_postflop_make_its_trees():
    text = (DATA / "postflop_configurations.json").read_text()
    assert list(items_of(text)) == ["Cash/SRP 100bb", "3bet"]
    config, left_out = spot_of(text, "Cash/SRP 100bb", board="QsJh2h", oop="22+", ip="AK")
    assert left_out == []
    menus = {
        "bet": [[["33%", "75%"], ["50%"]], [["e"], ["75%"]], [["75%", "150%"], ["20c", "75%"]]],
        "raise": [[["60%", "2.5x"], ["60%"]], [["60%"], ["60%"]], [["a"], ["60%", "a"]]],
        "donk": [[[], []], [["33%"], []], [[], []]],
    }
    own = postflop_paths(180, 910, menus, add=1.5, force=0.2, merge=0.1)
    found = paths(config)
    assert {p for p in own if not p.startswith("x:b90:c:x:b270")} <= found
    assert {p for p in found - own if not p.startswith(("b300", "x:b90:r600"))} == set()
    assert found >= {"b300:c", "x:b90:r600:c", "x:b90:c:x:x"}
    assert "x:b90:c:x:b270" not in found
    assert (config.rake_rate, config.rake_cap) == (0.05, 30)


def test_a_configuration_without_a_board_is_that_of_a_report():
    text = (DATA / "postflop_configurations.json").read_text()
    config, left_out = spot_of(text, "3bet")
    assert type(config) is ReportConfig
    assert left_out == [
        "oopFlopRaise: '100c3r' is no size of ours",
        "the file has no range of OOP, oop is random",
        "the file has no range of IP, ip is random",
        "the file has no board, this is a config for runout report",
    ]


@pytest.mark.parametrize("seed", range(12))
def test_random_configurations_of_wasm_postflop_make_its_trees(seed):
    rng = random.Random(seed)
    street = rng.randrange(3)
    pot, stack = 20 * rng.randint(2, 12), 10 * rng.randint(10, 90)
    # Thresholds of whole chips: in between, Postflop rounds what is compared.
    add, force, merge = rng.choice([0, 150, 200]), rng.choice([0, 10]), rng.choice([0, 10, 20])
    menus, value = {}, {"startingPot": pot, "effectiveStack": stack, "donkOption": seed % 2}
    value |= {"addAllInThreshold": add, "forceAllInThreshold": force, "mergingThreshold": merge}
    for kind, choices in (
        ("bet", ["33", "50", "75", "120", "e", "a", "20c"]),
        ("raise", ["50", "100", "2.5x", "3x", "e", "a"]),
        ("donk", ["33", "60", "a"]),
    ):
        menus[kind] = [[[], []] for _ in range(3)]
        for number, name in enumerate(("Flop", "Turn", "River")):
            for player, position in enumerate(("oop", "ip")):
                if kind == "donk" and (player or number == 0):
                    continue
                sizes = rng.sample(choices, rng.randint(0, 2))
                value[f"{position}{name}{kind.title()}"] = ", ".join(sizes)
                menus[kind][number][player] = [s if s[-1] in "xcea" else f"{s}%" for s in sizes]
    if not value["donkOption"]:
        del menus["donk"]
    library = {"version": 2, "name": "configurations"}
    library["data"] = [{"path": ["one"], "isGroup": False, "value": value}]
    config, left_out = spot_of(json.dumps(library), "one", board=BOARDS[street])
    expected = postflop_paths(
        pot, stack, menus, street=street, add=add / 100, force=force / 100, merge=merge / 100
    )
    assert len(left_out) == 2  # the ranges
    assert paths(config) == expected


# Ranges


def test_ranges_of_libraries_and_files_are_read():
    library = {"version": 2, "name": "ranges", "data": []}
    library["data"] += [{"path": ["BTN", "open"], "isGroup": False, "value": "22+,A2s+:0.5"}]
    assert items_of(json.dumps(library))["BTN/open"].keys == {"range": "22+,A2s+:0.5"}
    (item,) = items_of("AA-22,AKs,[50.0]JTs,KJo[/50.0]").values()
    assert item.keys == {"range": "22+,AKs,JTs:0.5,KJo:0.5"}


def test_a_node_of_hrc_has_the_range_of_each_action():
    node = {
        "player": 0,
        "street": 0,
        "sequence": [],
        "actions": [{"type": "F"}, {"type": "C"}, {"type": "R", "amount": 200}],
        "hands": {
            "AA": {"weight": 1.0, "played": [0.0, 0.25, 0.75], "evs": [0, 1, 2]},
            "72o": {"weight": 0.5, "played": [1.0, 0.0, 0.0], "evs": [0, 0, 0]},
        },
    }
    for action in node["actions"]:
        action.setdefault("amount", 0)
    _, items = read_text(json.dumps(node), "0.json")
    assert [(item.name, item.keys["range"]) for item in items] == [
        ("all", "AA,72o:0.5"),
        ("fold 0", "72o:0.5"),
        ("call 0", "AA:0.25"),
        ("raise 200", "AA:0.75"),
    ]


# PHH

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


def play_random_hand(seed):
    """A hand of pokerkit, and by street the board, pot and shorter stack of two players."""
    rng = random.Random(seed)
    num_players = rng.choice([2, 2, 3, 6])
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    rng.shuffle(deck)
    game = NoLimitTexasHoldem(AUTOMATIONS, True, rng.choice([0, 10]), (50, 100), 100)
    stacks = [rng.randint(4, 120) * 50 for _ in range(num_players)]
    state = game(stacks, num_players)
    for _ in range(num_players):
        state.deal_hole(deck.pop() + deck.pop())
    spots, board = {}, ""
    for name, count in (("preflop", 0), ("flop", 3), ("turn", 1), ("river", 1)):
        if count:
            if sum(state.statuses) < 2:
                break
            cards = "".join(deck.pop() for _ in range(count))
            state.burn_card("??")
            state.deal_board(cards)
            board += cards
            left = [s for s, is_in in zip(state.stacks, state.statuses, strict=True) if is_in]
            if len(left) == 2 and state.actor_index is not None:
                spots[name] = (board, state.total_pot_amount, min(left))
        while state.actor_index is not None:
            choice = rng.random()
            if choice < 0.2 and state.can_fold() and max(state.bets) > 0:
                state.fold()
            elif choice < 0.6 and state.can_complete_bet_or_raise_to():
                low = state.min_completion_betting_or_raising_to_amount
                high = state.max_completion_betting_or_raising_to_amount
                state.complete_bet_or_raise_to(rng.choice([low, low, min(high, 3 * low), high]))
            else:
                state.check_or_call()
    return HandHistory.from_game_state(game, state), spots


@pytest.mark.parametrize("first", range(0, 240, 60))
def test_hands_of_pokerkit_become_spots_with_their_pots_stacks_and_boards(first):
    num_spots = 0
    for seed in range(first, first + 60):
        history, spots = play_random_hand(seed)
        if not spots:
            with pytest.raises(FormatError, match="without a spot"):
                read_text(history.dumps(), "hand.phh")
            continue
        program, items = read_text(history.dumps(), "hand.phh")
        assert program == "PHH"
        for item, (name, (board, pot, stack)) in zip(items, spots.items(), strict=True):
            assert (item.name, item.keys) == (name, {"board": board, "pot": pot, "stack": stack})
            num_spots += 1
    assert num_spots > 15


def test_heads_up_the_blinds_are_reversed_and_p1_acts_first_after_the_flop():
    text = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [1000, 300]
actions = ['d dh p1 AhAs', 'd dh p2 KhKs', 'p2 cc', 'p1 cc # check', 'd db Qs2h3d', 'p1 cbr 100',
 'p2 cc', 'd db 7c', 'p1 cc', 'p2 cbr 100', 'p1 cc', 'd db 8c']
"""
    _, items = read_text(text, "hand.phh")
    assert [(i.name, i.keys["pot"], i.keys["stack"]) for i in items] == [
        ("flop", 200, 200),
        ("turn", 400, 100),
    ]
    config, left_out = spot_of(text, "turn", oop="AA", ip="KK,QJ")
    assert left_out == []
    assert (config.board, config.pot, config.stack) == ("Qs2h3d7c", 400, 100)


def test_several_hands_of_a_file_are_named_by_their_tables():
    histories = [play_random_hand(seed) for seed in range(20)]
    texts = [f"[{number}]\n{h.dumps()}" for number, (h, _) in enumerate(histories, start=1)]
    names = list(items_of("\n".join(texts)))
    expected = [
        f"{number}/{name}" for number, (_, spots) in enumerate(histories, start=1) for name in spots
    ]
    assert names == expected


# What cannot be read


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "file: is a file of none of PioSOLVER, TexasSolver"),
        ("AA,KX", "and no range: 'KX': 'X' is not a rank"),
        ("#Pot#100\n", "file, #EffectiveStacks#: '' is not a number from 0 up"),
        ("#Pot#a lot\n#EffectiveStacks#1", "file, #Pot#: 'a lot' is not a number"),
        ("set_effective_stack 5\n", "file, set_pot: '' is not a number from 0 up"),
        (
            "set_effective_stack 5\nset_bet_sizes oop,flop\n",
            "file, line 2: 'oop,flop' is not oop,flop,bet,50",
        ),
        ("{", "file: is not a file of WASM Postflop or HRC"),
        ("{}", "file: lacks 'data', for a file of WASM Postflop"),
        ('{"name": "ranges", "data": []}', "without a spot or a range"),
        (
            '{"hands": {"AKx": {"weight": 1, "played": []}}, "actions": []}',
            "'AKx': 'x' is neither s",
        ),
        ("variant = 'FT'\nactions = []", "file: variant 'FT' is not NT"),
        ("variant = 'NT'\nactions = []", "lacks 'starting_stacks', for a file of PHH"),
        ("variant = ", "is not a file of PHH: Invalid value"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(text, problem):
    with pytest.raises(FormatError) as error:
        read_text(text, "file")
    assert problem in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_spot_that_no_config_can_be_names_the_key():
    with pytest.raises(FormatError, match="makes no config of ours: board: Qs: dealt twice"):
        spot_of(PIO.replace("Qs Jh", "Qs Qs"))
