"""Betting rules, betting trees and the flat arrays that solvers read; nothing here knows cards.

Private by place: `runout.BettingTree` is public.
"""

__all__: list[str] = []
