#!/usr/bin/env bash
# Uses a wheel in a directory of tools/roots, whose processor or release is another than this
# machine's: steps tasks, builds and steps a plug-in with the compiler there.
#
#   tools/wheels/use_in_root.sh WHEEL ROOT VERSION PIP_PYTHON DIRECTORY
#
# PIP_PYTHON installs, for the tags of the other Python: under emulation pip takes minutes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheel=$1 version=$3 python=$4 out=$5
directory=$(cd "$2" && pwd)
processor=$(sed -E 's/.*_(x86_64|aarch64)\.whl$/\1/' <<<"$wheel")
printf '\n==> %s in %s\n' "$(basename "$wheel")" "$directory"
rm -rf "$out"
mkdir -p "$out/use"
platforms=()
for glibc in 17 24 26 27 28; do
  platforms+=(--platform "manylinux_2_${glibc}_$processor")
done
"$python" -m pip install -q --only-binary=:all: --implementation cp --python-version "$version" \
  "${platforms[@]}" --platform "manylinux2014_$processor" --target "$out/packages" "$wheel"
cp "$root/tests/plugins/walk.cc" "$root/tools/wheels/steps.py" "$out/use"
cd "$out/use"
run() {
  "$root/tools/roots/run.sh" "$directory" env PYTHONPATH="$out/packages" "python$version" "$@"
}
run -m envpool_py --compile walk.cc
run steps.py
run -m envpool_py.cli list CartPole
