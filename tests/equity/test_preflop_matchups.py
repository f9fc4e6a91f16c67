import numpy as np
import pytest

from runout.cache import digest_arrays
from runout.equity import preflop_matchups as module
from runout.equity.preflop_equity import DIGEST, matchup_classes, preflop_equity
from runout.equity.preflop_matchups import PHASE, rebuild_matchups, verify_matchups
from runout.errors import ExecutionError, TableError
from runout.events import PhaseAdvanced, PhaseStarted
from tests.event_streams import check_stream

NUM_BOARDS_UP_TO_SUITS = 134_459
NUM_CLASSES = 93_769


def shipped_wins() -> np.ndarray:
    class_of, num_classes = matchup_classes()
    wins = np.empty(num_classes, dtype=np.uint32)
    can_meet = class_of >= 0
    wins[class_of[can_meet]] = preflop_equity().wins_of_hand[can_meet]
    return wins


def test_counting_all_boards_gives_the_shipped_table_and_reports_progress():
    events = []
    arrays = rebuild_matchups(num_workers=2, on_event=events.append)
    assert digest_arrays(arrays) == DIGEST
    np.testing.assert_array_equal(arrays["wins"], shipped_wins())
    started, *advanced, _ = events
    assert started == PhaseStarted(PHASE, NUM_BOARDS_UP_TO_SUITS)
    assert advanced[-1] == PhaseAdvanced(PHASE, NUM_BOARDS_UP_TO_SUITS, NUM_BOARDS_UP_TO_SUITS)
    check_stream(events)


@pytest.mark.slow
def test_number_of_workers_does_not_matter():
    assert digest_arrays(rebuild_matchups(num_workers=1)) == DIGEST
    assert verify_matchups(num_workers=3) == NUM_CLASSES


def test_verification_counts_the_matchups_that_agree(monkeypatch):
    monkeypatch.setattr(module, "rebuild_matchups", lambda *_: {"wins": shipped_wins()})
    assert verify_matchups(num_workers=1) == NUM_CLASSES


def test_verification_notices_a_single_different_count(monkeypatch):
    wins = shipped_wins()
    wins[0] += 1  # pocket aces against the other two aces, one combo pair
    monkeypatch.setattr(module, "rebuild_matchups", lambda *_: {"wins": wins})
    with pytest.raises(TableError, match=r"preflop matchups: 1 of .* do not agree"):
        verify_matchups(num_workers=1)


def test_worker_count_must_be_positive():
    with pytest.raises(ExecutionError, match="workers: 0"):
        rebuild_matchups(num_workers=0)
