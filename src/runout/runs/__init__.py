"""From a config to a result: preflop runs, spots, reports, and measuring them with real cards.

Private by place; `runout` has the public names. Functions raise a `RunoutError` for what a user can
cause: `ConfigError` names the key at fault, `BundleError` the directory that holds another config,
is in use or cannot be read or written, `TreeError` the path or the tree, `ExecutionError` the tasks
that failed or the memory that is missing. `CancelledError` says that the token was set.
"""

__all__: list[str] = []
