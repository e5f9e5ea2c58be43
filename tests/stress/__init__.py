"""Four threads make random calls on one pool after the other: see `__main__`."""
