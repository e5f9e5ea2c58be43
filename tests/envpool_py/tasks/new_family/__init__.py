"""A family for tests only: `test_new_family.py` copies it and builds its module."""
