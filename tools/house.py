"""Counts how well the house is in order: rooms, arrows between them, circles, lines.

    python -m tools.house [CHECKOUT]

CHECKOUT is a directory; the default is this repository. Each figure is a line, so that the counts
of two commits can be compared. `tests/test_layering.py` has the rules; this program only counts.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "envpool_py"

ORDER = (
    "errors",
    "pool",
    "python_envs",
    "tasks",
    "players",
    "rollout",
    "torch",
    "jax",
    "ray",
    "compat",
    "integrations",
    "authoring",
    "cli",
    "",
)
"""The rooms of the package, each above those before it; "" is the package itself."""
HINTS = f"{PACKAGE}.compat.hints"
"""The module of `compat` that imports nothing, and that every room may import."""
_SEAM = f"{PACKAGE}.pool.core"
_ENVIRONMENTS = ("envs", "emulators", "physics2d")


def module_name(path: Path, root: Path) -> str:
    """Returns the name of the module in a file."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Returns the room of a module of the package; "" for the package and its `__main__`."""
    if f"{module}.".startswith(f"{HINTS}."):
        return "errors"
    name = module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]
    return "" if name == "__main__" else name


def imports_of(tree: ast.AST, typing: bool = False) -> Iterator[tuple[str, bool]]:
    """Yields what a module imports, as (module or module.name, whether for type checkers only)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for child in node.body:
                yield from imports_of(ast.Module([child], []), True)
            for child in node.orelse:
                yield from imports_of(ast.Module([child], []), typing)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module, typing
            yield from ((f"{node.module}.{alias.name}", typing) for alias in node.names)
        else:
            yield from imports_of(node, typing)


def graph_of(root: Path) -> dict[str, set[str]]:
    """Returns the modules that each module of the package imports, also inside of functions."""
    sources = {module_name(path, root): path for path in (root / PACKAGE).rglob("*.py")}
    graph: dict[str, set[str]] = {
        module_name(path, root): set() for path in (root / PACKAGE).glob("*.pyi")
    }
    sources = {**dict.fromkeys(graph, root), **sources}
    for module, path in sources.items():
        if module in graph:
            continue  # a compiled module
        found = {name for name, typing in imports_of(ast.parse(path.read_text())) if not typing}
        graph[module] = {name for name in found if name in sources and name != module}
        # `from package import module` imports the module; what the package itself imports counts
        # for the package.
        for name in list(graph[module]):
            if any(other.startswith(f"{name}.") for other in graph[module]):
                graph[module].discard(name)
    return graph


def circles(graph: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Returns the sets of two or more modules that all reach one another (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(set(stack[at:]))
            del stack[at:]

    for node in graph:
        if node not in index:
            visit(node)
    return [each for each in found if len(each) > 1]


def arrows_up(graph: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Returns the imports of a module in a room above, as (importer, imported)."""
    return [
        (module, other)
        for module, others in graph.items()
        for other in others
        if room_of(module) in ORDER
        and room_of(other) in ORDER
        and ORDER.index(room_of(module)) < ORDER.index(room_of(other))
    ]


def uses_of_core(root: Path) -> list[str]:
    """Returns the files outside the seam that import `_core` or read it from a pool."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        if module_name(path, root) == _SEAM:
            continue
        tree = ast.parse(path.read_text())
        imports = any(name == f"{PACKAGE}._core" for name, _ in imports_of(tree))
        reads = any(
            isinstance(node, ast.Attribute)
            and node.attr == "_core"
            and not (isinstance(node.value, ast.Name) and node.value.id == "self")
            for node in ast.walk(tree)
        )
        in_pool = module_name(path, root).startswith(f"{PACKAGE}.pool")
        if imports or (reads and not in_pool):
            found.append(path.relative_to(root).as_posix())
    return found


def lines_of(paths: Iterable[Path]) -> int:
    """Returns the number of lines of files."""
    return sum(len(path.read_bytes().splitlines()) for path in paths)


def tracked(root: Path, *patterns: str) -> list[Path]:
    """Returns the files that git tracks."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--", *patterns],
        capture_output=True,
        text=True,
        check=True,
    )
    return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]


def counts(root: Path) -> dict[str, int]:
    """Returns the figures."""
    graph = graph_of(root)
    top = list((root / PACKAGE).glob("*.py"))
    executor = (root / "engine/runtime/executor.h").read_text()
    engine = [
        path
        for path in tracked(root, "engine/*.h", "engine/*.cc")
        if path.relative_to(root).parts[1] not in _ENVIRONMENTS
    ]
    records = [
        path
        for path in tracked(root, "benchmarks", "examples")
        if path.suffix in {".json", ".csv", ".jsonl"}
    ]
    return {
        "modules at the top level": len(top),
        "modules in import circles": sum(len(each) for each in circles(graph)),
        "imports that run back up": len(arrows_up(graph)),
        "files outside the seam that use _core": len(uses_of_core(root)),
        "pure virtuals of Executor": len(re.findall(r"\)[^;{]*= 0;", executor)),
        "lines of envpool_py": lines_of(tracked(root, "envpool_py/*.py", "envpool_py/*.pyi")),
        "lines of engine without environments": lines_of(engine),
        "lines of records": lines_of(records),
    }


def main() -> int:
    """Prints the figures, and what is not in order."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT)
    root = parser.parse_args().checkout.resolve()
    for name, figure in counts(root).items():
        print(f"{figure:7}  {name}")
    graph = graph_of(root)
    for each in circles(graph):
        print("circle:", ", ".join(sorted(each)))
    for importer, imported in arrows_up(graph):
        print(f"up: {importer} imports {imported}")
    for path in uses_of_core(root):
        print(f"_core: {path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
