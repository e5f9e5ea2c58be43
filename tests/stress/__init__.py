"""Four threads make random calls on a pool, for many pools in turn: see `__main__`."""
