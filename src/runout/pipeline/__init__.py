"""From a config to solved and saved results, stage by stage."""
