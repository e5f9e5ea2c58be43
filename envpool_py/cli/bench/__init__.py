"""Measures step rates of this package and of other libraries, each in its own process.

Used by `envpool-py bench` and the project's benchmarks. `case` describes a measurement, `peers`
lists the libraries, `worker` is the process that measures one of them once, `measure` runs the
workers in turn, and `report` and `plot` show the results.
"""

__all__: list[str] = []
