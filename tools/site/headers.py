"""Pages of the C++ interface: the headers that authors of environments read.

The comments of the headers are the documentation. A page has the comment at the head of its header
as text, then each declaration of namespace scope with the comment above it. Comments inside of a
class stay where they are, in the code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from tools.site.repository import ROOT
from tools.site.tree import Tree

SECTIONS = {
    "The headers that a plug-in includes": ("include/envpool.h", "include/envpool_abi.h"),
    "What an environment is": (
        "engine/env/environment.h",
        "engine/env/spec.h",
        "engine/env/dtype.h",
        "engine/env/params.h",
        "engine/env/rows.h",
        "engine/env/action_row.h",
        "engine/control/step_result.h",
        "engine/base/rng.h",
        "engine/base/error.h",
    ),
    "More that an environment may have": (
        "engine/env/players.h",
        "engine/env/attributes.h",
        "engine/env/state.h",
        "engine/env/step_range.h",
        "engine/draw/canvas.h",
    ),
    "Registering tasks": ("engine/tasks/registry.h", "engine/tasks/plugin.h"),
    "Rigid bodies in two dimensions": (
        "engine/physics2d/world.h",
        "engine/physics2d/body.h",
        "engine/physics2d/fixture.h",
        "engine/physics2d/shape.h",
        "engine/physics2d/geometry.h",
        "engine/physics2d/revolute_joint.h",
        "engine/physics2d/contact.h",
    ),
    "The interface in C": ("engine/c_interface/plugin_abi.h",),
}
"""The headers with a page, in the order in which an author needs them."""

_NAME = re.compile(
    r"^(?:template\s*<.*?>\s*(?:requires[^\n]*\n)?)?\s*"
    r"(?:(?:class|struct|enum class|enum|concept|using|typedef struct)\s+"
    r"(?:\[\[\w+\]\]\s*)?(?P<type>\w+)"
    r"|\#define\s+(?P<macro>\w+)"
    r"|(?:inline\s+|constexpr\s+|static\s+)+[\w:<>, ]+?[\s&*](?P<constant>k\w+)\s*(?:=|\{|\[)"
    r"|[\w:<>,\s&*\[\]]+?[\s&*](?P<function>\w+)\s*\()",
    re.DOTALL,
)
_DROPPED = re.compile(
    r"^#(?:ifndef|define) \w+_H_$|^#include\b|^#endif\b.*_H_$|^namespace [\w:]+ \{$"
    r"|^\}  // namespace .*$"
)


def write(tree: Tree) -> None:
    """Writes generated/cpp/index.md and a page for each header."""
    parts = [
        "# C++ interface\n\nThe headers that an environment in C++ uses, with their comments. They "
        "are in the installed package: `envpool_py.get_include()` is their folder. The guide shows "
        "[how to write an environment](../../docs/your-own-environment.md).\n\n"
    ]
    for title, headers in SECTIONS.items():
        parts += [f"## {title}\n\n", "| header | contents |\n|---|---|\n"]
        for header in headers:
            name = page_name(header)
            first = next(_paragraphs(_head(_lines(header))[0]), "").split(". ")[0].rstrip(".")
            parts.append(f"| [`{shown(header)}`]({name}) | {_cell(first)} |\n")
            tree.write(f"generated/cpp/{name}", page(header))
        parts.append("\n")
    parts.append("```{toctree}\n:hidden:\n\n")
    parts += [f"{page_name(each)[:-3]}\n" for headers in SECTIONS.values() for each in headers]
    parts.append("```\n")
    tree.write("generated/cpp/index.md", "".join(parts))


def page_name(header: str) -> str:
    """Returns the file name of a header's page."""
    return shown(header).replace("/", "-").removesuffix(".h") + ".md"


def shown(header: str) -> str:
    """Returns what an author writes to include a header."""
    return header.removeprefix("include/")


def page(header: str) -> str:
    """Returns the page of a header.

    Args:
        header: its path in the repository.
    """
    head, body = _head(_lines(header))
    parts = [f"# {shown(header)}\n\n", *_prose(head)]
    used: set[str] = set()
    for comment, code in declarations(body):
        name = name_of(code)
        if name and name not in used:
            used.add(name)
            parts.append(f"## {name}\n\n")
        parts += _prose(comment)
        if code:
            parts.append("```cpp\n" + "\n".join(code) + "\n```\n\n")
    return "".join(parts)


def declarations(lines: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Splits a header's body at the blank lines between its declarations.

    Args:
        lines: the lines after the head of the file.

    Yields:
        The lines of the comment above a declaration, without "//", and those of its code.
    """
    block: list[str] = []
    for line in [*lines, ""]:
        # A declaration of namespace scope begins in the first column; an indented line, or one that
        # closes it, belongs to the same declaration.
        if line or (block and not _complete(block)):
            block.append(line)
        elif block:
            comment = list(_leading(block))
            yield [_text(each) for each in comment], block[len(comment) :]
            block = []


def name_of(code: list[str]) -> str | None:
    """Returns the name that a declaration introduces, or None."""
    found = _NAME.match("\n".join(code))
    return next(filter(None, found.groups()), None) if found else None


def _complete(block: list[str]) -> bool:
    text = "\n".join(each.split("//")[0] for each in block)
    return text.count("{") <= text.count("}") and not block[-1].endswith("\\")


def _leading(block: list[str]) -> Iterator[str]:
    for line in block:
        if not line.startswith("//"):
            return
        yield line


def _lines(header: str) -> list[str]:
    return (ROOT / header).read_text().splitlines()


def _head(lines: list[str]) -> tuple[list[str], list[str]]:
    """Returns the comment at the head of a file, and the lines after it without include guards."""
    head = list(_leading(lines))
    body = [line for line in lines[len(head) :] if not _DROPPED.match(line)]
    return [_text(line) for line in head], body


def _text(comment: str) -> str:
    return comment.removeprefix("//").removeprefix(" ")


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Yields the paragraphs of a comment; the lines of indented ones keep their indentation."""
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if paragraph.strip():
            yield paragraph


def _prose(lines: list[str]) -> Iterator[str]:
    """Yields a comment as Markdown: text, and indented lines as code."""
    for paragraph in _paragraphs(lines):
        parts: list[tuple[bool, list[str]]] = []
        for line in paragraph.splitlines():
            is_code = line.startswith("  ") and not re.match(r"\s+[-*] ", line)
            if is_code and parts and not parts[-1][0]:
                is_code = not _continues(parts[-1][1])
            if not parts or parts[-1][0] != is_code:
                parts.append((is_code, []))
            parts[-1][1].append(line)
        for is_code, part in parts:
            yield _fenced(part) if is_code else _escaped("\n".join(part)) + "\n\n"


def _continues(text: list[str]) -> bool:
    """Whether an indented line continues an item of a list rather than beginning code."""
    return bool(text) and bool(re.match(r"\s*[-*] ", text[-1]) or text[-1].startswith("  "))


def _fenced(lines: list[str]) -> str:
    code = textwrap.dedent("\n".join(lines))
    return f"```cpp\n{code}\n```\n\n"


def _escaped(text: str) -> str:
    """Escapes what Markdown would not show as it is, outside of code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_<\[\]{}|#~])", r"\\\1", parts[i])
    return "".join(parts)


def _cell(text: str) -> str:
    return _escaped(text.replace("\n", " "))
