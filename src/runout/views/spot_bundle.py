"""A saved spot: how its bundle is laid out, and how its solution is opened without a solver.

The bundle has a solution, which is looked at, and, unless it was told not to, the resume part,
which a solver goes on from. Arrays of the solution are named ``solution_STREET_PLAYER_PART``, those
of the resume part ``STREET_PLAYER_PART``. Bundles that were saved on the way, or by versions before
the solution, have the resume part alone.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from runout.arrays import Float32Array, Int16Array
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.holdem.cards_to_come import PLAYER_WORDS, CardsToCome, PlayerHands
from runout.holdem.rake import Rake
from runout.holdem.spot import Spot
from runout.holdem.street_layout import StreetLayout, make_layouts
from runout.results.solve_report import ExploitabilityMeaning
from runout.storage.bundle import Bundle, load_bundle, read_manifest, reading_contents
from runout.trees.betting import Street
from runout.views.codec import EncodedValues
from runout.views.quality import ExploitabilityUnit, Provenance, Quality
from runout.views.stored_spot import StoredBuckets, StoredSpot, StoredStreet, StoredTables

KIND = "spot"
SCHEMA_VERSION = 1
REPORT = "report"

STRATEGY, VALUES, BOUNDS, LOCKED, BUCKET = "strategy", "values", "bounds", "locked", "bucket"
EQUITY = "solution_equity"
RIVER_GAME = "solution_river_game"

_PLAYERS = (0, 1)

#: Digests of larger bundles would take longer than one wants to wait for a node.
MOST_VERIFIED_BYTES = 2**28


def name_of(street: Street, player: int, part: str) -> str:
    """Returns the name of an array of the solution."""
    return f"solution_{street.label}_{PLAYER_WORDS[player]}_{part}"


def build_spot(config: SpotConfig) -> Spot:
    """Returns the spot that a config describes.

    Raises:
        TreeError: if its betting tree is too large.
    """
    cap = math.inf if config.rake_cap is None else config.rake_cap
    return Spot(
        board=config.board_cards,
        ranges=config.ranges(),
        tree=config.tree(),
        rake=Rake(config.rake_rate, cap),
        merges_suits=config.merges_suits,
    )


def meaning_of(config: SpotConfig) -> ExploitabilityMeaning:
    """Returns in which game the exploitability of a spot is: rivers in buckets are another one."""
    is_real = config.rivers == "exact"
    return ExploitabilityMeaning.REAL_GAME if is_real else ExploitabilityMeaning.OWN_GAME


def quality_of(
    config: SpotConfig, report: Mapping[str, Any], provenance: Provenance | None
) -> Quality:
    """Returns how well a spot is solved, of what its report says."""
    return Quality(
        exploitability=float(report["exploitability_chips"]) / config.pot,
        unit=ExploitabilityUnit.POT,
        meaning=meaning_of(config),
        real_exploitability=None,
        iterations=int(report["iterations"]),
        seconds=float(report["seconds"]),
        curve=tuple(
            (int(iteration), float(chips) / config.pot)
            for iteration, chips in report.get("curve_chips", ())
        ),
        provenance=provenance,
    )


def has_solution(path: Path | str) -> bool:
    """Returns whether a saved spot can be opened without a solver.

    Raises:
        BundleError: if there is no bundle, or its manifest is damaged.
    """
    return any(name.startswith("solution_") for name in read_manifest(path).arrays)


def load_spot(path: Path | str) -> StoredSpot:
    """Opens the solution of a saved spot; arrays stay on the disk until they are looked at.

    Raises:
        BundleError: if it is missing, damaged, has no solution, or is of another version.
    """
    is_verified = read_manifest(path).size_bytes <= MOST_VERIFIED_BYTES
    bundle = load_bundle(path, KIND, SCHEMA_VERSION, verify=is_verified)
    with reading_contents(path):
        config = load_spot_config(bundle.config_text or "")
        spot = build_spot(config)
        cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)
        quality = quality_of(config, bundle.documents[REPORT], Provenance.of(bundle.manifest))
    return StoredSpot(spot, cards, _read_tables(bundle, config, spot, cards), quality, config)


def _read_tables(
    bundle: Bundle, config: SpotConfig, spot: Spot, cards: CardsToCome
) -> StoredTables:
    oop, ip = (len(player.combos) for player in cards.players)
    is_flop = spot.tree.first_street == Street.FLOP
    equity = bundle.require_array(EQUITY, np.uint16, (oop, ip)) if is_flop else None
    is_compact = RIVER_GAME in bundle.arrays
    buckets = _read_buckets(bundle, cards, config.river_buckets) if is_compact else None
    boards = (1, *(len(deal.card) for deal in cards.deals))
    streets = []
    for layout, num_boards in zip(make_layouts(spot.tree), boards, strict=True):
        widths = (oop, ip)
        if layout.street == Street.RIVER and buckets is not None:
            num_boards, number = len(buckets.bucket[0]), buckets.number
            widths = (number, number)
        streets.append(_read_street(bundle, layout, num_boards, widths, (oop, ip)))
    return StoredTables(tuple(streets), equity, buckets)


def _read_street(
    bundle: Bundle,
    layout: StreetLayout,
    num_boards: int,
    widths: tuple[int, int],
    num_hands: tuple[int, int],
) -> StoredStreet:
    def read(part: str, dtype: type, *shapes: tuple[int, ...]) -> Any:
        return tuple(
            bundle.require_array(name_of(layout.street, player, part), dtype, shape)
            for player, shape in zip(_PLAYERS, shapes, strict=True)
        )

    rows = [(num_boards, actions) for actions in layout.num_actions]
    strategy = read(STRATEGY, np.uint16, *((*r, w) for r, w in zip(rows, widths, strict=True)))
    values = None
    if layout.street != Street.RIVER:
        lines = (num_boards, len(layout.next_roots))
        codes = read(VALUES, np.int16, *((*lines, number) for number in num_hands))
        bounds = read(BOUNDS, np.float32, (*lines, 2), (*lines, 2))
        oop, ip = (
            EncodedValues(cast(Int16Array, codes[p]), cast(Float32Array, bounds[p]))
            for p in _PLAYERS
        )
        values = (oop, ip)
    has_locks = name_of(layout.street, 0, LOCKED) in bundle.arrays
    return StoredStreet(strategy, values, read(LOCKED, np.uint8, *rows) if has_locks else None)


def _read_buckets(bundle: Bundle, cards: CardsToCome, number: int) -> StoredBuckets:
    game = bundle.require_array(RIVER_GAME, np.int32, (len(cards.deals[-1].card),))
    num_games = int(game.max()) + 1

    def read(player: int, hands: PlayerHands) -> Any:
        name = name_of(Street.RIVER, player, BUCKET)
        return bundle.require_array(name, np.uint8, (num_games, len(hands.combos)))

    oop, ip = (read(player, hands) for player, hands in enumerate(cards.players))
    return StoredBuckets(game, (oop, ip), number)
