"""Short texts: ranges, cards, sizes and paths, as on the command line and in configs."""

import random
from collections.abc import Callable, Sequence
from functools import cache, partial

from runout.cards.deck import (
    parse_board,
    parse_canonical_hand,
    parse_card,
    parse_cards,
    parse_combo,
)
from runout.cards.flops import explicit_flops
from runout.cards.hand_classes import parse_hand_classes
from runout.cards.ranges import Range
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.holdem.cards import Spot
from runout.solutions.flop import find_position
from runout.solutions.flop_bundles import build_spot
from runout.trees.betting import BettingRules, PreflopRules, Stakes, Street
from runout.trees.sizes import RAISES_BEFORE_FLOP, SizeRules, Sizes, format_sizes_by_depth
from runout.trees.tree import PostflopTree, PreflopTree
from tools.fuzzing.campaign import Kind
from tools.fuzzing.mutations import mutate_text

RANGES = (
    *("22+,A2s+,KTo-K8o,AhKh,AKs:0.5", "random", "QQ-88,T9s-54s,AK,AQ:0.25", "72o:0.01,AA:1"),
    "22+,A2s+,K9s+,QTs+,J9s+,T9s,98s,87s,76s,65s,ATo+,KJo+",
    *("AA-22,[50.0]JTs,KJo[/50.0] AKs@25", "top 20%; A\u2660K\u2660 \n AKs:50%", "2Ts,10s9s,5%"),
    " ".join(["0.5"] * 13 + ["0"] * 1300 + ["1"] * 13),
)
BOARDS = ("AhKd7s", "Ah Kd 7s 2c", "Ah,Kd,7s,2c,2d", "QsJh2h", "AhKs", "Ah", "AKs", "72o", "QQ")
FLOP_LISTS = ("AhKd7s,QsJh2h", "2c2d2h", "AsKs7d,7h7s2c,Th9h6c")
HAND_CLASSES = ("sets,flush-draws", "top-pair-weak-kicker, quads")
BET_SIZES = ("33%,75%,100c,e,a", "2.5x,60%,a", "0.5%, 2e, 3e200%", "50%", "e,1000c")
RAISE_SIZES = ("2.5bb, 3bb; 3x; allin", "2bb;1.0p,3x;a", "allin", "; 2.5bb")
PREFLOP_PATHS = ("r2.5-r7.5-a-c", "c-r2.5-c", "f", "a-f", "", "c-x")
SPOT_PATHS = ("r:0:x:b60:c:8h:x:x:2c", "r:0:b60:r150:c:8h", "x:x:8h:b60", "", "r:0")

SPOT = """\
board: QsJh2h
oop: AA,KK,AhKh
ip: QQ,JJ:0.5,T9s
pot: 180
stack: 910
bet_sizes: 33%
max_raises_per_street: 1
"""
_MAX_NODES = 2_000

Reader = Callable[[str], object]


def text_kinds() -> list[Kind]:
    """Returns the kinds of short texts."""
    return [
        _kind("ranges", 0.15, RANGES, [_read_range]),
        _kind(
            "boards",
            0.15,
            (*BOARDS, *FLOP_LISTS, *HAND_CLASSES),
            [
                *(parse_board, parse_cards, parse_card, parse_combo, parse_canonical_hand),
                lambda text: explicit_flops(text.split(",")),
                parse_hand_classes,
            ],
        ),
        _kind(
            "sizes",
            0.2,
            (*BET_SIZES, *RAISE_SIZES),
            [
                partial(_read_bet_sizes, for_raises=False),
                partial(_read_bet_sizes, for_raises=True),
                *(_read_raise_sizes, _build_postflop_tree, _build_preflop_tree),
            ],
        ),
        _kind(
            "paths",
            0.2,
            (*PREFLOP_PATHS, *SPOT_PATHS),
            [
                lambda text: _preflop_tree().find_node(text),
                lambda text: find_position(_spot(), text),
                lambda text: _spot().tree.find_node(text),
            ],
        ),
    ]


def _kind(name: str, share: float, corpus: Sequence[str], readers: Sequence[Reader]) -> Kind:
    """Returns a kind whose inputs are texts with the number of the reader they go to."""

    def make(rng: random.Random) -> tuple[int, str]:
        reader = rng.randrange(len(readers))
        return reader, mutate_text(rng, rng.choice(corpus), corpus)

    def read(given: tuple[int, str]) -> object:
        reader, text = given
        return readers[reader](text)

    return Kind(name, share, make, read)


def _read_range(text: str) -> object:
    hand_range = Range(text)
    if not hand_range.is_empty:
        assert Range(str(hand_range)) == hand_range
        for notation in ("pio", "gto+", "percent", "weights"):
            again = Range(hand_range.to_text(notation)).weights
            assert abs(again - hand_range.weights).max() < 1e-6
    return hand_range.without_cards([0, 51])


def _read_bet_sizes(text: str, *, for_raises: bool) -> object:
    rules = SizeRules(for_raises=for_raises)
    sizes = Sizes.parse(text, rules)
    assert Sizes.parse(str(sizes), rules) == sizes
    return sizes


def _read_raise_sizes(text: str) -> object:
    sizes = Sizes.parse(text, RAISES_BEFORE_FLOP).at() or ()
    again = Sizes.parse(format_sizes_by_depth(sizes), RAISES_BEFORE_FLOP).at()
    assert again == (sizes or ((),))[: len(sizes)]
    return sizes


def _build_postflop_tree(text: str) -> object:
    rules = BettingRules.of(text, 2, text)
    tree = PostflopTree.build(rules, Stakes.in_chips(60, 97.5), Street.RIVER, _MAX_NODES)
    return [tree.path(node) for node in range(min(tree.num_nodes, 20))]


def _build_preflop_tree(text: str) -> object:
    tree = PreflopTree.build(PreflopRules.parse(25.0, text, raise_cap=4), _MAX_NODES)
    return [tree.path(node) for node in range(min(tree.num_nodes, 20))]


@cache
def _preflop_tree() -> PreflopTree:
    return PreflopTree.build(PreflopRules.parse(25.0, "2.5bb;3x;allin", raise_cap=4))


@cache
def _spot() -> Spot:
    return build_spot(parse_config(SPOT, SpotConfig))
