import os

os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # before numba is imported

#: What `.ci/run` looks for: there the page must have been tried in a browser.
NO_BROWSER = "browser tests: there is no chromium"


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    num_browser = sum(NO_BROWSER in str(report.longrepr) for report in skipped)
    if num_browser:
        terminalreporter.write_line(f"{num_browser} {NO_BROWSER}, they were skipped", yellow=True)
