"""Rules of preflop games that many tests use; the presets of configs have the same sizes."""

from runout.trees.betting import PreflopRules


def push_fold_rules(stacks_bb, ante_bb=0.0):
    """Returns the push/fold game: the small blind moves all-in or folds, the big blind answers."""
    return PreflopRules.parse(stacks_bb, ["allin"], ante_bb=ante_bb, allow_limp=False)


def limp_fold_rules(stacks_bb, ante_bb=0.0):
    """Returns the limp/fold game: the small blind limps or folds, the big blind may move all-in."""
    sizes = {"sb": [], "bb": ["allin"]}
    return PreflopRules.parse(
        stacks_bb, sizes, ante_bb=ante_bb, raise_cap=1, always_offer_all_in=False
    )


def standard_rules_25bb():
    """Returns 25 big blinds each: limp or minimum raise, re-raise to three times, then all-in."""
    sizes = {"sb": ["2bb", "3x", "allin"], "bb": ["3bb", "3x", "allin"]}
    return PreflopRules.parse(25.0, sizes, raise_cap=4)


def standard_rules_100bb():
    """Returns 100 big blinds each: limp or open to 2.5, 3-bet to 9, 4-bet to 21.6, then all-in."""
    sizes = {"sb": ["2.5bb", "3x", "2.4x", "allin"], "bb": ["3.5bb", "3.6x", "2.4x", "allin"]}
    return PreflopRules.parse(100.0, sizes, raise_cap=5)
