"""Four threads make random calls on a pool, for one pool after another: see `__main__`."""
