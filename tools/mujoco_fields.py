"""Writes `engine/envs/mujoco/model_field_table.cc`: the fields of mjModel that users may change.

    python -m tools.mujoco_fields PACKAGE...           write the rows of these packages
    python -m tools.mujoco_fields --check PACKAGE...   compare them; exit with 1 if one differs

A PACKAGE is as in `tools.mujoco_layouts`, which writes the offsets of the members that the tasks
use. The names, types and shapes are those of the headers (`mjmodel.h` states them as `(nbody x 3)`
behind each member), and the numbers are those of the compiler. Rows of other versions stay as they
are.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mujoco_layouts import LayoutError, header_version

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "engine" / "envs" / "mujoco" / "model_field_table.cc"


def _named(prefix: str, names: str) -> list[str]:
    return [prefix + name for name in names.split()]


CHANGEABLE = [
    *_named("qpos", "0 _spring"),
    *_named("body_", "pos quat ipos iquat mass inertia gravcomp margin"),
    *_named("jnt_", "pos axis stiffness stiffnesspoly range margin solref solimp actfrcrange"),
    *_named("jnt_", "limited actfrclimited actgravcomp group"),
    *_named("dof_", "damping dampingpoly armature frictionloss solref solimp"),
    *_named("geom_", "size rbound aabb pos quat friction solmix solref solimp margin gap"),
    *_named("geom_", "adhesion fluid rgba contype conaffinity condim priority group"),
    *_named("site_", "size pos quat rgba group"),
    *_named("cam_", "pos quat fovy ipd"),
    *_named("light_", "pos dir attenuation cutoff exponent ambient diffuse specular"),
    *_named("light_", "active castshadow"),
    *_named("mat_", "rgba emission specular shininess reflectance texrepeat"),
    *_named("pair_", "friction solref solreffriction solimp margin gap adhesion dim"),
    *_named("eq_", "data solref solimp active0"),
    *_named("tendon_", "range width rgba stiffness stiffnesspoly damping dampingpoly armature"),
    *_named("tendon_", "frictionloss lengthspring margin solref_lim solimp_lim solref_fri"),
    *_named("tendon_", "solimp_fri actfrcrange limited actfrclimited group"),
    *_named("actuator_", "gear gainprm biasprm dynprm ctrlrange forcerange actrange cranklength"),
    *_named("actuator_", "damping dampingpoly armature ctrllimited forcelimited actlimited"),
    *_named("actuator_", "group"),
    *_named("sensor_", "cutoff noise"),
]
"""Arrays that may be changed in a compiled model. All members of mjOption may be changed, too."""

_DERIVED = {
    *_named("body_", "subtreemass invweight0 sameframe simple"),
    *_named("dof_", "invweight0 M0 length simplenum"),
    *_named("tendon_", "length0 invweight0"),
    *_named("actuator_", "acc0 length0 lengthrange"),
    *_named("cam_", "poscom0 pos0 mat0"),
    *_named("light_", "poscom0 pos0 dir0"),
    *_named("flexedge_", "length0 invweight0"),
}
_ASSETS = re.compile(r"(mesh|skin|flex|flexedge|flexvert|hfield|tex|bvh|oct|efm)_?")
_UNTOUCHED = re.compile(r"(mesh|skin|hfield|tex)_")
"""Assets that neither mj_setConst nor a change of another field touches, in any version."""
_UNREAD = re.compile(r"(key|numeric|text|tuple|plugin)(_|$)|.*_user$")
_NAMES = re.compile(r"name_|names|paths")

ADDRESSES = ["jnt_qposadr", "jnt_dofadr", "actuator_ctrladr", "actuator_outadr"]
"""Arrays of the first row of each object, in the fields that have rows of another count."""

_ELEMENTS = {"mjtNum": "kDouble", "float": "kFloat", "int": "kInt"}
_BYTES = {"mjtByte", "mjtBool"}

_HEAD = """\
// The fields of mjModel that users may change, and where each supported version of MuJoCo keeps
// them. Written by `python -m tools.mujoco_fields` from MuJoCo's headers; do not edit.
#include "engine/envs/mujoco/model_fields.h"

namespace engine::mujoco {
namespace {

// clang-format off
"""
_TAIL = """\
// clang-format on

}  // namespace

std::span<const std::string_view> ModelCounts() { return kCounts; }
std::span<const ModelField> AllModelFields() { return kFields; }
std::span<const OtherMember> OtherModelMembers() { return kOthers; }
std::span<const ModelFieldRow> ModelFieldRows() { return kRows; }

}  // namespace engine::mujoco
"""


@dataclass(frozen=True, order=True)
class Field:
    """`rows`: the count of the rows; empty for a member of mjOption."""

    name: str
    element: str
    rows: str
    columns: int


@dataclass(frozen=True)
class Version:
    """A version's row of the table."""

    numbers: dict[str, int]
    counts: dict[str, int]
    fields: dict[Field, int]
    others: dict[str, str]


def _struct(headers: str, name: str) -> str:
    found = re.search(rf"(?:typedef )?struct {name}_ {{(.*?)\n}}", headers, re.DOTALL)
    if found is None:
        raise LayoutError(f"the headers have no struct {name}")
    return found[1]


def _why_not(name: str, element: str) -> str:
    """Returns why a member of mjModel may not be changed: a value of `WhyFixed`."""
    if name in _DERIVED:
        return "kDerived"
    if _ASSETS.match(name):
        return "kAsset"
    if _UNREAD.match(name):
        return "kUnread"
    if _NAMES.match(name):
        return "kNames"
    return "kStructure" if element != "mjtNum" else "kOther"


def _program(headers: str) -> tuple[str, dict[str, str]]:
    """Returns a program that prints the numbers, and the members that may not be changed."""
    model = _struct(headers, "mjModel")
    pointers = re.findall(
        r"^\s+(\w+)\s*\*\s*(\w+);\s*//[^\n]*\((\w+(?:\*\d)?) x ([\w*]+)\)", model, re.MULTILINE
    )
    names = [name for _, name, _, _ in pointers]
    if len(names) != len(re.findall(r"\*\s*\w+;", model)) - 1:  # without `buffer`
        raise LayoutError("an array of mjModel has no comment with its shape")
    untouched = [i for i, name in enumerate(names) if _UNTOUCHED.match(name)]
    if untouched != list(range(untouched[0], untouched[-1] + 1)):
        raise LayoutError("the assets are not one after another in mjModel")
    options = re.findall(r"^\s+(\w+)\s+(\w+)(?:\[\w+\])?;", _struct(headers, "mjOption"), re.M)
    counts = re.findall(r"^\s+\w+\s+(n\w+);", model.split("opt;")[0], re.M)
    others = dict.fromkeys(counts, "kSize")
    used = {rows for _, name, rows, _ in pointers if name in CHANGEABLE}
    lines = [
        "#include <mujoco/mujoco.h>",
        "#include <cstddef>",
        "#include <cstdio>",
        "#include <type_traits>",
        "template <class T> constexpr int kColumns =",
        "  std::is_array_v<T> ? (int)std::extent_v<T> : 0;",
        "int main() {",
        f'std::printf("@first %zu\\n", offsetof(mjModel, {names[0]}));',
        f'std::printf("@last %zu\\n", offsetof(mjModel, {names[-1]}));',
        f"static_assert(offsetof(mjModel, {names[-1]}) - offsetof(mjModel, {names[0]}) == "
        f"{8 * (len(names) - 1)});",
        *(
            f'std::printf("@{what}_asset %zu\\n", offsetof(mjModel, {names[i]}));'
            for what, i in (("first", untouched[0]), ("after", untouched[-1] + 1))
        ),
        'std::printf("@buffer %zu\\n", offsetof(mjModel, buffer));',
        'std::printf("@nbuffer %zu\\n", offsetof(mjModel, nbuffer));',
        "static_assert(sizeof(mjModel::nbuffer) == 8);",
        *(
            f'std::printf("@{name} %zu\\n", '
            + (f"offsetof(mjModel, {name})" if name in names else "(std::size_t)0")
            + ");"
            for name in ADDRESSES
        ),
        *(f'std::printf("#{name} %zu\\n", offsetof(mjModel, {name}));' for name in sorted(used)),
    ]
    for kind, name, rows, columns in pointers:
        if name not in CHANGEABLE:
            others[name] = _why_not(name, kind)
            continue
        element = "kByte" if kind in _BYTES else _ELEMENTS[kind]
        size = {"kDouble": 8, "kFloat": 4, "kInt": 4, "kByte": 1}[element]
        lines += [
            f"static_assert(sizeof(*mjModel::{name}) == {size});",
            f'std::printf("{name} {element} {rows} %d %zu\\n", (int)({columns}), '
            f"offsetof(mjModel, {name}));",
        ]
    for kind, name in options:
        lines.append(
            f'std::printf("opt.{name} {_ELEMENTS[kind]} - %d %zu\\n", '
            f"kColumns<decltype(mjOption::{name})>, offsetof(mjModel, opt.{name}));"
        )
    return "\n".join([*lines, "}"]) + "\n", others


def _read(package: Path) -> tuple[tuple[int, ...], Version]:
    include = package / "include"
    headers = "\n".join(path.read_text() for path in sorted((include / "mujoco").glob("*.h")))
    if not headers:
        raise LayoutError(f"expected MuJoCo's headers in {include}, found none")
    text, others = _program(headers)
    with tempfile.TemporaryDirectory() as directory:
        source, program = Path(directory, "fields.cc"), Path(directory, "fields")
        source.write_text(text)
        compiler = os.environ.get("CXX", "c++")
        done = subprocess.run(
            [compiler, "-std=c++20", "-w", f"-I{include}", str(source), "-o", program],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LayoutError(f"{package} is not as expected:\n{done.stderr}")
        output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    version = Version({}, {}, {}, others)
    for line in output.splitlines():
        words = line.split()
        if words[0][0] == "@":
            version.numbers[words[0][1:]] = int(words[1])
        elif words[0][0] == "#":
            version.counts[words[0][1:]] = int(words[1])
        else:
            name, element, rows, columns, offset = words
            field = Field(name, element, "" if rows == "-" else rows, int(columns))
            version.fields[field] = int(offset)
    return header_version(headers), version


def _filled(parts: Iterable[str], indent: str = "    ") -> str:
    lines, line = [], indent
    for part in parts:
        if len(line) + len(part) > 97:
            lines.append(line.rstrip())
            line = indent
        line += part + ", "
    return "\n".join([*lines, line.rstrip().rstrip(",")]) + "\n"


def _written(versions: dict[tuple[int, ...], Version]) -> str:
    order = {name: i for i, name in enumerate(CHANGEABLE)}
    fields = sorted(
        {field for version in versions.values() for field in version.fields},
        key=lambda field: (field.name.startswith("opt."), order.get(field.name, 0), field),
    )
    counts = sorted({name for version in versions.values() for name in version.counts})
    changeable = {field.name for field in fields}
    others: dict[str, str] = {}
    for version in versions.values():
        others |= {name: why for name, why in version.others.items() if name not in changeable}
    text = _HEAD + "constexpr std::string_view kCounts[] = {\n"
    text += _filled(f'"{name}"' for name in counts) + "};\n\nconstexpr ModelField kFields[] = {\n"
    for field in fields:
        rows = counts.index(field.rows) if field.rows else -1
        text += f'    {{"{field.name}", Element::{field.element}, {rows}, {field.columns}}},\n'
    text += "};\n\nconstexpr OtherMember kOthers[] = {\n"
    text += _filled(f'{{"{name}", WhyFixed::{why}}}' for name, why in sorted(others.items()))
    text += "};\n\n"
    for number, version in sorted(versions.items()):
        suffix = "_".join(map(str, number))
        text += f"constexpr Offset kCounts_{suffix}[] = {{\n"
        text += _filled(str(version.counts.get(name, NONE)) for name in counts)
        text += f"}};\nconstexpr Offset kFields_{suffix}[] = {{\n"
        text += _filled(str(version.fields.get(field, 0)) for field in fields) + "};\n"
    text += "\nconstexpr ModelFieldRow kRows[] = {\n"
    for number, version in sorted(versions.items()):
        suffix = "_".join(map(str, number))
        row = [
            f'{{.version = "{".".join(map(str, number))}"',
            *(f".{name} = {value}" for name, value in version.numbers.items()),
            f".counts = kCounts_{suffix}",
            f".fields = kFields_{suffix}}}",
        ]
        text += _filled(row).rstrip() + ",\n"
    return text + "};\n" + _TAIL


NONE = 65535
"""The offset of a count that a version does not have."""


def _numbers(text: str, name: str) -> list[int]:
    found = re.search(rf"{name}\[\] = {{([^}}]*)}}", text)
    assert found is not None
    return [int(number) for number in found[1].split(",")]


def _known(table: Path) -> dict[tuple[int, ...], Version]:
    """Returns the versions of a table; none if the file does not exist."""
    text = table.read_text() if table.exists() else ""
    counts = re.findall(r'"(\w+)"', text.partition("kCounts[] = {")[2].partition("}")[0])
    fields = [
        Field(name, element, counts[int(rows)] if int(rows) >= 0 else "", int(columns))
        for name, element, rows, columns in re.findall(
            r'{"([\w.]+)", Element::(\w+), (-?\d+), (\d+)}', text
        )
    ]
    others = dict(re.findall(r'{"(\w+)", WhyFixed::(\w+)}', text))
    versions = {}
    for row in text.partition("kRows[] = {")[2].split("{.version")[1:]:
        words = row.split('"')[1]
        suffix = words.replace(".", "_")
        of_counts = dict(zip(counts, _numbers(text, f"kCounts_{suffix}"), strict=True))
        of_fields = dict(zip(fields, _numbers(text, f"kFields_{suffix}"), strict=True))
        versions[tuple(map(int, words.split(".")))] = Version(
            {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+)", row)},
            {name: offset for name, offset in of_counts.items() if offset != NONE},
            {field: offset for field, offset in of_fields.items() if offset != 0},
            others,
        )
    return versions


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE")
    options = parser.parse_args(arguments)
    read = dict(_read(package) for package in options.packages)
    known = _known(TABLE)
    if options.check:
        wrong = [
            version
            for version, row in read.items()
            if version not in known
            or (row.numbers, row.counts, row.fields)
            != (known[version].numbers, known[version].counts, known[version].fields)
            or not row.others.items() <= known[version].others.items()
        ]
        for version in wrong:
            print(f"{TABLE}: the row of {'.'.join(map(str, version))} is missing or differs")
        return 1 if wrong else 0
    TABLE.write_text(_written(known | read))
    return 0


if __name__ == "__main__":
    sys.exit(main())
