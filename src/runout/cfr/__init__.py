"""Game-agnostic counterfactual regret minimization; knows trees, reach and values, but no cards.

Private by place: `runout.CfrSolver`, `Schedule`, `StoppingRule`, `LeafEvaluator` and `games` are
public.
"""

__all__: list[str] = []
