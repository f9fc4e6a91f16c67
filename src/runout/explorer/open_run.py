"""From what was found to what answers, by kind."""

from dataclasses import dataclass

from runout.explorer.library import FoundRun, RunKind
from runout.explorer.opened import RunSummary
from runout.explorer.preflop_run import PreflopRun
from runout.explorer.report_run import ReportRun
from runout.explorer.spot_run import SpotRun, SpotSummary
from runout.explorer.values_run import ValuesRun
from runout.views.quality import Quality


@dataclass(frozen=True)
class _Summary:
    """A summary that keeps no file open."""

    title: str
    quality: Quality
    config_text: str


class RunOpener:
    """Opens solutions of all kinds, and tells about them without opening them."""

    def __init__(self) -> None:
        self._summaries: dict[tuple[str, str], RunSummary] = {}

    def open(self, found: FoundRun) -> RunSummary:
        """Opens a solution.

        Raises:
            BundleError: if it is missing, damaged, or of a version that cannot be read.
        """
        match found.kind:
            case RunKind.SPOT:
                return SpotRun.open(found.bundle)
            case RunKind.VALUES:
                return ValuesRun.open(found.bundle)
            case RunKind.REPORT:
                return ReportRun.open(found)
            case _:
                return PreflopRun.open(found.path)

    def summarize(self, found: FoundRun) -> RunSummary:
        """Returns what the list of solutions says about one; read once for each contents.

        Raises:
            BundleError: like `open`.
        """
        digest = "" if found.manifest is None else found.manifest.digest
        key = found.id, digest
        if key not in self._summaries:
            is_spot = found.kind is RunKind.SPOT
            summary = SpotSummary.open(found.bundle) if is_spot else self.open(found)
            self._summaries = {k: v for k, v in self._summaries.items() if k[0] != found.id}
            self._summaries[key] = _Summary(summary.title, summary.quality, summary.config_text)
        return self._summaries[key]
