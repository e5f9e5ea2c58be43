#!/usr/bin/env bash
# Builds for ARM (aarch64) with a cross compiler, and runs C++ tests and comparisons with references
# under QEMU: `make check-arm`.
#
#   tools/arm/check.sh DIRECTORY PYTHON TASKS [PYTEST...]      TASKS: what `pytest -k` selects
#
# PYTHON is of an environment with what the build needs. Needed: Debian's packages
# crossbuild-essential-arm64, mmdebstrap, qemu-user-static and binfmt-support.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
tasks=$3
shift 3
jobs=${JOBS:-2}
say() { printf '\n==> %s\n' "$*"; }
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
  echo "check-arm: needs a compiler: apt-get install crossbuild-essential-arm64" >&2
  exit 1
fi

if [[ ! -e $out/root.made ]]; then
  say 'A Python for ARM, of Debian'
  "$root/tools/roots/make.sh" "$out/root" aarch64 bookworm libegl1 libgl1 libglib2.0-0
  touch "$out/root.made"
fi
# Those of `make test` that have wheels for ARM. Box2D and labmaze, which dm_control needs, have none,
# nor have Procgen's libraries: their tests are skipped, with that reason.
if [[ ! -e $out/packages.made ]]; then
  say 'Packages for ARM'
  platforms=()
  for glibc in 17 24 26 27 28 31 34 35; do
    platforms+=(--platform "manylinux_2_${glibc}_aarch64")
  done
  (cd "$root" && "$python" tools/requirements.py test) \
    | grep -vE '^(dm-control|shimmy|gymnasium\[box2d\]|scikit-build-core|cmake|ninja)' >"$out/requirements.txt"
  rm -rf "$out/packages"
  "$python" -m pip install -q --only-binary=:all: --implementation cp --python-version 3.11 \
    --platform manylinux2014_aarch64 "${platforms[@]}" --target "$out/packages" \
    -r "$out/requirements.txt"
  (cd "$root" && "$python" tools/requirements.py --group no-deps) | grep ^metaworld >"$out/no-deps.txt"
  "$python" -m pip install -q --no-deps --target "$out/packages" -r "$out/no-deps.txt"
  touch "$out/packages.made"
fi

say 'Building for ARM'
headers=$out/headers
mkdir -p "$headers"
cp -r "$out/root/usr/include/python3.11"/* "$headers"
cp "$out/root/usr/include/aarch64-linux-gnu/python3.11/pyconfig.h" "$headers"
export PATH="$(dirname "$python"):$PATH"
configure() {  # DIRECTORY OPTION...
  cmake -S "$root" -B "$@" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DENVPOOL_TESTS=ON \
    -DENVPOOL_WERROR=ON -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static;-L;$out/root" \
    -DENVPOOL_MUJOCO_PACKAGE="$out/packages/mujoco" -DENVPOOL_NUMPY="$out/packages/numpy" -DENVPOOL_PYTHON_INCLUDE="$headers" \
    -DPYTHON_MODULE_EXTENSION=.cpython-311-aarch64-linux-gnu.so \
    -DPython_EXECUTABLE="$python" >"$out/configure.log"
}
configure "$out/build"
cmake --build "$out/build" -j "$jobs"

say 'C++ tests'
# Left out: those that take every schedule of some threads, for hours under emulation; and one that
# maps many large files, for each page of which QEMU 7 takes memory, 24 GB in all.
slow='^(schedule_test|sync/(action_queue|lifetime|node_queues|sharded_range|work_signal)_test'
slow+='|processes/process_executor_test)$'
ENVPOOL_EMULATED=1 ctest --test-dir "$out/build" --output-on-failure --no-tests=error -j "$jobs" --timeout 900 -E "$slow"

# From ARMv8.3 on an acquiring load may be `ldapr`, which is weaker than what earlier processors have.
# GCC 12 does not use it; Clang does.
say 'C++ tests of what threads share, by Clang for ARMv8.3'
if "$python" -c 'import ziglang' 2>/dev/null; then
  for file in "$root"/tests/engine/{harness,support/*,sync/*_test}.cc "$root"/engine/{sync/*,base/error}.cc; do
    printf '#include "%s"\n' "$file"
  done >"$out/armv8_3.cc"
  "$python" -m ziglang c++ -target aarch64-linux-gnu.2.36 -mcpu=generic+v8_3a -std=c++20 -O2 -w \
    -fsized-deallocation -pthread -I"$root" -I"$out/build/generated" "$out/armv8_3.cc" -o "$out/armv8_3"
  loads=$(aarch64-linux-gnu-objdump -d "$out/armv8_3" | grep -cP '\tldapr' || true)
  echo "$loads loads are ldapr"
  ((loads > 0))
  for file in "$root"/tests/engine/sync/*_test.cc; do
    name=sync/$(basename "$file" .cc)
    if [[ ! $name =~ $slow ]]; then
      qemu-aarch64-static -L "$out/root" "$out/armv8_3" --file "/$name.cc" | tail -n 1
    fi
  done
else
  echo 'left out: needs Clang, pip install ziglang'
fi

say 'Comparisons with references'
rm -rf "$out/stage"
mkdir -p "$out/stage"
cp -r "$root/envpool_py" "$out/stage"
cmake --install "$out/build" --component python --prefix "$out/stage" >/dev/null
cd "$root"
# MuJoCo's pictures, its own and ours, crash here: the software that draws them makes its code while it
# runs. A process takes many times as long as without emulation.
pictures='render or mujoco_frames or (picture and (robotics or adroit or metaworld))'
"$root/tools/roots/run.sh" "$out/root" env PYTHONPATH="$out/stage:$out/packages" HOME=/tmp \
  OPENBLAS_NUM_THREADS=1 python3 "$out/packages/bin/pytest" -m 'not long' -p no:cacheprovider \
  -o faulthandler_timeout=3600 -n "$jobs" -rs --absent Box2D,dm_control \
  -k "($tasks) and not ($pictures)" tests/parity "$@"
