"""Runs other projects' tests on the pools of this package, and says which of them pass."""
