"""Writes the tables of docs/*.md that the package, its runs and its results can say best."""
