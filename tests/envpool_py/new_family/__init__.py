"""A family that only a test has: `test_new_family.py` copies it and builds its module."""
