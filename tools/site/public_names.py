"""What is public, and whether the API reference has it.

Public is what the `__all__` of a package lists, and of those modules that the API reference
documents or that an example imports from. Everything else may change in any release.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.site.repository import PAGES, ROOT

PACKAGE = ROOT / "envpool_py"
_DIRECTIVE = re.compile(
    r"^\.\. auto(?:module|class|function|data):: ([\w.]+)(\n   :no-members:$)?", re.MULTILINE
)
_EXAMPLE = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Modules of the repository's own programs, and what is private to the alias `envpool`.
_NO_REFERENCE = re.compile(r"envpool_py\.(?:_|compat\.envpool\.|tasks\.families\.\w+\.manifest)")


def exported(path: Path) -> list[str]:
    """Returns the names in a module's `__all__`, which must be a list of strings; else none."""
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            return list(ast.literal_eval(value)) if isinstance(value, ast.List) else []
    return []


def path_of(module: str) -> Path | None:
    """Returns the file of a module of the package, or None if there is no such module."""
    place = ROOT.joinpath(*module.split("."))
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def origin(name: str) -> str:
    """Returns the name, with its module, under which an object of the package is defined.

    Args:
        name: a name with its module, such as "envpool_py.make".
    """
    if path_of(name) is not None:
        return name
    module, _, last = name.rpartition(".")
    path = path_of(module)
    for statement in ast.parse(path.read_text()).body if path is not None else ():
        if isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                if (alias.asname or alias.name) == last:
                    return origin(f"{statement.module}.{alias.name}")
    return name


def of_packages() -> set[str]:
    """Returns the names, with their packages, in the `__all__` of every package."""
    return {
        f"{module}.{name}"
        for path in PACKAGE.rglob("__init__.py")
        if not _NO_REFERENCE.match(module := ".".join(path.parent.relative_to(ROOT).parts))
        for name in exported(path)
    }


def of_examples() -> set[str]:
    """Returns the names that examples of the README, of the guide and of `examples/` import."""
    sources = [path.read_text() for path in (ROOT / "examples").rglob("*.py")]
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        sources += _EXAMPLE.findall(page.read_text())
    found = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("envpool_py."):
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if not _NO_REFERENCE.match(name)}


def documented() -> set[str]:
    """Returns the names that the pages of `site/api` document, with their modules.

    A directive `automodule` documents the `__all__` of its module, unless it has `:no-members:`.

    Raises:
        ValueError: a page documents what does not exist.
    """
    names = set()
    for page in sorted((PAGES / "api").glob("*.md")):
        for name, alone in _DIRECTIVE.findall(page.read_text()):
            path = path_of(name)
            module, _, last = name.rpartition(".")
            if path is not None:
                names |= {name} if alone else {f"{name}.{each}" for each in exported(path)} | {name}
            elif (of := path_of(module)) is not None and last in exported(of):
                names.add(name)
            else:
                raise ValueError(f"{page.name}: {name}: {module} has no public {last}")
    return names


def missing() -> Iterator[str]:
    """Yields each public name that the API reference lacks, in order."""
    names = {origin(name) for name in documented()}
    yield from sorted(name for name in of_packages() | of_examples() if origin(name) not in names)


def check(app: Any, env: Any) -> None:
    """Warns, after Sphinx has read all pages, of public names without an entry in the reference.

    Args:
        app: Sphinx.
        env: its environment, whose Python domain has the entries.
    """
    from sphinx.util import logging

    logger = logging.getLogger(__name__)
    entries = {origin(name) for name in env.get_domain("py").objects}
    for name in sorted(of_packages() | of_examples() | documented()):
        if origin(name) not in entries:
            logger.warning("the API reference has no entry for %s", name)
