"""How the rivers of a spot are kept: every hand apart, or as small games between buckets of hands.

`Rivers` is a value that games ask for whatever depends on it: sizes of tables, where a hand's
column is, working space, and the kernel that visits turn cards. With bucket games, hands can also
share columns on turn cards.

River cards of one rank share a *bucket game* unless their suit can make a flush: a hand that holds
none of them has the same strength on all. Most suits cannot make a flush, so most hands also have
others of the same ranks that are never told apart. Reach is added up by such groups once for a
turn card, and by bucket for each of its games; what a bucket wins goes to groups in each game, and
to hands once. Bucket games depend on cards and ranges only, so all betting trees of a flop share
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from runout.arrays import Float32Array, IntArray, Uint8Array, Uint16Array
from runout.cards.deck import COMBO_CARDS, FLOP_SIZE, NUM_CARDS, NUM_SUITS, format_cards
from runout.cards.evaluator import evaluator_tables
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem import bucket_kernels, forest, river_kernels, tables, visit_kernels
from runout.holdem.bucket_kernels import (
    GAMES_AT_ONCE,
    BucketedTurnScratch,
    BucketedTurnStreets,
    BucketGames,
    BucketScratch,
    BucketStreets,
    BucketTurnScratch,
    HandGroups,
    LentTables,
    TurnToRiver,
)
from runout.holdem.cards import PLAYER_WORDS, CardsToCome, Spot
from runout.holdem.forest import StreetTemplate
from runout.holdem.river_kernels import RiverHands
from runout.holdem.street_kernels import Terminals
from runout.holdem.tables import MissedWins, Plan, Precision, StreetSize, assemble, boards_of
from runout.holdem.terminal_kernels import Hands
from runout.holdem.visit_kernels import NO_NET_WINS, DealtStreet, Orders, TurnScratch, TurnStreets
from runout.simd.product_kernels import PRODUCT_BLOCK, ROW_BLOCK
from runout.simd.vector_kernels import LANES
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

_MAX_BUCKETS = 240
_NO_CARD = -1
#: Of the number of a river's game, and of a hand's bucket on a turn, where these are kept.
_GAME_NUMBER_BYTES, _TURN_BUCKET_BYTES = 4, 2
#: A flush needs three of five; a river card can bring it if two are there.
_CAN_MAKE_FLUSH = 2
#: At this depth, in pots, and deeper, blockers of strong hands matter.
_DEEP_STACK_POTS = 8.0


class Columns(NamedTuple):
    """Where tables keep a board.

    Attributes:
        board: the number in the tables.
        of_hands: ``[n]`` the column of each of a player's hands.
    """

    board: int
    of_hands: IntArray


#: ``[T, H]`` the column of each hand of OOP and of IP on each turn card.
TurnColumns = tuple[Uint16Array, Uint16Array]


class TurnSorter(Protocol):
    """A way to sort hands into buckets on each turn card; a value that can be compared."""

    @property
    def number(self) -> int:
        """Buckets of a turn card, at most."""

    def sort(self, cards: CardsToCome, team: Team) -> TurnColumns:
        """Returns the bucket of each hand, as wide as rows of hands; any where it is impossible."""


@dataclass(frozen=True)
class ExactRivers:
    """Every hand of every river has a column of its own."""

    is_exact: ClassVar[bool] = True
    turns: ClassVar[None] = None

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
        return [StreetSize(number, cards.widths) for number in tables.count_boards(cards)]

    def map_bytes(self, cards: CardsToCome, num_hands: int) -> int:
        """Returns 0: each hand's column is its own."""
        return 0

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
        later = [
            tables.plan_scratch(each, cards.widths, player, precision) for each in templates[1:]
        ]
        if len(later) <= 1:
            return later[0] if later else Plan({})
        between = (len(templates[-1].root), cards.widths[player])
        of_streets = Plan.join({"turn": later[0], "river": later[1]})
        values = {"river_value": (between, np.float32), "chance_value": (between, np.float64)}
        return Plan({**of_streets.arrays, **values})

    def see_turns(
        self, cards: "CardTables", templates: Sequence[StreetTemplate], player: int
    ) -> TurnStreets:
        """Returns the arguments of visits of turn cards, seen from a player."""
        turn, river = (
            cards.deal_street(templates, street, player) for street in (Street.TURN, Street.RIVER)
        )
        has_all_ins = len(turn.forest.showdowns.node) > 0
        won = cards.net_wins(Street.TURN)[player] if has_all_ins else NO_NET_WINS
        return TurnStreets(cards.hands[player], turn, river, won)


@dataclass(frozen=True)
class BucketRivers:
    """Rivers are games between buckets of hands; the flop tells all hands apart.

    Attributes:
        number: buckets of a game, a multiple of 16 up to 240.
        blockers: whether each strength is split by how many strong hands a hand blocks: ``on``,
            ``off``, or ``auto``, which is on where stacks are deep.
        merges_cards: whether river cards that make no flush share a game with their rank.
        turns: how hands are sorted on turn cards; None if these tell all hands apart.
    """

    number: int = 48
    blockers: str = "off"
    merges_cards: bool = True
    turns: TurnSorter | None = None

    is_exact: ClassVar[bool] = False

    #: Visits write all that they read.
    shares_workspace: ClassVar[bool] = True
    turns_at_once: ClassVar[int] = 3

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

    @property
    def visit_turns(self) -> Any:
        """The kernel that visits turn cards."""
        kernels = bucket_kernels
        return kernels.visit_turns if self.turns is None else kernels.visit_turns_in_buckets

    @property
    def worker_space(self) -> type[Any]:
        """Working space of a worker that visits turn cards of a flop."""
        return BucketTurnScratch if self.turns is None else BucketedTurnScratch

    def check(self, spot: Spot) -> None:
        """Raises `ConfigError` if the spot is no flop, or its deck is not whole."""
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
        """Returns the sizes of tables: every hand on the flop, buckets on rivers, turns either."""
        flop, turn, _ = (StreetSize(number, cards.widths) for number in tables.count_boards(cards))
        if self.turns is not None:
            turn = turn._replace(widths=(self.turns.number, self.turns.number))
        num_games = sum(map(len, self.group_rivers(cards)))
        return [flop, turn, StreetSize(num_games, (self.number, self.number))]

    def group_rivers(self, cards: CardsToCome) -> list[list[list[int]]]:
        """Returns for each turn card the river cards of each bucket game."""
        return _group_all_rivers(cards, self.merges_cards)

    def map_bytes(self, cards: CardsToCome, num_hands: int) -> int:
        """Returns what it takes to keep the game of each river, and the buckets of some hands."""
        turn, river = (len(deal.card) for deal in cards.deals)
        of_turns = 0 if self.turns is None else _TURN_BUCKET_BYTES * turn * num_hands
        num_games = self.table_sizes(cards)[-1].num_boards
        return of_turns + num_games * num_hands + _GAME_NUMBER_BYTES * river

    def plan_games(self, cards: CardsToCome) -> Plan:
        """Returns the plan of the bucket games of all rivers; the players share arrays."""
        num_turns, num_games = len(cards.deals[0].card), self.table_sizes(cards)[-1].num_boards
        arrays: dict[str, tuple[tuple[int, ...], npt.DTypeLike]] = {
            "first_game": ((num_turns + 1,), np.int64),
            "cards": ((num_games, NUM_SUITS), np.int64),
            "num_cards": ((num_games,), np.int64),
            "weight": ((num_games,), np.float32),
        }
        of_all: dict[str, int] = {"T": num_turns, "G": num_games, "K + 1": self.number + 1}
        for word, width in zip(PLAYER_WORDS, cards.widths, strict=True):
            groups = Plan.of(HandGroups, of_all | {"H": width, "2 H": 2 * width})
            arrays |= Plan.join({f"{word}.groups": groups}).arrays
            arrays[f"{word}.bucket"] = ((num_games, width), np.uint8)
            arrays[f"{word}.holding"] = ((NUM_CARDS, NUM_CARDS - 1), np.int64)
            arrays[f"{word}.with"] = ((NUM_CARDS, NUM_CARDS), np.int64)
        oop, ip = cards.players
        is_same = np.array_equal(oop.combos, ip.combos) and np.array_equal(oop.weights, ip.weights)
        for word in PLAYER_WORDS[: 1 if is_same else NUM_PLAYERS]:
            shape = (num_games, self.number, self.number)
            arrays[f"{word}.meets"] = arrays[f"{word}.wins"] = (shape, np.float32)
        return Plan(arrays)

    def build_games(self, cards: CardsToCome, team: Team) -> tuple[BucketGames, BucketGames] | None:
        """Makes the bucket games of all rivers, seen from OOP and IP."""
        grouped, arrays = self.group_rivers(cards), self.plan_games(cards).allocate()
        oop, ip = (_see_games(arrays, player) for player in range(NUM_PLAYERS))
        oop.first_game[1:] = np.cumsum([len(games) for games in grouped])
        oop.cards[:] = _NO_CARD
        weights = _rivers_after(cards)
        every_game = ((turn, game) for turn, games in enumerate(grouped) for game in games)
        for number, (turn, of_game) in enumerate(every_game):
            oop.cards[number, : len(of_game)] = of_game
            oop.num_cards[number] = len(of_game)
            oop.weight[number] = weights[turn][of_game[0]]
        for games in (oop, ip):
            games.hero[:] = self.number  # impossible
        hands, columns = _hands_of_both(cards)

        def build_turn(turn: int) -> None:
            board = np.array(cards.board + cards.runouts[0][turn], dtype=np.uint8)
            for number, rivers in enumerate(grouped[turn], start=int(oop.first_game[turn])):
                bucket = np.empty(len(hands.combos), np.uint8)
                met = np.empty((self.number, self.number))
                river = np.array(rivers, dtype=np.uint8)
                river_kernels.build_game(
                    evaluator_tables(), board, river, hands, self.has_blockers, bucket, met
                )
                rank = np.arange(self.number) // (1 + self.has_blockers)
                sign = np.sign(rank - rank[:, None]).astype(np.float32)
                # Rows are of the opponent's buckets; both may share the arrays: OOP comes last.
                for games, of_player, seen in ((ip, columns[1], met), (oop, columns[0], met.T)):
                    games.hero[number, : len(of_player)] = bucket[of_player]
                    games.meets[number], games.wins[number] = seen, seen * sign

        team.run(build_turn, range(len(grouped)))
        for games, hero, villain in zip((oop, ip), cards.players, cards.players[::-1], strict=True):
            fill_groups(games.hero, games.first_game, hero.cards(), games.hero_groups)
            games.hero_holding[:] = tables.holding_cards(hero)
            games.villain_with[:] = _NO_CARD
            low, high = COMBO_CARDS[villain.combos].T
            numbers = np.arange(len(villain.combos))
            games.villain_with[low, high] = games.villain_with[high, low] = numbers
        return oop, ip

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
        of_game |= tables.scratch_rows(river.forests[player], precision)
        between: dict[str, int] = {"B": blocks, "g": GAMES_AT_ONCE, "K + 1": buckets + 1}
        between |= {"H": hero, "2 H": 2 * hero, "O": villain}
        parts = {
            "turn": tables.plan_scratch(turn, cards.widths, player, precision),
            "between": Plan.of(TurnToRiver, between),
            "game": Plan.of(BucketScratch, of_game),
        }
        if self.turns is not None:
            lent: dict[str, int] = {"H": hero, "O": villain, "columns": self.turns.number}
            lent["hero actions"] = turn.num_actions[player]
            lent["villain actions"] = turn.num_actions[1 - player]
            lent["most actions"] = int(turn.forests[player].num_children.max())
            parts["lent"] = Plan.of(LentTables, lent)
        return Plan.join(parts)

    def see_turns(
        self, cards: "CardTables", templates: Sequence[StreetTemplate], player: int
    ) -> BucketStreets | BucketedTurnStreets:
        """Returns the arguments of visits of turn cards, seen from a player."""
        streets = self._see_streets(cards, templates, player)
        if cards.turn_columns is None:
            return streets
        hero, villain = cards.to_come.players[player], cards.to_come.players[1 - player]
        weights = np.zeros(hero.width, np.float32), np.zeros(villain.width, np.float32)
        weights[0][: len(hero.combos)] = hero.weights
        weights[1][: len(villain.combos)] = 1.0
        columns = cards.turn_columns[player], cards.turn_columns[1 - player]
        return BucketedTurnStreets(streets, *columns, *weights)

    def _see_streets(
        self, cards: "CardTables", templates: Sequence[StreetTemplate], player: int
    ) -> BucketStreets:
        river, river_deal = templates[Street.RIVER].forests[player], cards.to_come.deals[1]
        num_roots, showdowns = len(river.root), _pad(river.showdowns)
        # It is added, so that repeated entries have none.
        rake = np.zeros(len(showdowns.node) if len(river.rake) else 0, np.float32)
        rake[: len(river.rake)] = river.rake
        entries = np.arange(num_roots, dtype=np.int32), river.row[river.root]
        return BucketStreets(
            hands=cards.hands[player],
            turn=cards.deal_street(templates, Street.TURN, player),
            river=river._replace(folds=_pad(river.folds), showdowns=showdowns, rake=rake),
            roots=_pad(Terminals(*entries, np.ones(num_roots, np.float32))),
            games=cards.bucket_games[player],
            probability=np.full(LANES, river_deal.probability, np.float32),
            hero_factor=cards.factors[1][player],
            villain_factor=cards.factors[1][1 - player],
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
        factors: for each deal `CardsToCome.factors` of OOP's and IP's hands, 1 for padding.
        games: the rivers as OOP and IP see them, if they are bucket games.
        turn_columns: where hands are in buckets on turn cards; None if all are apart.
    """

    to_come: CardsToCome
    hands: tuple[Hands, Hands]
    orders: tuple[tuple[Orders, Orders], ...]
    factors: tuple[tuple[Float32Array, Float32Array], ...]
    games: tuple[BucketGames, BucketGames] | None
    turn_columns: TurnColumns | None = None
    _net_wins: dict[int, tuple[Float32Array, Float32Array]] = field(default_factory=dict)
    _missed: list[MissedWins] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def build(cls, spot: Spot, rivers: Rivers, team: Team | None = None) -> "CardTables":
        """Finds the hands and boards of a spot, and makes the bucket games of its rivers.

        Raises:
            RangeError: if the board leaves nothing of a range, or no pair of hands can meet.
            ConfigError: if the spot cannot have such rivers.
        """
        rivers.check(spot)
        cards = spot.plan_cards()
        oop, ip = (tables.hands_seen_from(cards, player) for player in range(NUM_PLAYERS))
        return cls(
            to_come=cards,
            hands=(oop, ip),
            orders=tuple(
                (tables.orders_of(cards, boards, 0), tables.orders_of(cards, boards, 1))
                for boards in _ordered_boards(cards, rivers)
            ),
            factors=tuple(
                (tables.factors_of(cards, number, 0), tables.factors_of(cards, number, 1))
                for number in range(len(cards.deals))
            ),
            games=rivers.build_games(cards, team or Team()),
            turn_columns=None if rivers.turns is None else rivers.turns.sort(cards, team or Team()),
        )

    @staticmethod
    def plan(cards: CardsToCome, rivers: Rivers, played: Sequence[StreetTemplate]) -> Plan:
        """Returns the plan of the tables, with the all-ins of some betting."""
        parts = {"games": rivers.plan_games(cards)}
        for player, word in enumerate(PLAYER_WORDS):
            parts[f"{word}.hands"] = tables.plan_hands(cards, player)
            if rivers.turns is not None:
                shape = len(cards.deals[0].card), cards.widths[player]
                parts[f"{word}.turns"] = Plan({"column": (shape, np.uint16)})
            for number, boards in enumerate(_ordered_boards(cards, rivers)):
                parts[f"{word}.orders{number}"] = tables.plan_orders(cards, boards, player)
            for number in range(len(cards.deals)):
                parts[f"{word}.factors{number}"] = tables.plan_factors(cards, number, player)
        if cards.is_drawn:
            parts["missed"] = tables.plan_missed(cards)
        for number, (template, boards) in enumerate(zip(played, boards_of(cards), strict=True)):
            if forest.has_products(template):
                parts[f"net_wins{number}"] = tables.plan_net_wins(cards, len(boards))
        return Plan.join(parts)

    def net_wins(self, number: int) -> tuple[Float32Array, Float32Array]:
        """Returns `tables.net_wins` on the boards of a street, by its number; made once."""
        with self._lock:
            if number not in self._net_wins:
                boards = boards_of(self.to_come)[number]
                self._net_wins[number] = tables.net_wins(self.to_come, boards)
            return self._net_wins[number]

    def missed(self) -> MissedWins | None:
        """Returns `tables.missed_wins`, made once; None if no card that can come is left out."""
        with self._lock:
            if self.to_come.is_drawn and not self._missed:
                self._missed.append(tables.missed_wins(self.to_come))
            return self._missed[0] if self._missed else None

    def deal_street(
        self, templates: Sequence[StreetTemplate], number: int, player: int
    ) -> DealtStreet:
        """Returns a street after the first, by its number, seen from a player."""
        forest, orders = templates[number].forests[player], self.orders[number][player]
        both, deal = self.factors[number - 1], self.to_come.deals[number - 1]
        return DealtStreet(forest, orders, deal, both[player], both[1 - player])

    @property
    def first_rivers(self) -> IntArray:
        """``[T + 1]`` the boards or bucket games after each turn card, numbered through."""
        return self.games[0].first_game if self.games else self.to_come.deals[0].first_next

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns where tables keep a board; hands of a bucket share a column."""
        num_hands = len(self.to_come.players[player].combos)
        if street == Street.TURN and self.turn_columns is not None:
            columns = self.turn_columns[player][board, :num_hands]
            return Columns(board, columns.astype(np.int64))
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


@lru_cache(maxsize=4)  # plans of several bettings ask in turn
def _group_all_rivers(cards: CardsToCome, merges_cards: bool) -> list[list[list[int]]]:
    grouped = [group_rivers(board, merges_cards) for board in boards_of(cards)[Street.TURN]]
    if cards.is_drawn:
        for games, kept in zip(grouped, map(set, _rivers_after(cards)), strict=True):
            games[:] = [game for game in games if game[0] in kept]
    return grouped


def _rivers_after(cards: CardsToCome) -> list[dict[int, float]]:
    """Returns for each turn card the rivers that can come after it, with their weights."""
    turns, rivers = cards.deals
    weights = rivers.weight.tolist()
    return [
        {card: weights[board] for board in range(*ends) for card in rivers.cards_like(board)}
        for ends in pairwise(turns.first_next.tolist())
    ]


def _ordered_boards(cards: CardsToCome, rivers: Rivers) -> list[list[tuple[int, ...]]]:
    boards = boards_of(cards)
    return boards if rivers.is_exact else boards[: Street.RIVER]


def _pad(terminals: Terminals) -> Terminals:
    """Returns terminals whose last one is repeated until they fill whole blocks."""
    end = (0, -len(terminals.node) % PRODUCT_BLOCK)
    return Terminals._make(np.pad(part, end, mode="edge") for part in terminals)


def _see_games(arrays: Mapping[str, npt.NDArray[Any]], player: int) -> BucketGames:
    """Returns planned arrays as a player sees them; both see the same if they hold the same."""
    hero, villain = PLAYER_WORDS[player], PLAYER_WORDS[1 - player]
    return BucketGames(
        first_game=arrays["first_game"],
        cards=arrays["cards"],
        num_cards=arrays["num_cards"],
        weight=arrays["weight"],
        hero=arrays[f"{hero}.bucket"],
        villain=arrays[f"{villain}.bucket"],
        hero_groups=assemble(HandGroups, arrays, f"{hero}.groups."),
        villain_groups=assemble(HandGroups, arrays, f"{villain}.groups."),
        hero_holding=arrays[f"{hero}.holding"],
        villain_with=arrays[f"{hero}.with"],
        meets=arrays.get(f"{hero}.meets", arrays[f"{PLAYER_WORDS[0]}.meets"]),
        wins=arrays.get(f"{hero}.wins", arrays[f"{PLAYER_WORDS[0]}.wins"]),
    )


def fill_groups(
    bucket: Uint8Array, first_game: IntArray, hand_cards: IntArray, out_groups: HandGroups
) -> None:
    """Finds the groups of a player's hands, with cards ``[H, 2]``.

    ``bucket[G, H]`` is of each hand in each game, ``first_game[T + 1]`` as in `BucketGames`.
    """
    for turn, (first, end) in enumerate(pairwise(first_game.tolist())):
        columns = np.ascontiguousarray(bucket[first:end].T)
        rows = columns.view(np.dtype((np.void, columns.shape[1])))[:, 0]
        _, first_hand, of_hand = np.unique(rows, return_index=True, return_inverse=True)
        number = len(first_hand)
        out_groups.number[turn] = number
        out_groups.of_hand[turn] = of_hand
        out_groups.hands[turn] = np.argsort(of_hand, kind="stable")
        out_groups.end[turn, :number] = np.cumsum(np.bincount(of_hand))
        num_buckets = out_groups.bucket_end.shape[1]
        for game in range(first, end):
            of_group = bucket[game, first_hand]
            out_groups.bucket[game, :number] = of_group
            out_groups.order[game, :number] = np.argsort(of_group, kind="stable")
            ends = np.cumsum(np.bincount(of_group, minlength=num_buckets))
            out_groups.bucket_end[game] = ends
        keys, place = np.unique(of_hand[:, None] * NUM_CARDS + hand_cards, return_inverse=True)
        of_group, cards = np.divmod(keys, NUM_CARDS)
        out_groups.card[turn, : len(keys)] = cards
        out_groups.card_end[turn, :number] = np.cumsum(np.bincount(of_group))
        out_groups.place[turn] = place.reshape(hand_cards.shape)


def find_game(games: BucketGames, turn: int, river_card: int) -> int:
    """Returns the game of a river card after the turn card of a number."""
    first, end = games.first_game[turn : turn + 2]
    is_there = (games.cards[first:end] == river_card).any(axis=1)
    return int(first + np.flatnonzero(is_there)[0])


def group_rivers(board: tuple[int, ...], merges_cards: bool = True) -> list[list[int]]:
    """Returns the river cards after four board cards, divided into those that share a game."""
    suits = np.bincount([card % NUM_SUITS for card in board], minlength=NUM_SUITS)
    games: dict[tuple[int, int], list[int]] = {}
    for card in range(NUM_CARDS):
        if card not in board:
            rank, suit = divmod(card, NUM_SUITS)
            is_apart = not merges_cards or suits[suit] >= _CAN_MAKE_FLUSH
            games.setdefault((rank, suit if is_apart else -1), []).append(card)
    return list(games.values())


def _hands_of_both(cards: CardsToCome) -> tuple[RiverHands, list[IntArray]]:
    """Returns the hands that somebody holds, and where each player's are among them."""
    oop, ip = cards.players
    combos = np.union1d(oop.combos, ip.combos)
    weight, columns = np.zeros((NUM_PLAYERS, len(combos))), []
    for player, held in enumerate(cards.players):
        columns.append(np.searchsorted(combos, held.combos))
        weight[player, columns[-1]] = held.weights / held.weights.sum()
    return RiverHands(combos, COMBO_CARDS[combos].astype(np.int64), weight), columns
