"""Runs other projects' tests on the pools of this package, and reports which of them pass."""
