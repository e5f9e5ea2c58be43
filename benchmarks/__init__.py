"""The project's benchmarks: `make bench` runs `python -m benchmarks.run`."""
