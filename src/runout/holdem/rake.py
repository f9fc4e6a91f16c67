"""What the house takes from a pot."""

from dataclasses import dataclass

from runout.errors import ConfigError


@dataclass(frozen=True)
class Rake:
    """A share of every pot, up to a cap. A raked game is not zero-sum.

    Attributes:
        rate: fraction of the pot, 0 to 1.
        cap: the most that is taken, in chips; 0 takes nothing.
    """

    rate: float = 0.0
    cap: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate <= 1.0:
            raise ConfigError("rake_rate", f"{self.rate:g} is not a fraction from 0 to 1")
        if not self.cap >= 0.0:
            raise ConfigError("rake_cap", f"{self.cap:g} is not 0 or a positive amount")

    def taken_from(self, pot: float) -> float:
        """Returns what is taken from a pot, in its unit."""
        return min(self.rate * pot, self.cap)

    def won_by_fold(self, stake: float) -> float:
        """Returns what the winner wins where the other folds and loses a stake."""
        return stake - self.taken_from(2.0 * stake)

    def half_at_showdown(self, stake: float) -> float:
        """Returns half of what is taken where each player has staked so much.

        The winner of a pot P with rake r gets ``P/2 - r``, the loser ``-P/2``, and a tie is
        ``-r/2`` each: that is ``(P - r)/2`` won or lost, and half of the rake paid by both.
        """
        return self.taken_from(2.0 * stake) / 2.0


NO_RAKE = Rake()
