"""Turns the docstrings of the package into what Napoleon and reStructuredText read.

The docstrings are written to be read with `help`: examples and formulas are indented without a mark
before them, a list of fields is indented lines with a colon, and a paragraph about one subject has
a hanging indent. Sections such as "Args" are Napoleon's and stay as they are.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

_SECTION = re.compile(
    r"(Args|Attributes|Example|Examples|Note|Notes|Raises|Returns|Warning|Yields)( \(.*\))?:$"
)
_FIELD = re.compile(r"(?P<names>\w[\w ,.*]*): (?P<text>\S.*)$")
_SEVERAL = re.compile(r"    (?P<names>\w+(?:, \w+)+): (?P<text>\S.*)$")
_ITEM = re.compile(r"\s*(?:[-*] |\d+[.:] )")


def rewritten(docstring: str) -> str:
    """Returns the docstring as reStructuredText with sections in Google's style.

    Args:
        docstring: without its common indentation.
    """
    # An angle bracket between backticks, as in "`EnvPool/<id>`", would begin the target of a link.
    text = re.sub(r"(?<!`)`([^`\n]*<[^`\n]*)`(?!`)", r"``\1``", docstring)
    # A word directly after a name between backticks: "`Rollout`s".
    text = re.sub(r"(?<!`)(`[^`\n]+`)(?=[A-Za-z])", r"\1\\ ", text)
    text = re.sub(r"^Raises \((.*)\):$", r"Raises:", text, flags=re.MULTILINE)
    blocks = re.split(r"\n[ ]*\n", text.strip("\n"))
    return "\n\n".join(_converted(blocks))


def _converted(blocks: list[str]) -> Iterator[str]:
    in_section = False
    code: list[str] = []
    for block in blocks:
        first = block.splitlines()[0] if block else ""
        indented = first.startswith("    ")
        if code and not indented:
            yield _as_code(code)
            code = []
        if not indented:
            in_section = bool(_SECTION.match(first))
        if in_section:
            yield _one_name_each(block)
        elif not block:
            yield block
        elif not indented:
            yield _without_hanging_indent(block)
        elif not code and _FIELD.match(first.strip()):
            yield _as_fields(block)
        else:
            code.append(block)
    if code:
        yield _as_code(code)


def _one_name_each(block: str) -> str:
    """Returns a block of a section in which an entry "a, b: text" is an entry for each name."""
    lines = block.splitlines()
    if not lines[0].startswith(("Args", "Attributes", "    ")):
        return block
    entries: list[list[str]] = [[]]
    for line in lines:
        if not line.startswith("     "):
            entries.append([])
        entries[-1].append(line)
    done: list[str] = []
    for entry in entries:
        several = _SEVERAL.match(entry[0]) if entry else None
        if several:
            for name in several["names"].split(", "):
                done += [f"    {name}: {several['text']}", *entry[1:]]
        else:
            done += entry
    return "\n".join(done)


def _as_code(blocks: list[str]) -> str:
    code = textwrap.dedent("\n\n".join(blocks))
    return ".. code-block:: python\n\n" + textwrap.indent(code, "    ")


def _without_hanging_indent(block: str) -> str:
    lines = block.splitlines()
    if any(_ITEM.match(line) for line in lines):
        return block
    return "\n".join(line.strip() for line in lines)


def _as_fields(block: str) -> str:
    """Returns lines "name: text" as a list of definitions."""
    parts = []
    for line in textwrap.dedent(block).splitlines():
        found = None if line.startswith(" ") else _FIELD.match(line)
        if found:
            names = ", ".join(f"``{name.strip()}``" for name in found["names"].split(","))
            parts.append(f"{names}\n    {found['text']}")
        else:
            parts.append(f"    {line.strip()}")
    return "\n".join(parts)


def process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrites the lines of a docstring in place, before Napoleon reads them.

    Args:
        app: Sphinx.
        what: kind of the object.
        name: its full name.
        obj: the object.
        options: those of the directive.
        lines: of its docstring.
    """
    lines[:] = [*rewritten("\n".join(lines)).splitlines(), ""]
