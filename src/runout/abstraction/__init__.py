"""Fewer hands that play alike: hand strength, percentile buckets, and looking buckets up.

All public names of card abstraction can be imported from here.
"""

from runout.abstraction.card_abstraction import (
    AbstractionConfig,
    BoundaryGenerator,
    BucketAssigner,
    BucketBoundaries,
    CardAbstraction,
    SurveyMode,
    build_card_abstraction,
)
from runout.abstraction.survey import StrengthFeature
from runout.cards.flops import CanonicalBoard, SuitMapping
from runout.equity.hand_strength import (
    AbstractionError,
    AbstractionLoadError,
    BoardHandStrengths,
    DuplicateCardError,
    HandStrength,
    HandStrengthCalculator,
    InvalidBoardSizeError,
    InvalidBoundariesError,
    SerializationError,
)
from runout.trees.betting import Street

__all__ = [
    "AbstractionConfig",
    "AbstractionError",
    "AbstractionLoadError",
    "BoardHandStrengths",
    "BoundaryGenerator",
    "BucketAssigner",
    "BucketBoundaries",
    "CanonicalBoard",
    "CardAbstraction",
    "DuplicateCardError",
    "HandStrength",
    "HandStrengthCalculator",
    "InvalidBoardSizeError",
    "InvalidBoundariesError",
    "SerializationError",
    "Street",
    "StrengthFeature",
    "SuitMapping",
    "SurveyMode",
    "build_card_abstraction",
]
