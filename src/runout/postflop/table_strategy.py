"""Average strategies in the tables of a game with real cards, however its rivers are kept."""

from dataclasses import dataclass, field

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cache import Arrays
from runout.cards.combos import permute_combos
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.card_game import CardGame
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.tables import LearnedTables, name_of_table
from runout.postflop.flop_strategy import pack_probabilities

_KEPT_PART = "strategy"


@dataclass(frozen=True, eq=False)
class TableStrategy:
    """Average strategies of a solved game, combo by combo and board by board.

    Attributes:
        tables: what was learned.
        game: says where the tables keep a board and a hand.
    """

    tables: LearnedTables
    game: CardGame
    _board_number: list[dict[tuple[int, ...], int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        runouts = self.game.cards.runouts
        numbers: list[dict[tuple[int, ...], int]] = [{(): 0}]
        numbers += [{dealt: i for i, dealt in enumerate(street)} for street in runouts]
        object.__setattr__(self, "_board_number", numbers)

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo.

        A board that was not solved because it differs by suits only is looked up under the names
        of the one that was.
        """
        cards, numbers = self.game.cards, self._board_number[len(dealt)]
        mapping = next(m for m in cards.symmetries if m.map_cards(dealt) in numbers)
        board = numbers[mapping.map_cards(dealt)]
        place = self.game.find_columns(template.street, board, player)
        hands = cards.players[player].positions()[permute_combos(mapping.new_suits)[combos]]
        learning = self.tables.on_board(template.street, place.board)[player]
        # Hands of a bucket share a column, so columns are fewer than hands.
        sums = learning.strategy_sum.astype(np.float32)
        return normalize_sums(template, player, sums)[:, place.of_hands[hands]]

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes: a quarter of tables of single precision."""
        kept: dict[str, AnyArray] = {}
        pairs = zip(self.game.templates, self.tables.by_street, strict=True)
        for template, pair in pairs:
            for player, learning in enumerate(pair):
                packed = np.empty(learning.strategy_sum.shape, dtype=np.uint16)
                for board, sums in enumerate(learning.strategy_sum):
                    shares = normalize_sums(template, player, sums.astype(np.float32))
                    packed[board] = pack_probabilities(shares)
                kept[name_of_table(template.street, player, _KEPT_PART)] = packed
        return kept

    @classmethod
    def from_arrays(cls, kept: Arrays, game: CardGame) -> "TableStrategy":
        """Returns what `to_arrays` wrote of a game with the same cards and betting."""
        by_street = []
        for template in game.templates:
            oop, ip = (
                _only_strategy(kept[name_of_table(template.street, player, _KEPT_PART)])
                for player in range(NUM_PLAYERS)
            )
            by_street.append((oop, ip))
        return cls(LearnedTables(by_street, game.templates[0].street), game)


def forget_regrets(tables: LearnedTables) -> LearnedTables:
    """Returns tables that share the average strategies, and have nothing else."""
    by_street = [
        (_only_strategy(oop.strategy_sum), _only_strategy(ip.strategy_sum))
        for oop, ip in tables.by_street
    ]
    return LearnedTables(by_street, tables.first_street)


def _only_strategy(sums: AnyArray) -> Learning:
    # The actions of a decision share one scale, which does not change their shares.
    no_scale = np.zeros((len(sums), 0), dtype=np.float32)
    nothing = np.zeros((len(sums), 0, 0), dtype=np.uint8)
    return Learning(nothing, no_scale, sums, no_scale, nothing)


def normalize_sums(template: StreetTemplate, player: int, sums: Float32Array) -> Float32Array:
    """Divides sums ``[A, C]`` by their total over the actions of each decision."""
    forest = template.forests[player]
    first = forest.first_action[forest.kind == HERO_ACTS]
    counts = forest.num_children[forest.kind == HERO_ACTS]
    if len(first) == 0:
        return sums
    totals = np.repeat(np.add.reduceat(sums, first, axis=0), counts, axis=0)
    equal = np.repeat(1.0 / counts, counts).astype(np.float32)[:, None]
    shares: Float32Array = np.where(totals > 0.0, sums / np.where(totals > 0.0, totals, 1.0), equal)
    return shares
