"""Speed, quality, recovery and the paper's experiments, measured; peers side by side.

Every script is a module and runs from the root of a checkout: ``python -m benchmarks.speed.run``. So all of them,
and the processes that they start, in this environment or in one that peers have, import each other by the
same names. Results are written to ``benchmarks/results``.
"""
