"""Average strategies of a joint solve at every flop leaf on every flop, saved to be opened later.

A share of 0 to 1 is kept as a whole number of 0 to 255: with real cards there are many, and more
digits are not known of any of them. Arrays are named ``flopF_leafL_STREET_PLAYER`` and have the
axes of the tables: boards, actions, columns of hands.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, Uint8Array
from runout.cards.card import format_cards
from runout.cfr.reach import NUM_PLAYERS
from runout.errors import BundleError
from runout.holdem.cards_to_come import PLAYER_WORDS
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.tables import LearnedTables
from runout.preflop.joint.joint_leaves import JointLeaves
from runout.preflop.joint.subgames import Subgame
from runout.storage.bundle import load_bundle
from runout.storage.manifest import digest_config
from runout.storage.writer import BundleWriter
from runout.trees.betting import Street
from runout.version import __version__

KIND = "joint_flops"
SCHEMA_VERSION = 1

#: Of a probability that is kept.
KEPT_BYTES_PER_CELL = 1

_LAYOUT = "layout"
_LARGEST = 255


def save_flop_strategies(
    path: Path,
    leaves: JointLeaves[Subgame],
    config_text: str,
    *,
    keep_rivers: bool = True,
    overwrite: bool = False,
) -> None:
    """Writes what was learned after the flop as a bundle, all of it or nothing.

    Args:
        path: the bundle.
        leaves: of the solved game.
        config_text: of the run.
        keep_rivers: whether rivers are kept, and not only flops and turns.
        overwrite: whether to replace a bundle that is at ``path``.

    Raises:
        BundleError: if it cannot be written, or exists and is not to be overwritten.
    """
    last_street = Street.RIVER if keep_rivers else Street.TURN
    with BundleWriter(
        path,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        package_version=__version__,
        config_text=config_text,
        config_digest=digest_config(config_text),
        overwrite=overwrite,
    ) as writer:
        for flop, subgames in enumerate(leaves.subgames):
            for leaf, subgame in enumerate(subgames):
                for template, pair in zip(
                    subgame.game.templates, subgame.tables.by_street, strict=True
                ):
                    for player, learning in enumerate(pair):
                        if template.street <= last_street and learning.strategy_sum.size:
                            shares = quantize_sums(template, player, learning.strategy_sum)
                            writer.add_array(_name(flop, leaf, template.street, player), shares)
        layout = {
            "flops": [format_cards(flop) for flop in leaves.deals.flops.flops],
            "weights": leaves.deals.flops.weights.tolist(),
            "leaves": [leaf.path for leaf in leaves.flop_leaves],
            "last_street": last_street.name.lower(),
        }
        writer.add_document(_LAYOUT, layout)
        writer.commit()


def quantize_sums(template: StreetTemplate, player: int, sums: AnyArray) -> Uint8Array:
    """Returns ``[boards, A, W]`` the shares of actions as whole numbers of 0 to 255.

    Where a hand never came, all of them are 0.

    Args:
        template: the betting of the street.
        player: whose sums they are.
        sums: ``[boards, A, W]`` strategy sums, in any scale that the actions of a decision share.
    """
    forest = template.forests[player]
    is_own = forest.kind == HERO_ACTS
    first, counts = forest.first_action[is_own], forest.num_children[is_own]
    shares = np.zeros(sums.shape, np.uint8)
    for board, of_board in enumerate(sums):
        numbers = of_board.astype(np.float32)
        totals = np.repeat(np.add.reduceat(numbers, first, axis=0), counts, axis=0)
        known = totals > np.finfo(np.float32).tiny
        np.divide(numbers, totals, out=numbers, where=known)
        shares[board] = np.rint(_LARGEST * np.where(known, numbers, 0.0))
    return shares


@dataclass(frozen=True, eq=False)
class FlopStrategies:
    """Saved strategies of all flop leaves on all flops.

    Attributes:
        arrays: by name.
        flops: the flops, as text.
        leaves: the paths of the flop leaves.
        last_street: the last street that was kept.
        config_text: of the run.
    """

    arrays: Mapping[str, AnyArray]
    flops: tuple[str, ...]
    leaves: tuple[str, ...]
    last_street: Street
    config_text: str

    @classmethod
    def load(cls, path: Path) -> "FlopStrategies":
        """Opens saved strategies; arrays stay on the disk until they are looked at.

        Raises:
            BundleError: if they are missing, damaged, or of another version.
        """
        bundle = load_bundle(path, KIND, SCHEMA_VERSION, verify=False)
        try:
            layout = bundle.documents[_LAYOUT]
            return cls(
                arrays=bundle.arrays,
                flops=tuple(layout["flops"]),
                leaves=tuple(layout["leaves"]),
                last_street=Street[layout["last_street"].upper()],
                config_text=bundle.config_text or "",
            )
        except (KeyError, TypeError) as error:
            raise BundleError(str(path), f"lacks or garbles {error}") from error

    def tables(self, flop: int, leaf: int, templates: list[StreetTemplate]) -> LearnedTables:
        """Returns tables of players who do not learn any more, with shares as sums.

        Args:
            flop: the number of the flop.
            leaf: the number of the leaf.
            templates: the betting of the leaf.
        """
        by_street = []
        for template in templates:
            oop, ip = (
                _fixed(self.arrays.get(_name(flop, leaf, template.street, player)))
                for player in range(NUM_PLAYERS)
            )
            by_street.append((oop, ip))
        return LearnedTables(by_street, templates[0].street)


def _fixed(shares: AnyArray | None) -> Learning:
    sums = np.zeros((0, 0, 0), np.uint8) if shares is None else shares
    num_boards = len(sums)
    return Learning(
        regret=np.zeros((num_boards, 0, 0), np.float32),
        regret_scale=np.zeros((num_boards, 0), np.float32),
        strategy_sum=sums,
        sum_scale=np.zeros((num_boards, 0), np.float32),
        lock=np.zeros((num_boards, 0, 0), np.uint8),
    )


def _name(flop: int, leaf: int, street: Street, player: int) -> str:
    return f"flop{flop}_leaf{leaf}_{street.name.lower()}_{PLAYER_WORDS[player]}"
