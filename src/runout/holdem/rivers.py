"""How the rivers of a spot are kept: every hand apart, or as small games between buckets of hands.

`Rivers` is a value that games ask for whatever depends on it: sizes of tables, where a hand's
column is, working space, and the kernel that visits turn cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cards.deck import FLOP_SIZE, NUM_CARDS, format_cards
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem import bucket_kernels, forest, visit_kernels
from runout.holdem.bucket_games import build_games, find_game, group_rivers, plan_games
from runout.holdem.bucket_kernels import (
    GAMES_AT_ONCE,
    BucketGames,
    BucketScratch,
    BucketStreets,
    BucketTurnScratch,
    TurnToRiver,
)
from runout.holdem.cards import PLAYER_WORDS, CardsToCome, Spot
from runout.holdem.forest import StreetTemplate
from runout.holdem.street_kernels import Forest
from runout.holdem.tables import (
    BothPlayers,
    Plan,
    Precision,
    StreetSize,
    boards_of,
    count_boards,
    hands_seen_from,
    net_wins,
    orders_of,
    plan_hands,
    plan_net_wins,
    plan_orders,
    plan_scratch,
    scratch_rows,
)
from runout.holdem.terminal_kernels import Terminals
from runout.holdem.visit_kernels import (
    NO_NET_WINS,
    BothTables,
    DealtStreet,
    Hands,
    Orders,
    TurnScratch,
    TurnStreets,
)
from runout.simd.product_kernels import PRODUCT_BLOCK, ROW_BLOCK
from runout.simd.vector_kernels import LANES
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

_MAX_BUCKETS = 240
#: At this depth, in pots, and deeper, blockers of strong hands matter.
_DEEP_STACK_POTS = 8.0


class SpotTables(Protocol):
    """Where visits find the tables of both players; boards are numbered as they are dealt."""

    #: Whether all boards are in memory anyway.
    is_whole: ClassVar[bool]

    def on_board(self, street: Street, board: int) -> BothPlayers:
        """Returns the tables of one board."""

    def on_boards(self, street: Street, boards: range) -> BothPlayers:
        """Returns the tables of some boards, with an axis for them."""


def seen_from(player: int, both: BothPlayers) -> BothTables:
    """Returns the tables of both players as one of them sees them."""
    return BothTables(both[player], both[1 - player])


class Columns(NamedTuple):
    """Where tables keep a board.

    Attributes:
        board: the number in the tables.
        of_hands: ``[n]`` the column of each of a player's hands.
    """

    board: int
    of_hands: IntArray


@dataclass(frozen=True)
class ExactRivers:
    """Every hand of every river has a column of its own."""

    is_exact: ClassVar[bool] = True

    #: Visits leave cells of impossible hands as they are, so games cannot share working space.
    shares_workspace: ClassVar[bool] = False

    #: Turn cards that a thread takes at once.
    turns_at_once: ClassVar[int] = 1
    visit_turns: ClassVar[Any] = staticmethod(visit_kernels.visit_turns)

    #: Working space of a worker that visits turn cards of a flop.
    worker_space: ClassVar[type[Any]] = TurnScratch

    def at_depth(self, stack_to_pot: float) -> "ExactRivers":
        """Returns the same: it does not depend on the stack."""
        return self

    def check(self, spot: Spot) -> None:
        """Accepts every spot."""

    def cut_streets(self, spot: Spot, cards: CardsToCome) -> tuple[int, tuple[Street, ...]]:
        """Returns how many nodes of a river make a group, and the streets that are settled."""
        return forest.nodes_per_group(max(cards.widths)), forest.settled_streets(cards, spot.deck)

    def table_sizes(self, cards: CardsToCome) -> list[StreetSize]:
        """Returns the sizes of tables with a column for every hand of every board."""
        return [StreetSize(number, cards.widths) for number in count_boards(cards)]

    def plan_games(self, cards: CardsToCome) -> Plan:
        """Returns an empty plan: there are no bucket games."""
        return Plan({})

    def build_games(self, cards: CardsToCome, team: Team) -> tuple[BucketGames, BucketGames] | None:
        """Returns no games."""
        return None

    def plan_worker(
        self,
        templates: Sequence[StreetTemplate],
        cards: CardsToCome,
        player: int,
        precision: Precision,
    ) -> Plan:
        """Returns the plan of a worker's space: of turn and rivers, or of the rivers of a turn."""
        later = [plan_scratch(each, cards.widths, player, precision) for each in templates[1:]]
        if len(later) <= 1:
            return later[0] if later else Plan({})
        between = (len(templates[-1].root), cards.widths[player])
        of_streets = Plan.join({"turn": later[0], "river": later[1]})
        values = {"river_value": (between, np.float32), "chance_value": (between, np.float64)}
        return Plan({**of_streets.arrays, **values})

    def see_turns(
        self, cards: "CardTables", forests: tuple[Forest, ...], player: int
    ) -> TurnStreets:
        """Returns the arguments of visits of turn cards, seen from a player."""
        turn, river = (
            DealtStreet(
                forests[street], cards.orders[street][player], cards.to_come.deals[street - 1]
            )
            for street in (Street.TURN, Street.RIVER)
        )
        has_all_ins = len(turn.forest.showdown) > 0
        won = cards.net_wins(Street.TURN)[player] if has_all_ins else NO_NET_WINS
        return TurnStreets(cards.hands[player], turn, river, won)


@dataclass(frozen=True)
class BucketRivers:
    """Rivers are games between buckets of hands; flop and turn tell all hands apart.

    Attributes:
        number: buckets of a game, a multiple of 16 up to 240.
        blockers: whether each strength is split by how many strong hands a hand blocks: ``on``,
            ``off``, or ``auto``, which is on where stacks are deep.
        merges_cards: whether river cards that make no flush share a game with their rank.
    """

    number: int = 48
    blockers: str = "off"
    merges_cards: bool = True

    is_exact: ClassVar[bool] = False

    #: Visits write all that they read.
    shares_workspace: ClassVar[bool] = True
    turns_at_once: ClassVar[int] = 3
    visit_turns: ClassVar[Any] = staticmethod(bucket_kernels.visit_turns)
    worker_space: ClassVar[type[Any]] = BucketTurnScratch

    def __post_init__(self) -> None:
        if not 0 < self.number <= _MAX_BUCKETS or self.number % ROW_BLOCK:
            problem = f"{self.number} is not a multiple of {ROW_BLOCK} from {ROW_BLOCK} to "
            raise ConfigError("river_buckets", problem + str(_MAX_BUCKETS))

    def at_depth(self, stack_to_pot: float) -> "BucketRivers":
        """Returns the buckets at a stack at the beginning, in pots: blockers are on or off."""
        if self.blockers != "auto":
            return self
        return replace(self, blockers="on" if stack_to_pot >= _DEEP_STACK_POTS else "off")

    @property
    def has_blockers(self) -> bool:
        """Whether strengths are split."""
        return self.blockers == "on"

    def check(self, spot: Spot) -> None:
        """Refuses spots that are no flops.

        Raises:
            ConfigError: if the spot is no flop, or its deck is not whole.
        """
        if len(spot.deck) != NUM_CARDS:
            problem = f"compact needs a whole deck, this one has {len(spot.deck)} cards"
            raise ConfigError("rivers", problem)
        if len(spot.board) != FLOP_SIZE:
            found = f"{format_cards(spot.board)} has {len(spot.board)} cards"
            raise ConfigError("rivers", f"compact needs a flop, {found}")

    def cut_streets(self, spot: Spot, cards: CardsToCome) -> tuple[int, tuple[Street, ...]]:
        """Returns that all nodes of a river make one group, and that the flop is settled."""
        return forest.ONE_GROUP, (Street.FLOP,)

    def table_sizes(self, cards: CardsToCome) -> list[StreetSize]:
        """Returns the sizes of tables with every hand on flop and turn, and buckets on rivers."""
        flop, turn, _ = (StreetSize(number, cards.widths) for number in count_boards(cards))
        num_games = sum(map(len, self.group_rivers(cards)))
        return [flop, turn, StreetSize(num_games, (self.number, self.number))]

    def group_rivers(self, cards: CardsToCome) -> list[list[list[int]]]:
        """Returns for each turn card the river cards of each bucket game."""
        return [group_rivers(board, self.merges_cards) for board in boards_of(cards)[Street.TURN]]

    def plan_games(self, cards: CardsToCome) -> Plan:
        """Returns the plan of the bucket games of all rivers."""
        return plan_games(cards, self.table_sizes(cards)[-1].num_boards, self.number)

    def build_games(self, cards: CardsToCome, team: Team) -> tuple[BucketGames, BucketGames] | None:
        """Makes the bucket games of all rivers."""
        grouped = self.group_rivers(cards)
        return build_games(cards, grouped, self.number, self.has_blockers, team)

    def plan_worker(
        self,
        templates: Sequence[StreetTemplate],
        cards: CardsToCome,
        player: int,
        precision: Precision,
    ) -> Plan:
        """Returns the plan of a worker's space: of a turn card, a bucket game, and between them."""
        _, turn, river = templates
        hero, villain = cards.widths[player], cards.widths[1 - player]
        blocks, buckets = -(-len(river.root) // LANES), self.number
        of_game: dict[str, int] = {"K": buckets, "L": blocks * LANES}
        of_game |= scratch_rows(river.forests[player], precision)
        between: dict[str, int] = {"B": blocks, "g": GAMES_AT_ONCE, "K + 1": buckets + 1}
        between |= {"H": hero, "2 H": 2 * hero, "O": villain}
        return Plan.join(
            {
                "turn": plan_scratch(turn, cards.widths, player, precision),
                "between": Plan.of(TurnToRiver, between),
                "game": Plan.of(BucketScratch, of_game),
            }
        )

    def see_turns(
        self, cards: "CardTables", forests: tuple[Forest, ...], player: int
    ) -> BucketStreets:
        """Returns the arguments of visits of turn cards, seen from a player."""
        _, turn, river = forests
        turn_deal, river_deal = cards.to_come.deals
        num_roots, num_raked = len(river.root), len(river.showdown_rake)
        folds = _pad(river.fold, river.fold_row, river.fold_gain)
        showdowns = _pad(river.showdown, river.showdown_row, river.showdown_stake)
        # It is added, so that repeated entries have none.
        rake = np.zeros(len(showdowns.node) if num_raked else 0, np.float32)
        rake[:num_raked] = river.showdown_rake
        return BucketStreets(
            hands=cards.hands[player],
            turn=DealtStreet(turn, cards.orders[Street.TURN][player], turn_deal),
            river=river._replace(
                fold=folds.node,
                fold_row=folds.row,
                fold_gain=folds.payoff,
                showdown=showdowns.node,
                showdown_row=showdowns.row,
                showdown_stake=showdowns.payoff,
                showdown_rake=rake,
            ),
            roots=_pad(np.arange(num_roots), river.row[river.root], np.ones(num_roots)),
            games=cards.bucket_games[player],
            probability=np.full(LANES, river_deal.probability, np.float32),
        )


#: How the rivers of a spot are kept.
Rivers = ExactRivers | BucketRivers

EXACT_RIVERS = ExactRivers()


@dataclass(frozen=True, eq=False)
class CardTables:
    """The cards of a spot as kernels read them, for any betting.

    Attributes:
        to_come: hands and boards.
        hands: as OOP and IP see them.
        orders: hands by board, for each street, as OOP and IP see them; none of bucket games.
        games: the rivers as OOP and IP see them, if they are bucket games.
    """

    to_come: CardsToCome
    hands: tuple[Hands, Hands]
    orders: tuple[tuple[Orders, Orders], ...]
    games: tuple[BucketGames, BucketGames] | None
    _net_wins: dict[int, tuple[Float32Array, Float32Array]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def build(cls, spot: Spot, rivers: Rivers, team: Team | None = None) -> "CardTables":
        """Finds the hands and boards of a spot, and makes the bucket games of its rivers.

        Raises:
            RangeError: if the board leaves nothing of a range, or no pair of hands can meet.
            ConfigError: if the spot cannot have such rivers.
        """
        rivers.check(spot)
        cards = plan_deals(spot)
        oop, ip = (hands_seen_from(cards, player) for player in range(NUM_PLAYERS))
        return cls(
            to_come=cards,
            hands=(oop, ip),
            orders=tuple(
                (orders_of(cards, boards, 0), orders_of(cards, boards, 1))
                for boards in _ordered_boards(cards, rivers)
            ),
            games=rivers.build_games(cards, team or Team()),
        )

    @staticmethod
    def plan(cards: CardsToCome, rivers: Rivers, played: Sequence[StreetTemplate]) -> Plan:
        """Returns the plan of the tables, with the all-ins of some betting."""
        parts = {"games": rivers.plan_games(cards)}
        for player, word in enumerate(PLAYER_WORDS):
            parts[f"{word}.hands"] = plan_hands(cards, player)
            for number, boards in enumerate(_ordered_boards(cards, rivers)):
                is_river = number == len(cards.deals)
                parts[f"{word}.orders{number}"] = plan_orders(
                    cards, len(boards), player, is_river=is_river
                )
        for number, (template, boards) in enumerate(zip(played, boards_of(cards), strict=True)):
            if forest.has_products(template):
                parts[f"net_wins{number}"] = plan_net_wins(cards, len(boards))
        return Plan.join(parts)

    def net_wins(self, number: int) -> tuple[Float32Array, Float32Array]:
        """Returns `tables.net_wins` on the boards of a street, by its number; made once."""
        with self._lock:
            if number not in self._net_wins:
                self._net_wins[number] = net_wins(self.to_come, boards_of(self.to_come)[number])
            return self._net_wins[number]

    @property
    def first_rivers(self) -> IntArray:
        """``[T + 1]`` the boards or bucket games after each turn card, numbered through."""
        return self.games[0].first_game if self.games else self.to_come.deals[0].first_next

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns where tables keep a board; in a bucket game, hands of a bucket share a column."""
        num_hands = len(self.to_come.players[player].combos)
        if street != Street.RIVER or self.games is None:
            return Columns(board, np.arange(num_hands))
        turn_deal, river_deal = self.to_come.deals
        turn = int(np.searchsorted(turn_deal.first_next, board, side="right")) - 1
        games = self.games[player]
        number = find_game(games, turn, int(river_deal.card[board]))
        bucket = games.hero[number, :num_hands].astype(np.int64)
        # Hands that hold the river card have no bucket; any column will do.
        return Columns(number, np.minimum(bucket, games.meets.shape[1] - 1))

    @property
    def bucket_games(self) -> tuple[BucketGames, BucketGames]:
        """The games as OOP and IP see them, where rivers have them."""
        assert self.games is not None
        return self.games


def plan_deals(spot: Spot) -> CardsToCome:
    """Finds the hands and cards of a spot; raises what `CardsToCome.plan` does."""
    return CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)


def _ordered_boards(cards: CardsToCome, rivers: Rivers) -> list[list[tuple[int, ...]]]:
    boards = boards_of(cards)
    return boards if rivers.is_exact else boards[: Street.RIVER]


def _pad(node: AnyArray, row: AnyArray, payoff: AnyArray) -> Terminals:
    """Returns terminals whose last one is repeated until they fill whole blocks."""
    end = (0, -len(node) % PRODUCT_BLOCK)
    node, row, payoff = (np.pad(part, end, mode="edge") for part in (node, row, payoff))
    return Terminals(node.astype(np.int32), row.astype(np.int32), payoff.astype(np.float32))
