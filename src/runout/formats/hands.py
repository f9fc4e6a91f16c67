"""PHH: hands that were played, as the spots of their streets.

A file has one hand, or several in tables ``[1]``, ``[2]``. Players are numbered from the first to
post: ``p1`` is the small blind and acts first after the flop. With two players the blinds are
reversed: ``p2`` has the button and posts the first of ``blinds_or_straddles``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from runout.cards.deck import FLOP_SIZE, format_cards, parse_cards
from runout.errors import FormatError, quote
from runout.formats.solvers import Item, read_number
from runout.trees.betting import Street


def read_hands(document: Mapping[str, Any], where: str) -> list[Item]:
    """Returns the spots of all hands: each street on which two players have chips to bet."""
    hands = {"": document} if "actions" in document else document
    items = list[Item]()
    for name, hand in hands.items():
        if (variant := hand["variant"]) != "NT":
            raise FormatError(where, f"variant {quote(variant)} is not NT, no-limit hold'em")
        items += [item._replace(name=f"{name}/{item.name}".strip("/")) for item in _play(hand)]
    return items


def _play(hand: Mapping[str, Any]) -> Iterator[Item]:
    """Plays a hand, and yields its spots."""
    stacks, antes = list(hand["starting_stacks"]), hand["antes"]
    blinds = hand["blinds_or_straddles"][:: -1 if len(stacks) == 2 else 1]
    bets, players = [0.0] * len(stacks), set(range(len(stacks)))
    pot, board = 0.0, tuple[int, ...]()

    def put_in(player: int, to: float) -> None:
        paid = min(to - bets[player], stacks[player])
        stacks[player] -= paid
        bets[player] += paid

    def collect() -> float:
        """Empties the bets, and returns what goes to the pot; what is not called goes back."""
        called, total = sorted(bets)[-2], 0.0
        for player, bet in enumerate(bets):
            total += min(bet, called)
            stacks[player] += max(bet - called, 0.0)
            bets[player] = 0.0
        return total

    for player, ante in enumerate(antes):
        put_in(player, ante)
    pot += collect()
    for player, blind in enumerate(blinds):
        put_in(player, blind)
    for text in hand["actions"]:
        match text.partition("#")[0].split():
            case ["d", "db", cards]:
                board += parse_cards(cards)
                pot += collect()
                left = [stacks[player] for player in players]
                if len(left) == 2 and min(left) > 0.0 and len(board) >= FLOP_SIZE:
                    name = Street(len(board) - FLOP_SIZE).label
                    money = {"pot": read_number(pot, "pot"), "stack": read_number(min(left), "")}
                    yield Item(name, {"board": format_cards(board), **money})
            case [player, "f"]:
                players.discard(int(player[1:]) - 1)
            case [player, "cc"]:
                put_in(int(player[1:]) - 1, max(bets))
            case [player, "cbr", amount]:
                put_in(int(player[1:]) - 1, float(amount))
            case ["d", "dh", *_] | [_, "sm", *_] | []:
                pass
            case _:
                raise ValueError(f"{quote(text)} is not an action such as p1 cbr 300")
