"""Formats Markdown for the tables of the guide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table; bars within cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def codes(texts: Iterable[str]) -> str:
    """Returns the texts as code, separated by commas."""
    return ", ".join(f"`{text}`" for text in texts)


def number(value: float) -> str:
    """Returns the shortest form, with thousands separators in large whole numbers."""
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:g}"
