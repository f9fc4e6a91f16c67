"""Judging the strategies of a flop without making its spot."""

from runout.flops.backend import EVERYONE
from runout.holdem.cards import Spot
from runout.runs.judge import judge_spot


def judge_strategy(flop, tree, strategy, ranges=EVERYONE, team=None, *, merges_suits=True):
    """Returns what strategies of a flop lose with real cards, by default with all hands."""
    return judge_spot(Spot(tuple(flop), ranges, tree, merges_suits=merges_suits), strategy, team)
