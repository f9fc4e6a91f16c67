"""Fewer hands that play alike: hand strength, percentile buckets, and looking buckets up.

All public names of card abstraction can be imported from here.
"""

from runout.abstraction.boundaries import BucketAssigner, BucketBoundaries
from runout.abstraction.build import build_card_abstraction
from runout.abstraction.card_abstraction import CardAbstraction
from runout.abstraction.errors import (
    AbstractionError,
    AbstractionLoadError,
    DuplicateCardError,
    InvalidBoardSizeError,
    InvalidBoundariesError,
    SerializationError,
)
from runout.abstraction.generator import AbstractionConfig, BoundaryGenerator, SurveyMode
from runout.abstraction.hand_strength import (
    BoardHandStrengths,
    HandStrength,
    HandStrengthCalculator,
)
from runout.abstraction.strength_survey import StrengthFeature
from runout.cards.isomorphism import CanonicalBoard, SuitMapping
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
