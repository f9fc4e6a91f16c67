"""Where a spot comes from, if a preflop solution has led to it."""

from typing import Annotated

from pydantic import Field

from runout.config.section import About, ConfigSection

_Amount = Annotated[float, Field(allow_inf_nan=False)]


class SpotOrigin(ConfigSection):
    """The node of a run that a spot was taken from, and what the run counted with there."""

    run: Annotated[str, About("The directory of the run.", "a path such as runs/hu_25bb")]
    node: Annotated[str, About("The actions before the flop.", "a path such as r2-c")]
    oop_ev: Annotated[
        _Amount,
        About("What OOP gets of the pot there, the mean over flops.", "a number", unit="chips"),
    ]
    ip_ev: Annotated[
        _Amount,
        About("What IP gets of the pot there, the mean over flops.", "a number", unit="chips"),
    ]

    def describe(self) -> str:
        """Returns where the spot comes from and what was counted with, in one line."""
        return (
            f"from {self.run}, node {self.node}, where OOP gets {self.oop_ev:.1f} and IP "
            f"{self.ip_ev:.1f} chips on average over flops"
        )
