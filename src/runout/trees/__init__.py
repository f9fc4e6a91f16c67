"""Betting rules, betting trees and the flat arrays that solvers read; nothing here knows cards."""
