"""Writes `engine/envs/mujoco/layouts.cc`: where each supported MuJoCo keeps what is used of it.

    python -m tools.mujoco_layouts PACKAGE...           write the rows of these packages
    python -m tools.mujoco_layouts --check PACKAGE...   compare them; exit with 1 if one differs

A PACKAGE is a directory `mujoco` of a wheel, with MuJoCo's headers in `include`. Rows of other
versions stay as they are.

The numbers are those of the compiler. It also checks that each member and function has the type
that the family uses, and that what `engine/envs/mujoco/mujoco_types.h` states is the same in this
version. The numbers hold for 64-bit Linux on x86-64 and ARM, which lay out these structures alike.

engine/envs/README.md says how a new version is added.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "engine" / "envs" / "mujoco" / "layouts.cc"

PHYSICS_IS_KNOWN = {"3.17.0", "4.0.0"}
"""Versions with which all tests of PhysicsModel pass; the others use plain `mj_step`."""
KEEPS_STAGES = {"3.3.3"}
"""Versions with which `Simulation` makes whole steps, because parts of them give other numbers."""

_HEAD = """\
// Where each supported version of MuJoCo keeps the members of its structures that are used. Written
// by `python -m tools.mujoco_layouts` from MuJoCo's headers; do not edit.
#include "engine/envs/mujoco/layout.h"

namespace engine::mujoco {
namespace {

// clang-format off
constexpr Layout kLayouts[] = {
"""
_TAIL = """\
};
// clang-format on

}  // namespace

std::span<const Layout> Layouts() { return kLayouts; }

}  // namespace engine::mujoco
"""


def _words(*lines: str) -> list[str]:
    return " ".join(lines).split()


_COUNTS = _words("nq nv nu nbody nsite ngeom ncam ntendon ntree neq nflex nplugin npair nexclude")
_INTS = _words(
    "body_contype body_conaffinity body_geomnum body_geomadr body_weldid body_dofnum body_parentid",
    "geom_type geom_contype geom_conaffinity geom_condim geom_priority geom_plugin",
    "pair_dim pair_geom1 pair_geom2 pair_signature",
)
_DOUBLES = _words(
    "qpos0 tendon_frictionloss actuator_ctrlrange body_mass",
    "geom_solmix geom_solref geom_solimp geom_friction geom_margin geom_gap",
    "pair_solref pair_solreffriction pair_solimp pair_margin pair_gap pair_friction",
)
# Members of ModelLayout, each with its path and its type in mjModel.
MODEL: dict[str, tuple[str, str]] = {
    **{name: (name, "Count") for name in _COUNTS},
    "narena": ("narena", "Bytes"),
    "timestep": ("opt.timestep", "double"),
    "integrator": ("opt.integrator", "int"),
    "disableflags": ("opt.disableflags", "int"),
    "enableflags": ("opt.enableflags", "int"),
    "offwidth": ("vis.global.offwidth", "int"),
    "offheight": ("vis.global.offheight", "int"),
    "bvactive": ("vis.global.bvactive", "int"),
    "extent": ("stat.extent", "double"),
    "tendon_limited": ("tendon_limited", "Byte*"),
    **{name: (name, "double*") for name in _DOUBLES},
    **{name: (name, "int*") for name in _INTS},
}
# Members that some versions of MuJoCo lack, in the same form.
NEWER: dict[str, tuple[str, str]] = {
    "tree_dofnum": ("tree_dofnum", "int*"),
    "geom_adhesion": ("geom_adhesion", "double*"),
    "pair_adhesion": ("pair_adhesion", "double*"),
}
DATA = _words(
    "qpos qvel ctrl xpos xipos site_xpos geom_xpos cinert cvel cfrc_ext qfrc_actuator",
    "qfrc_constraint ten_length ten_velocity",
)
# Members of SuiteModelLayout and SuiteDataLayout in the same form, from version SUITE_SINCE on.
SUITE_SINCE = (3, 17, 0)
# Constants of mujoco_types.h that only the tasks of dm_control use. This one had another value
# before 3.3.6.
SUITE_NUMBERS = {"mjDSBL_ACTUATION"}
_SUITE_INTS = _words(
    "jnt_type jnt_qposadr jnt_dofadr sensor_type sensor_dim sensor_adr",
    "hfield_nrow hfield_ncol hfield_adr",
)
_SUITE_DOUBLES = _words(
    "jnt_range jnt_stiffness dof_damping body_pos body_quat body_subtreemass geom_size geom_pos",
    "site_pos site_size light_pos wrap_prm hfield_size",
)
SUITE_MODEL: dict[str, tuple[str, str]] = {
    **{name: (name, "Count") for name in _words("na njnt nlight nwrap nsensordata nhfielddata")},
    "gravity": ("opt.gravity", "Vector"),
    **{name: (name, "int*") for name in _SUITE_INTS},
    **{name: (name, "Byte*") for name in _words("jnt_limited actuator_ctrllimited")},
    **{name: (name, "float*") for name in _words("geom_rgba site_rgba hfield_data")},
    **{name: (name, "double*") for name in _SUITE_DOUBLES},
}
SUITE_DATA: dict[str, str] = {
    "time": "double",
    "ncon": "int",
    "warning": "Warnings",
    **dict.fromkeys(_words("act sensordata xmat xquat xanchor site_xmat geom_xmat"), "double*"),
}
# Members of ArmModelLayout and ArmDataLayout in the same form.
_ARM_INTS = _words(
    "jnt_qposadr jnt_dofadr actuator_biastype actuator_trnid body_mocapid",
    "eq_type eq_obj1id eq_obj2id",
)
ARM_MODEL: dict[str, tuple[str, str]] = {
    **{name: (name, "int*") for name in _ARM_INTS},
    **{name: (name, "double*") for name in _words("body_pos eq_data site_pos")},
    "site_rgba": ("site_rgba", "float*"),
}
ARM_DATA: dict[str, str] = {
    "time": "double",
    **dict.fromkeys(_words("ncon nefc"), "int"),
    **dict.fromkeys(
        _words("mocap_pos mocap_quat sensordata xmat xquat geom_xmat site_xmat efc_force"),
        "double*",
    ),
    "contact": "mjContact*",
}
# Members of ContactLayout in the same form.
CONTACT = {"geom": ("geom", "Pair"), "efc_address": ("efc_address", "int")}
# Members of FlagBits, each with MuJoCo's name, which some versions lack.
FLAGS = {
    "disable_filterparent": "mjDSBL_FILTERPARENT",
    "disable_island": "mjDSBL_ISLAND",
    "disable_autoreset": "mjDSBL_AUTORESET",
    "disable_sensor": "mjDSBL_SENSOR",
    "enable_override": "mjENBL_OVERRIDE",
    "enable_sleep": "mjENBL_SLEEP",
}
# The types of functions that engine/envs/mujoco/library.h assumes.
FUNCTIONS = {
    "mj_version": "int()",
    "mj_versionString": "const char*()",
    "mj_loadXML": "mjModel*(const char*, const mjVFS*, char*, int)",
    "mj_parseXMLString": "mjSpec*(const char*, const mjVFS*, char*, int)",
    "mj_compile": "mjModel*(mjSpec*, const mjVFS*)",
    "mj_deleteSpec": "void(mjSpec*)",
    "mj_deleteModel": "void(mjModel*)",
    "mj_setConst": "void(mjModel*, mjData*)",
    "mj_name2id": "int(const mjModel*, int, const char*)",
    "mj_id2name": "const char*(const mjModel*, int, int)",
    "mj_makeData": "mjData*(const mjModel*)",
    "mj_deleteData": "void(mjData*)",
    "mj_copyData": "mjData*(mjData*, const mjModel*, const mjData*)",
    "mj_resetData": "void(const mjModel*, mjData*)",
    "mj_forward": "void(const mjModel*, mjData*)",
    "mj_step": "void(const mjModel*, mjData*)",
    "mj_step1": "void(const mjModel*, mjData*)",
    "mj_step2": "void(const mjModel*, mjData*)",
    "mj_forwardSkip": "void(const mjModel*, mjData*, int, int)",
    "mj_checkAcc": "void(const mjModel*, mjData*)",
    "mj_RungeKutta": "void(const mjModel*, mjData*, int)",
    "mj_objectVelocity": "void(const mjModel*, const mjData*, int, int, double*, int)",
    "mj_jacSite": "void(const mjModel*, const mjData*, double*, double*, int)",
    "mju_axisAngle2Quat": "void(double*, const double*, double)",
    "mj_rnePostConstraint": "void(const mjModel*, mjData*)",
    "mj_loadAllPluginLibraries": "void(const char*, void (*)(const char*, int, int))",
    "mjv_defaultScene": "void(mjvScene*)",
    "mjv_makeScene": "void(const mjModel*, mjvScene*, int)",
    "mjv_freeScene": "void(mjvScene*)",
    "mjv_defaultCamera": "void(mjvCamera*)",
    "mjv_defaultFreeCamera": "void(const mjModel*, mjvCamera*)",
    "mjv_defaultOption": "void(mjvOption*)",
    "mjv_defaultPerturb": "void(mjvPerturb*)",
    "mjv_updateScene": (
        "void(const mjModel*, mjData*, const mjvOption*, const mjvPerturb*, mjvCamera*, int, "
        "mjvScene*)"
    ),
    "mjr_defaultContext": "void(mjrContext*)",
    "mjr_makeContext": "void(const mjModel*, mjrContext*, int)",
    "mjr_freeContext": "void(mjrContext*)",
    "mjr_setBuffer": "void(int, mjrContext*)",
    "mjr_uploadHField": "void(const mjModel*, const mjrContext*, int)",
    "mjr_render": "void(mjrRect, mjvScene*, const mjrContext*)",
    "mjr_readPixels": "void(unsigned char*, float*, mjrRect, const mjrContext*)",
}
# Members of our structures that must have the same offsets as in MuJoCo's structures.
SAME_MEMBERS = {
    ("Camera", "mjvCamera"): "type fixedcamid trackbodyid lookat distance azimuth elevation "
    "orthographic",
    ("Viewport", "mjrRect"): "left bottom width height",
    ("WarningStat", "mjWarningStat"): "lastinfo number",
}


class LayoutError(Exception):
    """A version of MuJoCo differs from our assumptions; the message says how."""


def _has(header_text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", header_text) is not None


def _program(headers: str) -> str:
    """Returns a program that prints a row of the table, and compiles only if all else is equal."""
    abi = (ROOT / "engine" / "envs" / "mujoco" / "mujoco_types.h").read_text()
    same_numbers = re.findall(r"(k\w+) = [^;]+;\s*// (mj[A-Z]\w+)", abi)
    has_log = _has(headers, "mjLogMessage")
    model = MODEL | {name: at for name, at in NEWER.items() if _has(headers, name)}
    lines = [
        "#include <mujoco/mujoco.h>",
        '#include "engine/envs/mujoco/mujoco_types.h"',
        "#include <cstddef>",
        "#include <cstdint>",
        "#include <cstdio>",
        "#include <type_traits>",
        "using namespace engine::mujoco;",
        "using Count = std::conditional_t<sizeof(mjModel::nq) == 4, std::int32_t, std::int64_t>;",
        # kAlike: types of equal size, whatever their names and signs.
        "template <class A, class B> constexpr bool kAlike = sizeof(A) == sizeof(B) &&",
        "  std::is_integral_v<A> == std::is_integral_v<B> &&",
        "  std::is_pointer_v<A> == std::is_pointer_v<B>;",
        "template <class A, class B> constexpr bool kAlike<A*, B*> = kAlike<A, B>;",
        "using Byte = std::uint8_t;",
        "using Bytes = std::uint64_t;",
        "using Vector = double[3];",
        "using Pair = int[2];",
        "using Warnings = mjWarningStat[mjNWARNING];",
        '#define OUT(name, value) std::printf("." name " = %lld, ", (long long)(value))',
        "int main() {",
        'std::puts(".model = {");',
        'OUT("bytes", sizeof(mjModel));',
        'OUT("count_bytes", sizeof(Count));',
        'std::puts("");',
    ]
    order = _declared("ModelLayout")
    if set(order) != {"bytes", "count_bytes", *MODEL, *NEWER}:
        raise LayoutError(f"ModelLayout has other members than {Path(__file__).name}")
    for name in order[2:]:
        if name not in model:
            lines += [f'OUT("{name}", 0);']
            continue
        path, kind = model[name]
        lines += [
            f"static_assert(kAlike<decltype(static_cast<mjModel*>(nullptr)->{path}), {kind}>);",
            f'OUT("{name}", offsetof(mjModel, {path}));',
        ]
    lines += ['std::puts("},\\n.data = {");']
    if _declared("DataLayout") != DATA:
        raise LayoutError(f"DataLayout has other members than {Path(__file__).name}")
    for name in DATA:
        lines += [
            f"static_assert(std::is_same_v<decltype(mjData::{name}), double*>);",
            f'OUT("{name}", offsetof(mjData, {name}));',
        ]
    lines += [
        'std::puts("},\\n.picture = {");',
        "static_assert(sizeof(mjvOption::flags) == mjNVISFLAG);",
        'OUT("option_bytes", sizeof(mjvOption));',
        'OUT("option_flags", offsetof(mjvOption, flags));',
        'OUT("num_flags", mjNVISFLAG);',
        'OUT("perturb_bytes", sizeof(mjvPerturb));',
        'OUT("scene_bytes", sizeof(mjvScene));',
        'OUT("context_bytes", sizeof(mjrContext));',
        'std::puts("},\\n.flags = {");',
        *(f'OUT("{name}", {flag if _has(headers, flag) else 0});' for name, flag in FLAGS.items()),
        *_struct_lines(
            "arm_model",
            "ArmModelLayout",
            "mjModel",
            ARM_MODEL,
            {"num_eq_data": "mjNEQDATA"},
        ),
        *_struct_lines("arm_data", "ArmDataLayout", "mjData", _at_names(ARM_DATA)),
        *_struct_lines(
            "contact", "ContactLayout", "mjContact", CONTACT, {"bytes": "sizeof(mjContact)"}
        ),
        *(_suite_lines() if header_version(headers) >= SUITE_SINCE else []),
        'std::puts("}},");',
        "}",
        *(
            f"static_assert({ours} == {theirs});"
            for ours, theirs in same_numbers
            if (has_log or theirs != "mjLOG_ERROR")
            and (header_version(headers) >= SUITE_SINCE or theirs not in SUITE_NUMBERS)
        ),
        *(
            f"static_assert(std::is_same_v<decltype({name}), {kind}>);"
            for name, kind in FUNCTIONS.items()
        ),
    ]
    for (ours, theirs), members in SAME_MEMBERS.items():
        lines.append(f"static_assert(sizeof({ours}) == sizeof({theirs}));")
        lines += [
            f"static_assert(offsetof({ours}, {name}) == offsetof({theirs}, {name}) && "
            f"std::is_same_v<decltype({ours}::{name}), decltype({theirs}::{name})>);"
            for name in members.split()
        ]
    if has_log:
        lines += [
            f"static_assert(offsetof(LogMessage, {name}) == offsetof(mjLogMessage, {name}) && "
            f"std::is_same_v<decltype(LogMessage::{name}), decltype(mjLogMessage::{name})>);"
            for name in ("level", "topic", "subject")
        ]
    return "\n".join(lines) + "\n"


def _suite_lines() -> list[str]:
    """Returns the lines of the program that print the two structs of the suite."""
    return [
        *_struct_lines("suite_model", "SuiteModelLayout", "mjModel", SUITE_MODEL),
        *_struct_lines(
            "suite_data",
            "SuiteDataLayout",
            "mjData",
            _at_names(SUITE_DATA),
            {"num_warnings": "mjNWARNING"},
        ),
    ]


def _at_names(kinds: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Returns the members of mjData, each with its path and its type."""
    return {name: (name, kind) for name, kind in kinds.items()}


def _struct_lines(
    member: str,
    struct: str,
    of: str,
    members: dict[str, tuple[str, str]],
    sizes: dict[str, str] | None = None,
) -> list[str]:
    """Returns the lines of the program that print a struct of offsets.

    Args:
        member: its name in Layout.
        struct: its type.
        of: MuJoCo's structure that has the members.
        members: its members, each with its path and its type in `of`.
        sizes: its members that are numbers of MuJoCo's, each with an expression for it.
    """
    declared = _declared(struct)
    sizes = sizes or {}
    if sorted(declared) != sorted([*members, *sizes]):
        raise LayoutError(f"{struct} has other members than {Path(__file__).name}")
    lines = [f'std::puts("}},\\n.{member} = {{");']
    for name in declared:
        if name in sizes:
            lines += [f'OUT("{name}", {sizes[name]});']
            continue
        path, kind = members[name]
        lines += [
            f"static_assert(kAlike<decltype(static_cast<{of}*>(nullptr)->{path}), {kind}>);",
            f'OUT("{name}", offsetof({of}, {path}));',
        ]
    return lines


def _declared(struct: str) -> list[str]:
    """Returns the members of a struct of layout.h, in order."""
    text = re.sub(r"//[^\n]*", "", (TABLE.parent / "layout.h").read_text())
    body = re.search(rf"struct {struct} {{(.*?)}};", text, re.DOTALL)
    if body is None:
        raise LayoutError(f"layout.h has no struct {struct}")
    declarations = re.findall(r"[\w:]+\s+([\w,\s]+);", body[1])
    return [name.strip() for names in declarations for name in names.split(",")]


def header_version(headers: str) -> tuple[int, ...]:
    """Returns the version of MuJoCo that headers state."""
    found = re.search(r"#define mjVERSION_HEADER (\d+)", headers)
    if found is None:
        raise LayoutError("the headers have no mjVERSION_HEADER")
    number = int(found[1])
    if number < 1000:  # versions up to 3.4.0 have the form 340
        return number // 100, number // 10 % 10, number % 10
    return number // 1_000_000, number // 1000 % 1000, number % 1000


def _row(package: Path) -> tuple[tuple[int, ...], str]:
    """Returns a package's version and its row of the table.

    Raises:
        LayoutError: the package has no headers, or violates an assumption of the family.
    """
    include = package / "include"
    headers = "\n".join(path.read_text() for path in sorted((include / "mujoco").glob("*.h")))
    if not headers:
        raise LayoutError(f"expected MuJoCo's headers in {include}, found none")
    version = header_version(headers)
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "layout.cc")
        source.write_text(_program(headers))
        compiler = os.environ.get("CXX", "c++")
        program = Path(directory, "layout")
        done = subprocess.run(
            [compiler, "-std=c++20", "-w", f"-I{include}", f"-I{ROOT}", str(source), "-o", program],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LayoutError(f"{package} is not as expected:\n{done.stderr}")
        body = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    words = ".".join(map(str, version))
    known = "true" if words in PHYSICS_IS_KNOWN else "false"
    keeps = "true" if words in KEEPS_STAGES else "false"
    row = f'{{.version = "{words}", .physics_is_known = {known}, .keeps_stages = {keeps},\n{body}'
    return version, "".join(f"{line.rstrip()}\n" for line in _filled(row))


def _rows_of(table: Path) -> dict[tuple[int, ...], str]:
    """Returns the rows of a table by version; no rows if the file does not exist."""
    text = table.read_text() if table.exists() else ""
    body = text.removeprefix(_HEAD).removesuffix(_TAIL)
    rows = re.split(r"(?=    {\.version = )", body)[1:]
    return {_version_of(row): row for row in rows}


def _version_of(row: str) -> tuple[int, ...]:
    words = row.split('"')[1]
    return tuple(map(int, words.split(".")))


def _filled(row: str) -> Iterable[str]:
    """Yields the lines of a row, none longer than 100 columns."""
    for line in row.splitlines():
        text = "    "
        for part in line.replace(", }", "}").rstrip(", ").split(", "):
            if len(text) + len(part) > 98:
                yield text
                text = "    "
            text += part + ", "
        yield text.rstrip(", ") + ("" if text.rstrip(", ").endswith("{") else ",")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE")
    options = parser.parse_args(arguments)
    rows = dict(_row(package) for package in options.packages)
    if options.check:
        table = TABLE.read_text()
        wrong = [version for version, row in rows.items() if row not in table]
        for version in wrong:
            print(f"{TABLE}: the row of {'.'.join(map(str, version))} is missing or differs")
        return 1 if wrong else 0
    rows = _rows_of(TABLE) | rows
    TABLE.write_text(_HEAD + "".join(rows[version] for version in sorted(rows)) + _TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
