"""Generates the tables of README.md and docs/*.md from the package, pool runs and results."""
