"""From a config to a result: preflop runs, spots, reports, and measuring them with real cards."""
