"""Markdown, as the tables of the guide are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table; a bar within a cell stays one."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def codes(texts: Iterable[str]) -> str:
    """Returns them as code, one after the other."""
    return ", ".join(f"`{text}`" for text in texts)


def number(value: float) -> str:
    """Returns it as short as it can be, with separators in large whole ones."""
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:g}"
