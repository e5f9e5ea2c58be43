"""Compares `engine/xla/xla_ffi.h` with the headers of an installed jaxlib.

    python -m tools.xla_abi [DIRECTORY]

DIRECTORY contains `xla/ffi/api/c_api.h`; the default is the directory of the installed jaxlib. The
script compiles a program with an assertion for each structure, member and number, so that every
difference is an error of the compiler. The exit status is 1 if there is a difference.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ABI = ROOT / "engine" / "xla" / "xla_ffi.h"

# Our structures, XLA's, and the members in order: "ours=theirs" where the names differ.
STRUCTS = {
    "Extension": ("XLA_FFI_Extension_Base", "struct_size type next"),
    "ApiVersion": (
        "XLA_FFI_Api_Version",
        "struct_size extension_start major_version minor_version",
    ),
    "ErrorCreateArgs": (
        "XLA_FFI_Error_Create_Args",
        "struct_size extension_start message code=errc",
    ),
    "StreamGetArgs": (
        "XLA_FFI_Stream_Get_Args",
        "struct_size extension_start context=ctx stream",
    ),
    "Api": (
        "XLA_FFI_Api",
        "struct_size extension_start api_version internal_api create_error=XLA_FFI_Error_Create "
        "get_stream=XLA_FFI_Stream_Get",
    ),
    "Buffer": ("XLA_FFI_Buffer", "struct_size extension_start dtype data rank dims"),
    "ByteSpan": ("XLA_FFI_ByteSpan", "data=ptr size=len"),
    "Array": ("XLA_FFI_Array", "dtype size data"),
    "Args": ("XLA_FFI_Args", "struct_size extension_start size types args"),
    "Rets": ("XLA_FFI_Rets", "struct_size extension_start size types rets"),
    "Attrs": ("XLA_FFI_Attrs", "struct_size extension_start size types names attrs"),
    "CallFrame": (
        "XLA_FFI_CallFrame",
        "struct_size extension_start api context=ctx stage args rets attrs",
    ),
    "Metadata": ("XLA_FFI_Metadata", "struct_size api_version traits"),
    "MetadataExtension": ("XLA_FFI_Metadata_Extension", "base=extension_base metadata"),
}
# Structures of which ours has only the first members.
PREFIXES = {"Api", "CallFrame", "Metadata"}
NUMBERS = {
    "kMetadataExtension": "XLA_FFI_Extension_Metadata",
    "kBufferArgument": "XLA_FFI_ArgType_BUFFER",
    "kBufferResult": "XLA_FFI_RetType_BUFFER",
    "kArrayAttribute": "XLA_FFI_AttrType_ARRAY",
    "kExecuteStage": "XLA_FFI_ExecutionStage_EXECUTE",
}


def program() -> str:
    """Returns the program of assertions."""
    lines = [
        "#include <cstddef>",
        '#include "xla/ffi/api/c_api.h"',
        "#if XLA_FFI_API_MINOR >= 4",  # which has other names for the same structures
        "using XLA_FFI_Extension_Base = XLA_FFI_InternalExtension;",
        "#endif",
        f'#include "{ABI}"',
        "namespace abi = engine::xla::abi;",
    ]

    def check(condition: str) -> None:
        lines.append(f'static_assert({condition}, "{condition}");')

    for ours, (theirs, members) in STRUCTS.items():
        for member in members.split():
            mine, _, other = member.partition("=")
            other = other or mine
            check(f"offsetof(abi::{ours}, {mine}) == offsetof({theirs}, {other})")
            check(f"sizeof(abi::{ours}::{mine}) == sizeof((({theirs}*)0)->{other})")
        relation = "<=" if ours in PREFIXES else "=="
        check(f"sizeof(abi::{ours}) {relation} sizeof({theirs})")
    for ours, theirs in NUMBERS.items():
        check(f"abi::{ours} == {theirs}")
    text = ABI.read_text()
    for enum, theirs in (("ErrorCode", "XLA_FFI_Error_Code"), ("DataType", "XLA_FFI_DataType")):
        body = re.search(rf"enum class {enum} : int {{(.*?)}};", text, re.DOTALL)
        assert body is not None
        for name in re.findall(r"k(\w+) =", body.group(1)):
            upper = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
            check(f"static_cast<int>(abi::{enum}::k{name}) == {theirs}_{upper}")
    check("abi::kMajorVersion == XLA_FFI_API_MAJOR")
    check("abi::kFirstMinorVersion <= XLA_FFI_API_MINOR")
    check("abi::kLastMinorVersion >= XLA_FFI_API_MINOR")
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    """Compiles the program; returns the exit status."""
    if arguments:
        include = arguments[0]
    else:
        import jax

        include = jax.ffi.include_dir()
    compiler = os.environ.get("CXX") or shutil.which("c++")
    assert compiler, "no C++ compiler"
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "xla_abi.cc"
        source.write_text(program())
        command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stderr or "engine/xla/xla_ffi.h: nothing differs")
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
