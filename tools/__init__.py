"""Programs for the people who work on `runout`; none of them is installed."""
