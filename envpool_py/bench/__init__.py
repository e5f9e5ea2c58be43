"""Measures step rates: this package beside its peers, in turn, each in its own process.

`envpool-py bench` and the project's benchmark suite are the callers. The parts: `case` says what
is measured, `peers` who takes part, `worker` is the process that measures one of them once,
`measure` runs the workers in turn, `report` and `plot` show what came out.
"""
