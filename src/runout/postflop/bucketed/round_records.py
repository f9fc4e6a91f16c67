"""What is kept of every round of a bucketed solve: its buckets, and what hands earned with them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from runout.abstraction.bucket_map import FlopBuckets
from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cache import Arrays
from runout.cards.combos import live_combos
from runout.holdem.spot_game import SpotGame
from runout.postflop.bucketed.bucket_strategy import pack_few_buckets, read_buckets, unpack_buckets
from runout.postflop.bucketed.rounds import FlopSolveResult, ev_features, mean_values


@dataclass(frozen=True, eq=False)
class RoundRecord:
    """A solved round.

    Attributes:
        buckets: with which it was solved.
        ev_features: ``[C, 20]`` what each live combo earns against the opponent's buckets, as OOP
            and IP; see `ev_features`.
        mean_values: ``[C, 2]`` what each wins on average as OOP and as IP, beyond half the pot.
        iterations: of the solve.
        exploitability_bound_pot: what a best response in the same buckets gains at most.
        final_delta: how much the average strategies moved in the last iteration.
    """

    buckets: FlopBuckets
    ev_features: Float32Array
    mean_values: Float32Array
    iterations: int
    exploitability_bound_pot: float
    final_delta: float

    @classmethod
    def of(cls, game: SpotGame, result: FlopSolveResult) -> "RoundRecord":
        """Returns the record of a round."""
        return cls(
            result.buckets,
            ev_features(game, result).astype(np.float32),
            mean_values(game, result.values).astype(np.float32),
            result.iterations_used,
            result.outcome.exploitability,
            result.final_delta,
        )

    @property
    def combos(self) -> IntArray:
        """The combos that the flop leaves possible."""
        return live_combos(self.buckets.flop)

    def flop_labels(self) -> IntArray:
        """Returns ``[C]`` the flop bucket of each live combo."""
        return self.buckets.by_flop[self.combos].astype(np.int64)


def pack_records(records: Sequence[RoundRecord]) -> Arrays:
    """Returns the records of all rounds of a flop as arrays; turns and rivers are not repeated."""
    facts = [(r.iterations, r.exploitability_bound_pot, r.final_delta) for r in records]
    kept: dict[str, AnyArray] = {
        "round_flop_buckets": pack_few_buckets(np.stack([r.buckets.by_flop for r in records])),
        "round_ev_features": np.stack([record.ev_features for record in records]),
        "round_mean_values": np.stack([record.mean_values for record in records]),
        "round_facts": np.array(facts, dtype=np.float64),
    }
    return kept


def has_records(kept: Arrays) -> bool:
    """Returns whether `pack_records` has written something there."""
    return "round_facts" in kept


def read_records(kept: Arrays, flop: tuple[int, ...]) -> list[RoundRecord]:
    """Returns the records of a kept flop, round by round."""
    last = read_buckets(kept, flop)
    _, num_turn, num_river = last.num_buckets
    records = []
    for by_flop, features, values, facts in zip(
        unpack_buckets(kept["round_flop_buckets"]),
        kept["round_ev_features"],
        kept["round_mean_values"],
        kept["round_facts"].tolist(),
        strict=True,
    ):
        counts = (int(by_flop.max()) + 1, num_turn, num_river)
        buckets = replace(last, by_flop=by_flop, num_buckets=counts)
        iterations, bound, delta = facts
        records.append(RoundRecord(buckets, features, values, int(iterations), bound, delta))
    return records
