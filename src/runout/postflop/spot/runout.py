"""Where the tables of a spot keep the cards that are asked for."""

from typing import NamedTuple

from runout.cards.isomorphism import SuitMapping
from runout.holdem.cards_to_come import CardsToCome


class Runout(NamedTuple):
    """Where the tables keep a runout.

    Attributes:
        numbers: the number of the board on each street after the first.
        dealt: the cards that the tables were learned with.
        mapping: the renaming of suits that leads from the asked cards to those.
    """

    numbers: tuple[int, ...]
    dealt: tuple[int, ...]
    mapping: SuitMapping

    @property
    def board(self) -> int:
        """The number of the last board, 0 before a card is dealt."""
        return self.numbers[-1] if self.numbers else 0


def find_runout(cards: CardsToCome, dealt: tuple[int, ...]) -> Runout:
    """Returns where the tables keep the cards dealt, or cards that differ by suits only."""
    runout = Runout((), (), SuitMapping.identity())
    for depth, asked in enumerate(dealt):
        keeping = [m for m in cards.symmetries if m.map_cards(runout.dealt) == runout.dealt]
        numbers = _following(cards, depth, runout)
        number_of = {int(cards.deals[depth].card[number]): number for number in numbers}
        card = runout.mapping.map_card(asked)
        # The identity comes first, so a card that was learned is found as it is.
        step = next(m for m in keeping if m.map_card(card) in number_of)
        known = step.map_card(card)
        runout = Runout(
            (*runout.numbers, number_of[known]), (*runout.dealt, known), runout.mapping.then(step)
        )
    return runout


def _following(cards: CardsToCome, depth: int, runout: Runout) -> range:
    """Returns the numbers of the boards that can follow a runout."""
    if depth == 0:
        return range(len(cards.deals[0].card))
    first, end = cards.deals[depth - 1].first_next[runout.board : runout.board + 2].tolist()
    return range(first, end)
