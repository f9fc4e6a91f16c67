import runout.abstraction
from runout.abstraction import CanonicalBoard, SuitMapping
from runout.cards import flops as isomorphism

PLANNED_NAMES = [
    "AbstractionConfig",
    "AbstractionError",
    "BoundaryGenerator",
    "BucketAssigner",
    "BucketBoundaries",
    "CanonicalBoard",
    "CardAbstraction",
    "HandStrength",
    "HandStrengthCalculator",
    "Street",
    "SuitMapping",
]


def test_every_planned_name_can_be_imported_from_the_package():
    for name in PLANNED_NAMES:
        assert name in runout.abstraction.__all__
        assert hasattr(runout.abstraction, name)


def test_all_public_names_exist_and_are_sorted():
    names = runout.abstraction.__all__
    assert names == sorted(names)
    assert all(hasattr(runout.abstraction, name) for name in names)


def test_isomorphism_is_that_of_the_cards():
    """Its tests are in tests/cards/test_isomorphism.py."""
    assert CanonicalBoard is isomorphism.CanonicalBoard
    assert SuitMapping is isomorphism.SuitMapping
