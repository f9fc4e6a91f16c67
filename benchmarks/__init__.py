"""Speed, measured: `python -m benchmarks` prints one table of ratios."""
