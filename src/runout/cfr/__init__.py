"""Game-agnostic counterfactual regret minimization; knows trees, reach and values, but no cards."""
