"""What must hold for every stream of events, so that no bar made of it can lie."""

from runout.events import (
    FlopFailed,
    FlopPlace,
    FlopSolved,
    FlopSolving,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
)


class StreamChecker:
    """Follows phases from their beginning to their end; a sink of events."""

    def __init__(self):
        self.open = {}  # (phase, place) -> (done, total)
        self.phase_by_flop = {}  # a flop has one bar, so it is in one phase at a time
        self.finished = []  # (phase, place), in the order of their ends

    def __call__(self, event):
        match event:
            case PhaseStarted(phase, total, place):
                self._start(phase, total, place)
            case PhaseAdvanced(phase, done, total, place):
                self._advance(phase, done, total, place)
            case PhaseEnded(phase, seconds, place):
                assert seconds >= 0.0
                del self.open[phase, place]
                self.finished.append((phase, place))
                if place is not None:
                    assert self.phase_by_flop.pop(place.flop) == phase
            case FlopSolving():
                place = FlopPlace(event.flop, event.spr, event.round, event.total_rounds)
                self._advance(Phase.SOLVING, event.iteration, event.max_iterations, place)
            case FlopSolved(flop, num_done, num_flops):
                assert flop not in self.phase_by_flop
                if (Phase.FLOPS, None) in self.open:
                    self._advance(Phase.FLOPS, num_done, num_flops, None)
            case FlopFailed(flop):
                phase = self.phase_by_flop.pop(flop, None)
                self.open = {
                    key: state
                    for key, state in self.open.items()
                    if key[0] != phase or key[1].flop != flop
                }

    def _start(self, phase, total, place):
        assert (phase, place) not in self.open, f"{phase} of {place} begins twice"
        assert total >= 1
        self.open[phase, place] = (0, total)
        if place is not None:
            assert place.flop
            assert 1 <= place.round <= place.total_rounds
            assert place.flop not in self.phase_by_flop, f"{place.flop} is in two phases"
            self.phase_by_flop[place.flop] = phase

    def _advance(self, phase, done, total, place):
        before, known_total = self.open[phase, place]
        assert total == known_total, f"{phase}: {known_total} steps became {total}"
        assert before < total, f"{phase} went on after its last step"
        assert before <= done <= total, f"{phase}: {done} after {before} of {total}"
        self.open[phase, place] = (done, total)

    def phases_of(self, flop):
        """Returns the finished phases of a flop with their rounds, in order."""
        return [
            (phase, place.round)
            for phase, place in self.finished
            if place is not None and place.flop == flop
        ]


def check_stream(events):
    """Returns the checker after a stream in which everything that began has ended."""
    checker = StreamChecker()
    for event in events:
        checker(event)
    assert checker.open == {}
    return checker
