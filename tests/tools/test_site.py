"""The site's own code: links, public names, pages of headers and commands, docstrings.

Sphinx is not needed here; `make site` builds the site with it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.site import command_line, docstrings, headers, public_names, repository
from tools.site.dead_links import dead_links
from tools.site.tree import Tree

ROOT = repository.ROOT


def test_every_public_name_has_an_entry() -> None:
    assert list(public_names.missing()) == []
    # What the comparison is made of: a package, a module that examples import from.
    public = public_names.of_packages() | public_names.of_examples()
    assert {"envpool_py.make", "envpool_py.torch.data_parallel.Ranks"} <= public


def test_a_public_name_without_an_entry_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = public_names.documented() - {"envpool_py.rollout.gae"}
    monkeypatch.setattr(public_names, "documented", lambda: entries)
    assert list(public_names.missing()) == ["envpool_py.rollout.gae"]


def test_a_name_is_followed_to_where_it_is_defined() -> None:
    assert public_names.origin("envpool_py.make") == "envpool_py.tasks.make.make"
    assert public_names.origin("envpool_py.errors") == "envpool_py.errors"
    assert public_names.origin("envpool_py.nothing") == "envpool_py.nothing"


def test_the_start_page_has_every_page_of_the_guide() -> None:
    text = (repository.PAGES / "index.md").read_text()
    listed = set(re.findall(r"^docs/([\w-]+)$", text, re.MULTILINE))
    assert listed == {page.stem for page in (ROOT / "docs").glob("*.md")}


def test_links_to_the_repository_become_pages(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "[a](../engine/env/rows.h) [b](../examples/plugins/) [c](async.md#x) [d](https://x.org)\n"
        "![e](pictures.png) [f](../tests/envpool_py/tasks/new_family/)\n"
        "```python\n[g](../nothing.py)\n```\n"
    )
    text, targets = repository.rewritten(page, "docs/page.md")
    assert targets == {
        "source/engine/env/rows.h.md",
        "examples/plugins/README.md",
        "docs/async.md",
        "docs/pictures.png",
        "source/tests/envpool_py/tasks/new_family.md",
    }
    assert "[a](../source/engine/env/rows.h.md)" in text
    assert "[c](async.md#x) [d](https://x.org)" in text
    assert "[g](../nothing.py)" in text


def test_a_link_to_a_missing_file_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](../engine/nothing.h)")
    with pytest.raises(ValueError, match=r"docs/page.md: .*the repository has no engine/nothing.h"):
        repository.rewritten(page, "docs/page.md")


def test_a_tree_keeps_the_times_of_unchanged_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("a/b.md", "text")
    tree.write("old.md", "text")
    before = (tmp_path / "a" / "b.md").stat().st_mtime_ns
    again = Tree(tmp_path)
    again.write("a/b.md", "text")
    again.remove_others()
    assert (tmp_path / "a" / "b.md").stat().st_mtime_ns == before
    assert not (tmp_path / "old.md").exists()


def test_the_page_of_commands_has_every_argument() -> None:
    page = command_line.page()
    parsers = command_line.commands(command_line.build_parser())
    assert len(parsers) >= 10
    for name, parser in parsers.items():
        section = page.split(f"\n## envpool-py {name}\n")[1].split("\n## ")[0]
        for action in parser._actions:
            for option in {*action.option_strings} - {"-h", "--help"}:
                assert f"`{option}" in section, f"{name} {option}"


def test_a_header_becomes_a_page() -> None:
    lines = """
// The speed of a body.
template <class T>
class Speed {
 public:
  // Metres a second.

  double value() const;
};

#define LARGEST 3
inline constexpr double kLight = 3e8;
bool IsFast(const Speed<int>& speed);
""".splitlines()
    found = [(headers.name_of(code), comment) for comment, code in headers.declarations(lines)]
    assert found == [("Speed", ["The speed of a body."]), ("LARGEST", [])]
    assert headers.name_of(["inline constexpr double kLight = 3e8;"]) == "kLight"
    assert headers.name_of(["bool IsFast(const Speed<int>& speed);"]) == "IsFast"


def test_headers_lose_no_line_of_code() -> None:
    for listed in headers.SECTIONS.values():
        for header in listed:
            page = headers.page(header)
            assert page.count("\n```") % 2 == 0, header
            for line in (ROOT / header).read_text().splitlines():
                code = line.split("//")[0].rstrip()
                if code and not headers._DROPPED.match(line):
                    assert f"\n{code}" in page, f"{header}: {line}"


def test_headers_of_examples_have_a_page() -> None:
    pages = [path.read_text() for path in (ROOT / "docs").glob("*.md")]
    used = {
        name
        for text in pages
        for name in re.findall(r"#include [<\"]((?:engine/|envpool)[^>\"]+)", text)
    }
    shown = {headers.shown(header) for listed in headers.SECTIONS.values() for header in listed}
    assert used
    assert used <= shown


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (
            "Text.\n\n    a = f(b)\n\n    c()\n\nMore.",
            "Text.\n\n.. code-block:: python\n\n    a = f(b)\n\n    c()\n\nMore.",
        ),
        (
            "Results:\n\n    a: one,\n        two\n    b, c: three",
            "Results:\n\n``a``\n    one,\n    two\n``b``, ``c``\n    three",
        ),
        ("Rows: one\n    two", "Rows: one\ntwo"),
        ("Two `Rollout`s.", "Two `Rollout`\\ s."),
        ("As `EnvPool/<id>`, `a`.", "As ``EnvPool/<id>``, `a`."),
        ("Text.\n\nArgs:\n    a: one\n        two", "Text.\n\nArgs:\n    a: one\n        two"),
        (
            "Attributes:\n    a, b: one\n        two\n    c: three",
            "Attributes:\n    a: one\n        two\n    b: one\n        two\n    c: three",
        ),
        ("Raises:\n    A, B: one", "Raises:\n    A, B: one"),
        ("- one\n  two", "- one\n  two"),
    ],
)  # fmt: skip
def test_docstrings_become_restructured_text(docstring: str, expected: str) -> None:
    assert docstrings.rewritten(docstring) == expected


def test_dead_links_are_named(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="a.html#here">1</a><a href="a.html#gone">2</a><a href="b.html">3</a>'
        '<img src="c.webp"><a href="https://x.org">4</a><a href="#top">5</a>'
    )
    (tmp_path / "a.html").write_text('<p id="here">text</p>')
    assert list(dead_links(tmp_path)) == [
        "index.html: a.html#gone: the page has no such anchor",
        "index.html: b.html: there is no such file",
        "index.html: c.webp: there is no such file",
    ]
