"""The conformance kit: the contract of every task, as checks that run for any id.

    envpool-py check my_env     # on the command line

    # in pytest, without a test file
    pytest -p envpool_py.authoring.conformance.plugin --envpool my_env

    # in a test file of pytest
    from envpool_py.authoring.conformance.plugin import conformance_tests
    test_conformance = conformance_tests("my_env:MyEnv-v0")

A check is a function of an id that raises AssertionError. `checks()` returns all of them.
"""

from __future__ import annotations

from envpool_py.authoring.conformance.kit import Check, NotApplicableError, checks

__all__ = ["Check", "NotApplicableError", "checks"]
