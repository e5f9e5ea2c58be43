#!/usr/bin/env bash
# Builds one wheel. All wheels of a processor share a build directory: the engine does not depend on
# Python, so for each further version only the files that include its headers are compiled.
#
#   tools/wheels/build.sh DIRECTORY PROCESSOR COMPILER VERSION HEADERS
#
# The wheel is written into DIRECTORY/VERSION. No program of the target is run. The environment that
# builds is in DIRECTORY/../venv (make.sh).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$1 processor=$2 compiler=$3 version=$4 headers=$5
python=$out/../venv/bin/python
glibc=2.28
tag=cp${version/./}

mkdir -p "$out"
if [[ ! -e $out/libraries/.made ]]; then
  (cd "$root" && "$python" -m tools.wheels.old_libraries "$out/libraries" --compiler "$compiler" \
    --glibc "$glibc")
  touch "$out/libraries/.made"
fi
# Its distributions are the same for every Python.
if [[ ! -e $out/numpy/numpy/version.py ]]; then
  "$python" -m pip install -q --no-deps --only-binary=:all: --target "$out/numpy" \
    --python-version 3.11 --implementation cp --platform "manylinux_2_28_$processor" \
    --platform "manylinux_2_27_$processor" --platform "manylinux2014_$processor" 'numpy>=2'
fi

defines=(
  "CMAKE_CXX_COMPILER=$(command -v "$compiler")"
  "ENVPOOL_NUMPY=$out/numpy/numpy"
  "ENVPOOL_OLD_LIBRARIES=$out/libraries"
  "ENVPOOL_PYTHON_INCLUDE=$headers"
  "PYTHON_MODULE_EXTENSION=.cpython-${version/./}-$processor-linux-gnu.so"
)
if [[ $processor != "$(uname -m)" ]]; then
  defines+=(CMAKE_SYSTEM_NAME=Linux "CMAKE_SYSTEM_PROCESSOR=$processor")
fi
settings=(-C "build-dir=$out/build" -C "wheel.tags=$tag-$tag-linux_$processor")
for define in "${defines[@]}"; do
  settings+=(-C "cmake.define.$define")
done

printf '\n==> %s, Python %s: building\n' "$processor" "$version"
rm -rf "${out:?}/$version" "$out/built"
mkdir -p "$out/$version"
# CMake and Ninja of the environment are those that scikit-build-core takes.
PATH=$out/../venv/bin:$PATH CXXFLAGS="-ffile-prefix-map=$out/build/=" \
  "$python" -m pip wheel -q --no-deps --no-build-isolation --wheel-dir "$out/built" \
  "${settings[@]}" "$root"
PATH=$out/../venv/bin:$PATH auditwheel repair -z 9 --wheel-dir "$out/$version" "$out"/built/*.whl
(cd "$root" && "$python" -m tools.wheels.check "$out/$version"/*.whl "$root" "$HOME")
PATH=$out/../venv/bin:$PATH auditwheel show "$out/$version"/*.whl
