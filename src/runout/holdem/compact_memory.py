"""What a compact game takes in memory, before anything is allocated."""

from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.all_ins import net_win_bytes
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_workspace import WorkspaceShape
from runout.holdem.river_games import RiverBuckets, count_games, holds_the_same
from runout.holdem.street_template import StreetTemplate
from runout.holdem.tables import MemoryNeed, Precision, StreetSize, count_table_bytes

_FLOAT_BYTES = 4
_GAME_NUMBER_BYTES = 4  # of a runout
_KIN_OF_GAME_BYTES = 1 + 2  # of a hand: the bucket of its kin, and kin in the order of buckets
_KIN_OF_TURN_BYTES = 2 * (1 + 1 + 1 + 1 + 2) + 2  # of a hand: see `Kin`
_END_BYTES = 2  # of a bucket
_NUMBER_BYTES = 8
_CARDS_AND_COUNT_BYTES = 5 * 8  # of a game
_PER_HAND_AND_SYMMETRY_BYTES = 24 * 8
_HANDS_BY_CARD_BYTES = 8 * 52 * (51 + 51 + 52)


def compact_sizes(cards: CardsToCome, buckets: RiverBuckets) -> list[StreetSize]:
    """Returns the sizes of tables with every hand on flop and turn, and buckets on rivers."""
    oop, ip = cards.players
    num_games = count_games(cards, buckets.merges_cards)
    return [
        StreetSize(1, (oop.width, ip.width)),
        StreetSize(len(cards.deals[0].card), (oop.width, ip.width)),
        StreetSize(num_games, (buckets.number, buckets.number)),
    ]


def river_map_bytes(cards: CardsToCome, buckets: RiverBuckets) -> int:
    """Returns what keeping the bucket of each hand, the same for both players, takes on a flop."""
    games = count_games(cards, buckets.merges_cards) * len(cards.players[0].combos)
    return games + _GAME_NUMBER_BYTES * len(cards.deals[1].card)


def compact_card_bytes(cards: CardsToCome, buckets: RiverBuckets) -> int:
    """Returns what the bucket games and the orders of hands of a flop take."""
    num_games, num_turns = count_games(cards, buckets.merges_cards), len(cards.deals[0].card)
    widths = sum(player.width for player in cards.players)
    num_hands = sum(len(player.combos) for player in cards.players)
    num_views = 1 if holds_the_same(cards) else NUM_PLAYERS
    matrices = num_views * 2 * _FLOAT_BYTES * buckets.number**2
    lists = _KIN_OF_GAME_BYTES * widths + _END_BYTES * NUM_PLAYERS * (buckets.number + 1)
    games = num_games * (widths + lists + matrices + _CARDS_AND_COUNT_BYTES)
    games += num_turns * (_KIN_OF_TURN_BYTES * widths + NUM_PLAYERS * _NUMBER_BYTES)
    orders = NUM_PLAYERS * (1 + num_turns) * (2 * num_hands + 16)
    by_hand = _PER_HAND_AND_SYMMETRY_BYTES * widths + NUM_PLAYERS * _HANDS_BY_CARD_BYTES
    return games + orders + by_hand + net_win_bytes(cards, 1)


def estimate_compact_memory(
    templates: list[StreetTemplate],
    cards: CardsToCome,
    buckets: RiverBuckets,
    num_workers: int,
    precision: Precision,
) -> MemoryNeed:
    """Returns what a solve will allocate.

    Args:
        templates: the betting, rivers in one group.
        cards: hands and boards.
        buckets: how hands are grouped on rivers.
        num_workers: threads that share a visit.
        precision: of the tables.
    """
    widths = cards.players[0].width, cards.players[1].width
    num_turns = len(cards.deals[0].card)
    return MemoryNeed(
        tables=count_table_bytes(templates, compact_sizes(cards, buckets), precision),
        working_space=sum(
            WorkspaceShape.of(
                templates, widths, num_turns, buckets.number, player, precision
            ).num_bytes(num_workers)
            for player in range(NUM_PLAYERS)
        ),
        cards=compact_card_bytes(cards, buckets),
    )
